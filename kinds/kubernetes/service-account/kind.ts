import type { KindFacts } from '../../../machinery/api/kind.ts';

export const serviceAccount: KindFacts = {
  group: '',
  kind: 'ServiceAccount',
  plural: 'serviceaccounts',
  namespaced: true,
};
