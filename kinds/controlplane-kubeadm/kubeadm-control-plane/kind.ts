import type { KindFacts } from '../../../machinery/api/kind.ts';
import { aliasOfControlPlane } from '../../core/contract/control-plane.ts';
import { referencesOfControlPlane } from './references.ts';

export const kubeadmControlPlane: KindFacts = {
  group: 'controlplane.cluster.x-k8s.io',
  kind: 'KubeadmControlPlane',
  plural: 'kubeadmcontrolplanes',
  namespaced: true,
  gates: ['initialization', 'Available'],
  summary: 'Available',
  role: 'ControlPlane',
  alias: aliasOfControlPlane,
  references: referencesOfControlPlane,
};
