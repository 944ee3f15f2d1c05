import type { KindFacts } from '../../../machinery/api/kind.ts';
import { targetKey } from '../../core/contract/object-targets.ts';

export const kubeadmConfig: KindFacts = {
  group: 'bootstrap.cluster.x-k8s.io',
  kind: 'KubeadmConfig',
  plural: 'kubeadmconfigs',
  namespaced: true,
  gates: ['initialization'],
  summary: 'Ready',
  role: 'BootstrapConfig',
  alias: targetKey,
};
