/** Finds changes whose dispatch was lost, as their stream may lose them, and dispatches them. */
import { resourceOf } from '../../machinery/api/kind.ts';
import { createLedger, isNoted, windowOf } from '../../machinery/controller/ledger.ts';
import { entryAt } from '../../machinery/store/entry.ts';
import type { LogEntry } from '../../machinery/store/index.ts';
import type { Foundation } from '../../runtime/foundation.ts';

/** Changes of a type; where more are missing, one look at everything costs less. */
const most = 500;

export interface Found {
  dispatched: number;
  /** A change may be lost that is not in the log any more, or too many are: everything has to be looked at. */
  isUnclear: boolean;
}

export const createLostDispatch = ({ kinds, store, objects, work, clock }: Foundation) => {
  const ledger = createLedger({ table: work, clock });
  const types = kinds.all().map(resourceOf);
  return {
    /** Where the logs end; for `cover`, once all objects that there were then have been looked at. */
    ends: async (): Promise<Map<string, number>> => {
      const ends = new Map<string, number>();
      for (const type of types) if (isNoted({ type })) ends.set(type, await store.position(type));
      return ends;
    },
    /** Changes up to there need no dispatch any more. */
    cover: async (ends: ReadonlyMap<string, number>): Promise<void> => {
      for (const [type, end] of ends) await ledger.move(type, { checked: end, seen: end });
    },
    /** Also settles the log of each type: types that no client reads stay cheap to begin with. */
    find: async (dispatch: (entry: LogEntry) => Promise<void>): Promise<Found> => {
      const found: Found = { dispatched: 0, isUnclear: false };
      const checkOf = async (type: string) => {
        const end = await store.position(type);
        if (!isNoted({ type })) return;
        const { after, to, next } = windowOf(await ledger.cursor(type), end);
        const missing = await ledger.missing(type, after, to);
        if (missing.length > most) found.isUnclear = true;
        else
          for (const position of missing) {
            const entry = await entryAt(objects, type, position);
            if (entry === 'forgotten') found.isUnclear = true;
            else if (entry !== 'unused') {
              await dispatch(entry);
              found.dispatched++;
            }
          }
        if (next) await ledger.move(type, next);
      };
      for (const type of types) await checkOf(type);
      return found;
    },
  };
};
