import type { KindFacts } from '../../../machinery/api/kind.ts';

export const awsManagedMachinePool: KindFacts = {
  group: 'infrastructure.cluster.x-k8s.io',
  kind: 'AWSManagedMachinePool',
  plural: 'awsmanagedmachinepools',
  namespaced: true,
  gates: ['ready', 'replicas', 'spec.providerIDList'],
  summary: 'Ready',
  role: 'InfrastructureMachinePool',
};
