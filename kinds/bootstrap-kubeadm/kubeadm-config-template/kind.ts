import type { KindFacts } from '../../../machinery/api/kind.ts';

export const kubeadmConfigTemplate: KindFacts = {
  group: 'bootstrap.cluster.x-k8s.io',
  kind: 'KubeadmConfigTemplate',
  plural: 'kubeadmconfigtemplates',
  namespaced: true,
  role: 'BootstrapConfigTemplate',
};
