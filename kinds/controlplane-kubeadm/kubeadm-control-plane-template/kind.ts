import type { KindFacts } from '../../../machinery/api/kind.ts';

export const kubeadmControlPlaneTemplate: KindFacts = {
  group: 'controlplane.cluster.x-k8s.io',
  kind: 'KubeadmControlPlaneTemplate',
  plural: 'kubeadmcontrolplanetemplates',
  namespaced: true,
  role: 'ControlPlaneTemplate',
};
