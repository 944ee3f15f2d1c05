/** Finds changes whose dispatch was lost, as their stream may lose them, and dispatches them. */
import { resourceOf } from '../../machinery/api/kind.ts';
import { keyOf } from '../../machinery/api/object.ts';
import type { Skipped } from '../../machinery/controller/index.ts';
import { createLedger, isNoted, windowOf } from '../../machinery/controller/ledger.ts';
import { type Fault, isolated } from '../../machinery/isolated.ts';
import { entryAt } from '../../machinery/store/entry.ts';
import type { LogEntry } from '../../machinery/store/index.ts';
import type { Foundation } from '../../runtime/foundation.ts';

/** Changes of a type; where more are missing, one look at everything costs less. */
const most = 500;

export interface Found {
  dispatched: number;
  /** A change may be lost that is not in the log any more, or too many are: everything has to be looked at. */
  isUnclear: boolean;
  /** Changes that cannot be dispatched; the next sweep tries them again. */
  skipped: Skipped[];
  /** A type whose changes could not be checked, all others were. */
  failed: Fault<string> | undefined;
}

const isSame = (some: readonly number[], others: readonly number[]): boolean => String(some) === String(others);

export const createLostDispatch = ({ kinds, store, objects, work, clock }: Foundation) => {
  const ledger = createLedger({ table: work, clock });
  const typesNow = async (): Promise<string[]> => {
    await kinds.refresh();
    return kinds.all().map(resourceOf);
  };
  return {
    /** Where the logs end; for `cover`, once all objects that there were then have been looked at. */
    ends: async (): Promise<Map<string, number>> => {
      const ends = new Map<string, number>();
      for (const type of await typesNow()) if (isNoted({ type })) ends.set(type, await store.position(type));
      return ends;
    },
    /** Changes up to there need no dispatch any more. */
    cover: async (ends: ReadonlyMap<string, number>): Promise<void> => {
      for (const [type, end] of ends) await ledger.move(type, { checked: end, seen: end });
    },
    /** Also settles the log of each type: types that no client reads stay cheap to begin with. */
    find: async (dispatch: (entry: LogEntry) => Promise<void>): Promise<Found> => {
      const found: Omit<Found, 'failed'> = { dispatched: 0, isUnclear: false, skipped: [] };

      const dispatchAt = async (type: string, position: number) => {
        const entry = await entryAt(objects, type, position);
        if (entry === 'forgotten') found.isUnclear = true;
        else if (entry !== 'unused') {
          try {
            await dispatch(entry);
          } catch (error) {
            found.skipped.push({ name: `${type} ${keyOf(entry)}`, error });
            throw error;
          }
          found.dispatched++;
        }
      };

      const checkOf = async (type: string) => {
        const end = await store.position(type);
        if (!isNoted({ type })) return;
        const cursor = await ledger.cursor(type);
        const { failed: before = [] } = cursor ?? {};
        const { after, to, next } = windowOf(cursor, end);
        const missing = [...before, ...(await ledger.missing(type, after, to))];
        const isTooMuch = missing.length > most;
        if (isTooMuch) found.isUnclear = true;
        const { faults, left } = await isolated(isTooMuch ? [] : missing, (position) => dispatchAt(type, position));
        // What was not tried comes first in the next sweep, so that it gets past any number of failures.
        const failed = [...left, ...faults.map(({ item }) => item)];
        const reached = next ?? cursor;
        if (reached && (next || !isSame(failed, before))) await ledger.move(type, { ...reached, failed });
        if (left.length > 0) throw faults.at(-1)!.error;
      };

      const { faults } = await isolated(await typesNow(), checkOf);
      return { ...found, failed: faults[0] };
    },
  };
};
