import { type Condition, Refused } from '../ports.ts';
import type { StoreContext } from './context.ts';
import { type HeadRead, headOf } from './head.ts';
import { headKey } from './items.ts';
import { times } from './rules.ts';
import { awakeHead } from './settle.ts';
import { steadily } from './steady.ts';

const takeWhen = (context: StoreContext, type: string, when: Condition): Promise<HeadRead | undefined> =>
  steadily(context, async () => {
    const now = context.clock.now();
    try {
      const item = await context.table.write({ update: headKey(type), add: { n: 1 }, set: { at: now }, when });
      return headOf(item!, now);
    } catch (error) {
      if (error instanceof Refused) return undefined;
      throw error;
    }
  });

/**
 * Takes the next number of a type. A number that is never used leaves a hole, which readers seal.
 * The time of the last ticket shows whether the type slept; it must not be renewed before expired
 * slots are settled.
 */
export const takeTicket = async (context: StoreContext, type: string): Promise<HeadRead> => {
  const { clock, rules } = context;
  for (;;) {
    const recent: Condition = { attribute: 'at', is: '>=', value: clock.now() - times.asleep };
    const early = await takeWhen(context, type, rules.wakeBeforeTicket ? recent : { exists: true });
    if (early) return early;
    const { n } = await awakeHead(context, type);
    const awake = await takeWhen(context, type, { attribute: 'n', is: '=', value: n });
    if (awake) return awake;
  }
};
