import type { KindFacts } from '../../../machinery/api/kind.ts';
import { isPast } from './ended.ts';

export const clusterOperation: KindFacts = {
  group: 'capstan.dev',
  kind: 'ClusterOperation',
  plural: 'clusteroperations',
  namespaced: true,
  gates: ['phase'],
  notes: ['message', 'steps.message', 'events'],
  isPast,
};
