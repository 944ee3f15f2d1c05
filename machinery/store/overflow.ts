/** What the indexes hold of an object beyond what fits into the transaction of its change. */
import { type ItemKey, mostWrites, TransactionRefused, type Write } from '../ports.ts';
import type { StoreContext } from './context.ts';
import type { Put } from './indexes.ts';
import { isOfTable, steadily } from './steady.ts';

/** Beside the condition on the object. */
const most = mostWrites - 1;

/** Before the change: what points at an object in vain is passed over, should the change never come. */
export const putEarly = (context: StoreContext, early: Put[]) =>
  Promise.all(early.map((put) => steadily(context, () => context.table.write(put))));

/**
 * After the change, while the object is as it was written: somebody may give it the same owner again. Whoever else was first, or
 * a table that is busy for long, fails no change that has come: what stays points at the object in vain.
 */
export const removeLate = async (context: StoreContext, object: ItemKey, n: number, late: Write[]): Promise<void> => {
  const isLatest: Write = { check: object, when: { attribute: 'rv', is: '=', value: n } };
  try {
    for (let start = 0; start < late.length; start += most) {
      const token = context.random.uuid();
      const writes = [isLatest, ...late.slice(start, start + most)];
      await steadily(context, () => context.table.transact(token, writes));
    }
  } catch (error) {
    if (!(error instanceof TransactionRefused || isOfTable(error))) throw error;
  }
};
