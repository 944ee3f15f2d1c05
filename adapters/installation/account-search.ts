/**
 * Shares a search of the account: one process searches all regions, and others use its result for a while.
 * Otherwise each function that is awake while no object exists would search.
 */
import { type Clock, type Condition, type Random, Refused, sleep, type Table } from '../../machinery/ports.ts';
import { PositionBusy } from './hold.ts';

/** Milliseconds after which another process takes over a search. */
const lease = 30_000;
const pause = 1_000;
/** Milliseconds to wait for another process's search. */
const timeout = 20_000;

const noteKey = { pk: 'position', sk: 'look' };

interface Note {
  /** The searching process, and when its lease ends. */
  holder?: string;
  until?: number;
  /** End of the last complete search, and its result. */
  at?: number;
  found?: string[];
}

export interface Looking {
  table: Table;
  clock: Clock;
  random: Pick<Random, 'uuid'>;
  /** Milliseconds for which a result is cached. */
  believed: number;
}

/** Runs `look` in one process at a time. Throws its error, or PositionBusy while another process takes long. */
export const shareSearch = (
  { table, clock, random, believed }: Looking,
  look: () => Promise<string[]>,
): (() => Promise<string[]>) => {
  const heldBy = (holder: string | undefined): Condition =>
    holder === undefined ? { attribute: 'holder', is: 'absent' } : { attribute: 'holder', is: '=', value: holder };

  const take = async (seen: Note): Promise<string | undefined> => {
    const mine = { holder: random.uuid(), until: clock.now() + lease };
    try {
      await table.write({ update: noteKey, set: mine, remove: [], when: heldBy(seen.holder) });
      return mine.holder;
    } catch (error) {
      if (error instanceof Refused) return undefined;
      throw error;
    }
  };

  const release = async (holder: string, set: Note): Promise<void> => {
    try {
      await table.write({ update: noteKey, set: { ...set }, remove: ['holder', 'until'], when: heldBy(holder) });
    } catch (error) {
      // Another process has taken over this search and will report its own result.
      if (!(error instanceof Refused)) throw error;
    }
  };

  return async () => {
    const began = clock.now();
    for (;;) {
      const seen = ((await table.get(noteKey, { consistent: true })) ?? {}) as Note;
      const at = clock.now();
      if (seen.at !== undefined && seen.found && at - seen.at < believed) return seen.found;
      const isFree = seen.holder === undefined || at >= (seen.until ?? 0);
      const holder = isFree ? await take(seen) : undefined;
      if (holder !== undefined) {
        let note: Note = {};
        try {
          const found = await look();
          note = { at, found };
          return found;
        } finally {
          await release(holder, note);
        }
      }
      if (clock.now() - began >= timeout) throw new PositionBusy('another process is searching the account: retrying');
      await sleep(clock, pause);
    }
  };
};
