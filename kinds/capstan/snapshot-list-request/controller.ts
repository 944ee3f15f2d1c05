import { defineController } from '../../../machinery/api/reconcile.ts';
import { type Observed, observe, reconcile } from './reconcile.ts';
import type { SnapshotListRequest } from './schema.ts';

/** The SnapshotListRequest controller: asks the storage, and forgets the answer after ten minutes. */
export const snapshotListRequestController = defineController<SnapshotListRequest, Observed>({
  name: 'snapshot-list-request',
  for: 'SnapshotListRequest',
  worker: 'workload',
  watches: [],
  conditions: 'v1beta2',
  observe,
  reconcile,
});
