import type { KindFacts } from '../../../machinery/api/kind.ts';

export const awsClusterRoleIdentity: KindFacts = {
  group: 'infrastructure.cluster.x-k8s.io',
  kind: 'AWSClusterRoleIdentity',
  plural: 'awsclusterroleidentities',
  namespaced: false,
};
