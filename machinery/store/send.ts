import { ApiError } from '../api/errors.ts';
import { type Item, OutcomeUnknown, sleep, Throttled, TransactionRefused, type Write } from '../ports.ts';
import type { StoreContext } from './context.ts';
import { times } from './rules.ts';
import { readSlot, seal } from './slot.ts';
import { backoff, isOfTable } from './steady.ts';

/**
 * `sealed`: the write did not happen, and may be tried with another ticket. `lost`: it did not
 * happen, because another write did.
 */
export type Sent = 'done' | 'lost' | 'sealed';

const outcomeUnknown = (cause?: unknown) =>
  new ApiError(504, 'Timeout', 'the write took too long, and may have happened', undefined, { cause });

/**
 * From here on the write may have happened: whatever hides its outcome, never ask the client to
 * repeat it.
 */
const decided = async (find: () => Promise<Sent>): Promise<Sent> => {
  try {
    return await find();
  } catch (error) {
    throw isOfTable(error) ? outcomeUnknown(error) : error;
  }
};

interface Ticket {
  n: number;
  at: number;
}

/**
 * Sends the transaction of a ticket until its outcome is known. The slot is the commit record: the
 * first writer to fill it decides, and no result is returned while a copy of the transaction could
 * still change it.
 */
export const send = async (
  context: StoreContext,
  type: string,
  ticket: Ticket,
  token: string,
  writes: Write[],
): Promise<Sent> => {
  const { clock, random, rules, table } = context;
  const age = () => clock.now() - ticket.at;

  const verdict = (slot: Item | undefined): Sent | undefined => {
    if (!slot) return undefined;
    return slot.token === token ? 'done' : 'sealed';
  };
  const sealOwn = async (): Promise<Sent> => {
    // After a day the slot may have been filled and expired, so the write's outcome is unknown.
    if (age() > times.oldestSlot) throw outcomeUnknown();
    return verdict(await seal(context, type, ticket.n))!;
  };
  const afterUnknown = async (): Promise<Sent> => {
    const known = verdict(await readSlot(context, type, ticket.n));
    if (known) return known;
    return rules.sealUnknownSlot ? sealOwn() : 'sealed';
  };
  const afterRefusal = async ({ refused: [, isSlotFilled] }: TransactionRefused): Promise<Sent> => {
    if (!rules.lookAtSlotFirst) {
      if (isSlotFilled) return 'sealed';
      await sealOwn();
      return 'lost';
    }
    const known = verdict(await readSlot(context, type, ticket.n));
    if (known) return known;
    if (!rules.sealLostSlot) return 'lost';
    return (await sealOwn()) === 'done' ? 'done' : 'lost';
  };

  for (let tries = 0; ; tries++) {
    if (rules.sendLimit && age() > times.sendLimit) return decided(sealOwn);
    try {
      await table.transact(token, writes);
      return 'done';
    } catch (error) {
      if (error instanceof OutcomeUnknown) return decided(afterUnknown);
      if (error instanceof TransactionRefused) return decided(() => afterRefusal(error));
      if (!(error instanceof Throttled)) throw error;
      await sleep(clock, backoff(random, tries));
    }
  }
};
