import type { KindFacts } from '../../../machinery/api/kind.ts';

export const nodeadmConfig: KindFacts = {
  group: 'bootstrap.cluster.x-k8s.io',
  kind: 'NodeadmConfig',
  plural: 'nodeadmconfigs',
  namespaced: true,
  gates: ['initialization', 'ready', 'dataSecretName'],
  summary: 'Ready',
  role: 'BootstrapConfig',
};
