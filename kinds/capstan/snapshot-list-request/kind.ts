import type { KindFacts } from '../../../machinery/api/kind.ts';

export const snapshotListRequest: KindFacts = {
  group: 'capstan.dev',
  kind: 'SnapshotListRequest',
  plural: 'snapshotlistrequests',
  namespaced: true,
  gates: ['time', 'message'],
};
