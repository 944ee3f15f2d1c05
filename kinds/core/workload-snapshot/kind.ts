import type { KindFacts } from '../../../machinery/api/kind.ts';
import { changedNodes } from './changed-nodes.ts';
import { reachabilityOf } from './reachability.ts';

export const workloadSnapshot: KindFacts = {
  group: 'capstan.dev',
  kind: 'WorkloadSnapshot',
  plural: 'workloadsnapshots',
  namespaced: true,
  gates: ['spec'],
  served: false,
  about: changedNodes,
  direction: reachabilityOf,
};
