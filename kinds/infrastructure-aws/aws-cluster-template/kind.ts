import type { KindFacts } from '../../../machinery/api/kind.ts';

export const awsClusterTemplate: KindFacts = {
  group: 'infrastructure.cluster.x-k8s.io',
  kind: 'AWSClusterTemplate',
  plural: 'awsclustertemplates',
  namespaced: true,
  role: 'InfrastructureClusterTemplate',
};
