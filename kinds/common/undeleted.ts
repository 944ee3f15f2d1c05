/** A deletion that waits for an effect outside the store. Pure. */
import type { ConditionDraft, EventDraft, Failure } from '../../machinery/api/reconcile.ts';

/** Reason of a Deleting condition: what a deletion must remove first was refused. */
export const notDeleted = 'NotDeleted';

/** `what` is not deleted because of the failure. */
export const refusedDeletion = (what: string, { message }: Pick<Failure, 'message'>): string =>
  `${what} is not deleted: ${message}; Capstan tries again after growing pauses of at most 15 minutes`;

export const deletingBecause = (reason: string, message: string): ConditionDraft => ({
  type: 'Deleting',
  status: 'True',
  reason,
  message,
});

export const notDeletedEvent = (message: string): EventDraft => ({ type: 'Warning', reason: notDeleted, message });
