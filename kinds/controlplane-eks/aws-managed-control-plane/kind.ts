import type { KindFacts } from '../../../machinery/api/kind.ts';
import { aliasOfControlPlane } from '../../core/contract/control-plane.ts';

export const awsManagedControlPlane: KindFacts = {
  group: 'controlplane.cluster.x-k8s.io',
  kind: 'AWSManagedControlPlane',
  plural: 'awsmanagedcontrolplanes',
  namespaced: true,
  gates: ['ready', 'initialized', 'version', 'spec.controlPlaneEndpoint'],
  summary: 'Ready',
  role: 'ControlPlane',
  alias: aliasOfControlPlane,
};
