/** The deletion of a snapshot: first its file, then the object. Pure. */
import { withConditions } from '../../../machinery/api/conditions.ts';
import type { Condition } from '../../../machinery/api/object.ts';
import type { ConditionDraft, Context, Failure, Plan } from '../../../machinery/api/reconcile.ts';
import { deletingBecause, notDeleted, notDeletedEvent, refusedDeletion } from '../../common/undeleted.ts';
import type { EtcdSnapshot, EtcdSnapshotStatus } from './schema.ts';
import { dropFile, resync } from './taking.ts';

type Plans = Plan<EtcdSnapshotStatus>;

const withDeleting = ({ status }: EtcdSnapshot, draft: ConditionDraft): Pick<Plans, 'status'> => ({
  status: { ...status, conditions: withConditions((status?.conditions ?? []) as Condition[], draft as Condition) },
});

/** The storage refused to delete the file. */
export const isOfDeletion = (failure: Failure | undefined): failure is Failure => failure?.operation === 'Delete';

/** A restore, or a new cluster, still reads the file. */
export const inUse = (snapshot: EtcdSnapshot): Plans => ({
  ...withDeleting(snapshot, deletingBecause('InUse', 'The file is deleted once no restore reads it')),
  requeueAfter: resync,
});

/** The object stays while the storage refuses to delete its file: without it nothing names the file. */
export const deleting = (snapshot: EtcdSnapshot, { lastFailure }: Pick<Context, 'lastFailure'>): Plans => {
  const { location } = snapshot.status ?? {};
  const plan: Plans = { actions: dropFile(snapshot), finished: true };
  if (location === undefined || !isOfDeletion(lastFailure)) return plan;
  const message = refusedDeletion(`The file ${location}`, lastFailure);
  return {
    ...plan,
    ...withDeleting(snapshot, deletingBecause(notDeleted, message)),
    events: [notDeletedEvent(message)],
  };
};
