import type { KindFacts } from '../../../machinery/api/kind.ts';

export const awsCluster: KindFacts = {
  group: 'infrastructure.cluster.x-k8s.io',
  kind: 'AWSCluster',
  plural: 'awsclusters',
  namespaced: true,
  gates: ['ready'],
  summary: 'Ready',
  role: 'InfrastructureCluster',
};
