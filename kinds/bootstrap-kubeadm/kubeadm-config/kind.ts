import type { KindFacts } from '../../../machinery/api/kind.ts';

export const kubeadmConfig: KindFacts = {
  group: 'bootstrap.cluster.x-k8s.io',
  kind: 'KubeadmConfig',
  plural: 'kubeadmconfigs',
  namespaced: true,
  gates: ['initialization'],
  summary: 'Ready',
  role: 'BootstrapConfig',
};
