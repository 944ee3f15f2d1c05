import type { KindFacts } from '../../../machinery/api/kind.ts';
import { groupNameOf } from './note.ts';

export const awsMachinePool: KindFacts = {
  group: 'infrastructure.cluster.x-k8s.io',
  kind: 'AWSMachinePool',
  plural: 'awsmachinepools',
  namespaced: true,
  gates: ['ready', 'infrastructureMachineKind', 'spec.providerIDList'],
  summary: 'Ready',
  role: 'InfrastructureMachinePool',
  resourceId: groupNameOf,
};
