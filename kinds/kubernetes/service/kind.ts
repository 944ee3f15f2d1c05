import type { KindFacts } from '../../../machinery/api/kind.ts';

export const service: KindFacts = {
  group: '',
  kind: 'Service',
  plural: 'services',
  namespaced: true,
};
