import type { KindFacts } from '../../../machinery/api/kind.ts';

export const nodeadmConfigTemplate: KindFacts = {
  group: 'bootstrap.cluster.x-k8s.io',
  kind: 'NodeadmConfigTemplate',
  plural: 'nodeadmconfigtemplates',
  namespaced: true,
  role: 'BootstrapConfigTemplate',
};
