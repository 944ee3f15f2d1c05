import type { KindFacts } from '../../../machinery/api/kind.ts';
import { refuseDelete } from './protection.ts';

export const installation: KindFacts = {
  group: 'capstan.dev',
  kind: 'Installation',
  plural: 'installations',
  namespaced: false,
  refuseDelete,
};
