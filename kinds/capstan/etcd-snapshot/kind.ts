import type { KindFacts } from '../../../machinery/api/kind.ts';
import { isOver } from './over.ts';

export const etcdSnapshot: KindFacts = {
  group: 'capstan.dev',
  kind: 'EtcdSnapshot',
  plural: 'etcdsnapshots',
  namespaced: true,
  gates: ['phase'],
  summary: 'Ready',
  isPast: isOver,
};
