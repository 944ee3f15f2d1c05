/**
 * Whether anything polls and fires. Every mapping of a queue asks it all the time, so that while there is nothing to look
 * after all of that is off; whoever makes work switches it on. Source: docs/adr/0013; test/model/awake checks this code.
 */
import { type Attribute, type Clock, type Condition, Refused, type Table } from '../../../machinery/ports.ts';

/** Something that is on or off as a whole. Both may be repeated, in any order; the last one counts. */
export interface Switch {
  enable(): Promise<void>;
  disable(): Promise<void>;
  /** Switches what is seen to be otherwise. It may be seen late: not for who follows somebody else's switch at once. */
  keep(enabled: boolean): Promise<void>;
}

export interface AwakeOptions {
  /** That of the work items. */
  table: Table;
  /** What brings messages to workers. */
  mappings: Switch;
  /** What fires the sweep. */
  schedules: Switch;
  clock: Pick<Clock, 'now'>;
}

export type Wakefulness = 'awake' | 'asleep';

export interface Awake {
  /** After work was made; an error means: deliver its cause again. */
  note(): Promise<void>;
  /**
   * In each sweep: sleeps when nothing is to be done, and else sees to it that everything is on. `isQuiet` is asked with the
   * time, in milliseconds since the epoch, at which work was noted last.
   */
  settle(isQuiet: (last: number) => Promise<boolean>): Promise<Wakefulness>;
}

/** The rules that a counterexample stands behind. The model checker turns one off at a time; nothing else may. */
export interface AwakeRules {
  /** One falls asleep only if nobody has noted work since one looked. */
  unlessNoted: boolean;
  /** Waking is said before anything is switched on, and only then called awake. */
  wakingFirst: boolean;
  /** Who switched everything off looks whether somebody woke meanwhile. */
  lookAgain: boolean;
  /** A sweep that finds itself awake switches on what is off. */
  repair: boolean;
}
export const awakeRules: AwakeRules = {
  unlessNoted: true,
  wakingFirst: true,
  lookAgain: true,
  repair: true,
};

/** Milliseconds. What one process noted is believed far shorter than what keeps everybody awake. */
const believed = 60_000;
export const wakeful = 600_000;

const key = { pk: 'awake', sk: 'installation' };

interface Seen {
  state: 'awake' | 'waking' | 'asleep';
  last?: number;
}

const same = (attribute: string, value: Attribute | undefined): Condition =>
  value === undefined ? { attribute, is: 'absent' } : { attribute, is: '=', value };
const awake: Condition = { any: [same('state', undefined), same('state', 'awake')] };

export const createAwake = (options: AwakeOptions, overrides: Partial<AwakeRules> = {}): Awake => {
  const { table, mappings, schedules, clock } = options;
  const rules = { ...awakeRules, ...overrides };
  let noted = Number.NEGATIVE_INFINITY;
  let noting: Promise<void> | undefined;

  /** A new installation is awake: all of it is deployed switched on. */
  const read = async (): Promise<Seen> => {
    const { state = 'awake', last } = ((await table.get(key, { consistent: true })) ?? {}) as Partial<Seen>;
    return { state, ...(last !== undefined && { last }) };
  };
  const write = async (set: Record<string, Attribute>, when?: Condition): Promise<boolean> => {
    try {
      await table.write({ update: key, set, ...(when && { when }) });
      return true;
    } catch (error) {
      if (error instanceof Refused) return false;
      throw error;
    }
  };

  /** The schedules first: should it end here, the sweep does the rest. */
  const switchOn = async () => {
    await schedules.enable();
    await mappings.enable();
  };

  const wake = async (now: number) => {
    await write({ state: rules.wakingFirst ? 'waking' : 'awake', last: now });
    await switchOn();
    if (rules.wakingFirst) await write({ state: 'awake' }, same('state', 'waking'));
  };

  /** The schedules last: should this fail every time before, the sweep fires again. */
  const fallAsleep = async (): Promise<Wakefulness> => {
    await mappings.disable();
    await schedules.disable();
    if (!rules.lookAgain || (await read()).state === 'asleep') return 'asleep';
    await switchOn();
    return 'awake';
  };

  const tell = async () => {
    const now = clock.now();
    if (!(await write({ last: now }, awake))) await wake(now);
    noted = now;
  };

  return {
    note: async () => {
      if (clock.now() - noted < believed) return;
      // One that is under way is as good as one that is believed.
      noting ??= tell().finally(() => {
        noting = undefined;
      });
      await noting;
    },

    settle: async (isQuiet) => {
      const { state, last = Number.NEGATIVE_INFINITY } = await read();
      const now = clock.now();
      const isLate = state === 'asleep' || now - last > wakeful;
      if (isLate && (await isQuiet(last))) {
        if (state === 'asleep') return fallAsleep();
        const unchanged: Condition = {
          all: [
            state === 'awake' ? awake : same('state', state),
            same('last', Number.isFinite(last) ? last : undefined),
          ],
        };
        if (await write({ state: 'asleep' }, rules.unlessNoted ? unchanged : undefined)) return fallAsleep();
        return 'awake';
      }
      if (state === 'asleep') await wake(now);
      else if (rules.repair) {
        await schedules.keep(true);
        await mappings.keep(true);
      }
      return 'awake';
    },
  };
};
