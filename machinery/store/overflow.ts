/** Index writes that exceed the transaction of their change. */
import { type ItemKey, mostWrites, TransactionRefused, type Write } from '../ports.ts';
import type { StoreContext } from './context.ts';
import type { Put } from './indexes.ts';
import { isOfTable, steadily } from './steady.ts';

/** One write is the condition on the object. */
const most = mostWrites - 1;

/**
 * Before the change: should the change never happen, readers skip entries whose object does not
 * exist.
 */
export const putEarly = (context: StoreContext, early: Put[]) =>
  Promise.all(early.map((put) => steadily(context, () => context.table.write(put))));

/**
 * After the change, while the object is unchanged: another writer may give it the same owner again.
 * Neither a later change nor a busy table fails the committed change: a remaining entry is skipped
 * by readers.
 */
export const removeDeferred = async (
  context: StoreContext,
  object: ItemKey,
  n: number,
  deferred: Write[],
): Promise<void> => {
  const isLatest: Write = { check: object, when: { attribute: 'rv', is: '=', value: n } };
  try {
    for (let start = 0; start < deferred.length; start += most) {
      const token = context.random.uuid();
      const writes = [isLatest, ...deferred.slice(start, start + most)];
      await steadily(context, () => context.table.transact(token, writes));
    }
  } catch (error) {
    if (!(error instanceof TransactionRefused || isOfTable(error))) throw error;
  }
};
