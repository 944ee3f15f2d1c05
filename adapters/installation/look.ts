/**
 * One look around for all: of processes that would look at the same time one does, and what it found is believed by whoever
 * comes soon after. A look asks every region, and each function that is awake while nothing exists would take one of its own.
 */
import { type Clock, type Condition, type Random, Refused, sleep, type Table } from '../../machinery/ports.ts';
import { PositionBusy } from './hold.ts';

/** Milliseconds. A look begins anew when whoever began it is not heard of for so long. */
const lease = 30_000;
const pause = 1_000;
/** For so long somebody waits for another one's look; then he is to come again. */
const patience = 20_000;

const noteKey = { pk: 'position', sk: 'look' };

interface Note {
  /** Who looks, and until when he may. */
  holder?: string;
  until?: number;
  /** When the last look began that came to its end, and what it found. */
  at?: number;
  found?: string[];
}

export interface Looking {
  table: Table;
  clock: Clock;
  random: Pick<Random, 'uuid'>;
  /** Milliseconds for which what a look found is believed. */
  believed: number;
}

/** `look` as it is taken by one at a time. Throws what it throws, and PositionBusy while somebody else takes long. */
export const shareLook = (
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
      // Somebody took over from whoever looked for too long: what was found is told by him.
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
        let told: Note = {};
        try {
          const found = await look();
          told = { at, found };
          return found;
        } finally {
          await release(holder, told);
        }
      }
      if (clock.now() - began >= patience) throw new PositionBusy('somebody else looks around: this is tried again');
      await sleep(clock, pause);
    }
  };
};
