import type { KindFacts } from '../../../machinery/api/kind.ts';

export const awsMachineTemplate: KindFacts = {
  group: 'infrastructure.cluster.x-k8s.io',
  kind: 'AWSMachineTemplate',
  plural: 'awsmachinetemplates',
  namespaced: true,
  role: 'InfrastructureMachineTemplate',
};
