import { type Item, Refused } from '../ports.ts';
import type { StoreContext } from './context.ts';
import { expiry, slotKey } from './items.ts';
import { times } from './rules.ts';
import { steadily } from './steady.ts';

export const readSlot = (context: StoreContext, type: string, n: number): Promise<Item | undefined> =>
  steadily(context, () => context.table.get(slotKey(type, n), { consistent: true }));

/**
 * Fills an empty slot with a seal and returns the slot's content, which decides for good whether
 * the write of that number happened. An expired seal also says that the slot may have held a
 * change.
 */
export const seal = async (
  context: StoreContext,
  type: string,
  n: number,
  options: { expired?: boolean } = {},
): Promise<Item> => {
  const now = context.clock.now();
  const item: Item = {
    ...slotKey(type, n),
    event: 'SEAL',
    ...(options.expired && { expired: true }),
    at: now,
    ttl: expiry(now, times.logRetention),
  };
  try {
    await steadily(context, () => context.table.write({ put: item, when: { exists: false } }));
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    // A seal with an unknown first outcome is refused by its own copy.
    if (error.item) return error.item;
    throw error;
  }
  context.notifier.notify(type);
  return item;
};
