import type { KindFacts } from '../../../machinery/api/kind.ts';

export const awsClusterControllerIdentity: KindFacts = {
  group: 'infrastructure.cluster.x-k8s.io',
  kind: 'AWSClusterControllerIdentity',
  plural: 'awsclustercontrolleridentities',
  namespaced: false,
};
