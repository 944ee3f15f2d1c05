import type { KindFacts } from '../../../machinery/api/kind.ts';
import { targetKey } from '../../core/contract/object-targets.ts';
import { instanceIdOf } from './instance-id.ts';

export const awsMachine: KindFacts = {
  group: 'infrastructure.cluster.x-k8s.io',
  kind: 'AWSMachine',
  plural: 'awsmachines',
  namespaced: true,
  gates: ['ready'],
  summary: 'Ready',
  role: 'InfrastructureMachine',
  alias: targetKey,
  resourceId: instanceIdOf,
};
