/**
 * Who may write the mark. A parameter has no conditional write, so that two who wrote at once could set it back: one process
 * at a time holds the item that is kept with the objects, and nobody writes after its hold has run out.
 */
import { type Attribute, type Clock, type Condition, type Random, Refused, type Table } from '../../machinery/ports.ts';

/** The position as it is kept with the objects. */
export interface Stored {
  n?: number;
  /** Every region that was ever acted in: a parameter may be read as it was a while ago. */
  regions?: string[];
  /** When the last advance that came to its end began. */
  at?: number;
  holder?: string;
  until?: number;
}

/** Of an installation that several processes act for. Milliseconds. */
export interface Sharing {
  clock: Clock;
  random: Pick<Random, 'uuid'>;
  /** An act so soon after an advance needs none of its own. */
  quantum: number;
  /** Longer than a write of the mark may take until it is done or has failed, for good. */
  lease: number;
}

export interface Hold {
  /** False when somebody else has it, or was faster. */
  take(seen: Stored, set: Partial<Stored>): Promise<boolean>;
  /** While it is held. */
  set(set: Partial<Stored>): Promise<void>;
  /** Throws when the hold has run out so far that a write might come too late. */
  mayWrite(): void;
  release(set: Partial<Stored>): Promise<void>;
}

export const storedKey = { pk: 'position', sk: 'installation' };

/** Tried again: somebody else is about to advance, or died while it did. */
export class PositionBusy extends Error {
  override readonly name = 'PositionBusy';
  readonly code = 'PositionBusy';
  readonly consequence = 'retry';
}

const same = (attribute: string, value: Attribute | undefined): Condition =>
  value === undefined ? { attribute, is: 'absent' } : { attribute, is: '=', value };

/** For a process that is alone: what it wrote before nobody else has written since. */
export const alone = (table: Table): Hold => {
  let stored: Stored = {};
  const set: Hold['set'] = async (changes) => {
    if (Object.keys(changes).length === 0) return;
    const next = { ...stored, ...changes };
    await table.write({ put: { ...storedKey, ...next } });
    stored = next;
  };
  return {
    take: async (seen, changes) => {
      stored = seen;
      await set(changes);
      return true;
    },
    set,
    mayWrite: () => {},
    release: async () => {},
  };
};

export const shared = (table: Table, { clock, random, lease }: Sharing): Hold => {
  let mine: { holder: string; until: number } | undefined;
  const held = () => {
    if (!mine) throw new PositionBusy('the position is not held');
    return mine;
  };
  const update = async (set: Record<string, Attribute>, remove: string[], when: Condition): Promise<boolean> => {
    try {
      await table.write({ update: storedKey, set, remove, when });
      return true;
    } catch (error) {
      if (error instanceof Refused) return false;
      throw error;
    }
  };
  const whileHeld = async (set: Partial<Stored>, remove: string[] = []) => {
    if (!(await update(set as Record<string, Attribute>, remove, same('holder', held().holder))))
      throw new PositionBusy('somebody else advances the position: this process took too long');
  };
  return {
    take: async ({ n, holder, until = 0 }, set) => {
      const now = clock.now();
      if (holder !== undefined && now < until) return false;
      const next = { holder: random.uuid(), until: now + lease };
      const unchanged: Condition = { all: [same('n', n), same('holder', holder)] };
      const isTaken = await update({ ...set, ...next } as Record<string, Attribute>, [], unchanged);
      mine = isTaken ? next : undefined;
      return isTaken;
    },
    set: whileHeld,
    mayWrite: () => {
      if (clock.now() > held().until - lease / 2)
        throw new PositionBusy('this process took too long to advance the position');
    },
    release: async (set) => {
      await whileHeld(set, ['holder', 'until']);
      mine = undefined;
    },
  };
};
