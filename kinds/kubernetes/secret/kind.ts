import type { KindFacts } from '../../../machinery/api/kind.ts';

export const secret: KindFacts = {
  group: '',
  kind: 'Secret',
  plural: 'secrets',
  namespaced: true,
  encrypted: true,
};
