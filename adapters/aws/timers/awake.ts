/**
 * The sleep protocol: mappings of queues poll permanently, so they are enabled only while there is work, and
 * every source of work enables them. Source: docs/adr/0013; test/model/awake.test.ts checks this code.
 */
import { type Attribute, type Clock, type Condition, Refused, type Table } from '../../../machinery/ports.ts';

/** Enables or disables a group as a whole. Both are idempotent, and the last call wins. */
export interface Switch {
  enable(): Promise<void>;
  disable(): Promise<void>;
  /**
   * Corrects members whose state differs. Reads may be stale, so do not use it right after another process's
   * switch.
   */
  keep(enabled: boolean): Promise<void>;
}

export interface AwakeOptions {
  /** The table of work items. */
  table: Table;
  /** Mappings that feed the workers. */
  mappings: Switch;
  /** Schedules of the sweep. */
  schedules: Switch;
  clock: Pick<Clock, 'now'>;
}

export type Wakefulness = 'awake' | 'asleep';

export interface Awake {
  /** Call after work was created. If it throws, redeliver the cause. */
  note(): Promise<void>;
  /**
   * Called by each sweep: sleeps if there is no work, otherwise repairs what is disabled. `isQuiet` gets the
   * time of the last reported work in milliseconds since the epoch.
   */
  settle(isQuiet: (last: number) => Promise<boolean>): Promise<Wakefulness>;
}

/** Rules that each prevent a counterexample. Only the model checker disables them, one at a time. */
export interface AwakeRules {
  /** Sleeps only if no work was reported since the check. */
  unlessNoted: boolean;
  /** Writes *waking* before it enables anything, and *awake* afterwards. */
  wakingFirst: boolean;
  /** After disabling everything, checks whether another process woke the installation meanwhile. */
  lookAgain: boolean;
  /** A sweep in the state awake enables whatever is disabled. */
  repair: boolean;
}
export const awakeRules: AwakeRules = {
  unlessNoted: true,
  wakingFirst: true,
  lookAgain: true,
  repair: true,
};

/** Milliseconds for which a process caches its report; far shorter than the time until sleep. */
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

  /** A new installation is awake, because everything is deployed enabled. */
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

  /** Schedules first: after a crash here the sweep completes the rest. */
  const switchOn = async () => {
    await schedules.enable();
    await mappings.enable();
  };

  const wake = async (now: number) => {
    await write({ state: rules.wakingFirst ? 'waking' : 'awake', last: now });
    await switchOn();
    if (rules.wakingFirst) await write({ state: 'awake' }, same('state', 'waking'));
  };

  /** Schedules last: after a failure before, the sweep runs again. */
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
      // Concurrent callers share one report.
      noting ??= tell().finally(() => {
        noting = undefined;
      });
      await noting;
    },

    settle: async (isQuiet) => {
      const { state, last = Number.NEGATIVE_INFINITY } = await read();
      const now = clock.now();
      const isStale = state === 'asleep' || now - last > wakeful;
      if (isStale && (await isQuiet(last))) {
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
