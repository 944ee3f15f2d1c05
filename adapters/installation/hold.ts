/**
 * The right to write the mark. A parameter has no conditional write, so concurrent writers could set it back.
 * One process at a time holds the position item, and no process writes after its hold has expired.
 */
import { type Attribute, type Clock, type Condition, type Random, Refused, type Table } from '../../machinery/ports.ts';

/** The position item beside the objects. */
export interface Stored {
  n?: number;
  /** Every region in which Capstan has acted. Kept here too, because reads of a parameter may be stale. */
  regions?: string[];
  /** Start of the last completed advance. */
  at?: number;
  holder?: string;
  until?: number;
}

/** For an installation with several processes. Milliseconds. */
export interface Sharing {
  clock: Clock;
  random: Pick<Random, 'uuid'>;
  /** An act this soon after an advance needs no advance of its own. */
  quantum: number;
  /** Longer than a write of the mark can take to complete or fail for good. */
  lease: number;
}

export interface Hold {
  /** False if another process has it or was faster. */
  take(seen: Stored, set: Partial<Stored>): Promise<boolean>;
  /** Requires the hold. */
  set(set: Partial<Stored>): Promise<void>;
  /** Throws if the hold is so close to its expiry that a write might arrive too late. */
  mayWrite(): void;
  release(set: Partial<Stored>): Promise<void>;
}

export const storedKey = { pk: 'position', sk: 'installation' };

/** Retried: another process is advancing, or died while it did. */
export class PositionBusy extends Error {
  override readonly name = 'PositionBusy';
  readonly code = 'PositionBusy';
  readonly consequence = 'retry';
}

const same = (attribute: string, value: Attribute | undefined): Condition =>
  value === undefined ? { attribute, is: 'absent' } : { attribute, is: '=', value };

/** For a single process, whose writes never conflict. */
export const singleProcessHold = (table: Table): Hold => {
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
      throw new PositionBusy('another process is advancing the position: this process took too long');
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
