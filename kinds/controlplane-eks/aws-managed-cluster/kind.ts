import type { KindFacts } from '../../../machinery/api/kind.ts';

export const awsManagedCluster: KindFacts = {
  group: 'infrastructure.cluster.x-k8s.io',
  kind: 'AWSManagedCluster',
  plural: 'awsmanagedclusters',
  namespaced: true,
  gates: ['ready', 'spec.controlPlaneEndpoint'],
  summary: 'Ready',
  role: 'InfrastructureCluster',
};
