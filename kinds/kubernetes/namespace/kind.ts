import type { KindFacts } from '../../../machinery/api/kind.ts';
import { refuseDelete } from './protection.ts';

export const namespace: KindFacts = {
  group: '',
  kind: 'Namespace',
  plural: 'namespaces',
  namespaced: false,
  refuseDelete,
};
