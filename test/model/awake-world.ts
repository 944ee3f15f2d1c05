/** An installation that dispatchers wake and a sweep puts to sleep; each of their calls is a separate step. */
import { type Awake, type AwakeRules, createAwake, type Switch, wakeful } from '../../adapters/aws/timers/awake.ts';
import { holds } from '../../adapters/memory/condition.ts';
import { written } from '../../adapters/memory/partitions.ts';
import { type Item, Refused, type Table } from '../../machinery/ports.ts';
import { type Step, Violation, type World } from './explore.ts';

export interface Scenario {
  /** How many changes need work. */
  changes: number;
  /** How often the schedule may fire while it is enabled. */
  sweeps: number;
  /** The number of functions that dispatch concurrently. */
  dispatchers?: number;
  /** Crashes of dispatchers; the change is delivered again. */
  dispatcherCrashes?: number;
  /** Crashes of sweeps; Lambda invokes a failed sweep again, unless `isSweepLost`. */
  sweepCrashes?: number;
  isSweepLost?: boolean;
  begins: 'awake' | 'asleep' | 'deployed over while asleep';
}

interface Process {
  id: number;
  kind: 'dispatcher' | 'sweeper';
  /** The function instance of a dispatcher. */
  slot?: number;
  pending?: { label: string; take: () => void };
  history: string;
  /** Nothing else happened since it began, and every process had been idle for long. */
  isUndisturbed: boolean;
}

type Change = Exclude<Parameters<Table['write']>[0], { put: Item }>;

export const awakeWorld = (scenario: Scenario, rules: Partial<AwakeRules> = {}): World => {
  const { dispatchers = 1, dispatcherCrashes = 0, sweepCrashes = 0, isSweepLost = false } = scenario;
  const budget = { changes: scenario.changes, sweeps: scenario.sweeps, dispatcherCrashes, sweepCrashes };
  const isOn = scenario.begins !== 'asleep';
  const on = { mappings: isOn, schedules: isOn };
  let item: Item | undefined =
    scenario.begins === 'awake' ? undefined : { pk: 'awake', sk: 'installation', state: 'asleep', last: 0 };
  let time = 10 * wakeful;
  let isWork = false;
  let processes: Process[] = [];
  let spawned = 0;
  let violation: string | undefined;

  const gate = <T>(process: Process, label: string, effect: () => T): Promise<T> =>
    new Promise((resolve, reject) => {
      const take = () => {
        delete process.pending;
        for (const other of processes) if (other !== process) other.isUndisturbed = false;
        try {
          const value = effect();
          process.history += `|${label} ${JSON.stringify(value)}`;
          resolve(value);
        } catch (error) {
          process.history += `|${label} refused`;
          reject(error);
        }
      };
      process.pending = { label: `${process.kind} ${process.id} ${label}`, take };
    });

  const switchOf = (process: () => Process, what: keyof typeof on): Switch => {
    const turn = (to: boolean) => () =>
      gate(process(), `switches ${what} ${to ? 'on' : 'off'}`, () => {
        on[what] = to;
      });
    return { enable: turn(true), disable: turn(false), keep: (enabled) => turn(enabled)() };
  };

  const awakeOf = (process: () => Process) =>
    createAwake(
      {
        table: {
          get: () => gate(process(), 'reads', () => item && structuredClone(item)),
          query: () => Promise.reject(new Error('the protocol needs one item')),
          transact: () => Promise.reject(new Error('the protocol needs no transactions')),
          write: (write) =>
            gate(process(), `writes ${JSON.stringify((write as { set?: unknown }).set)}`, () => {
              if (write.when && !holds(write.when, item)) throw new Refused(item);
              item = written(write as Change, item);
              return item && structuredClone(item);
            }),
        },
        mappings: switchOf(process, 'mappings'),
        schedules: switchOf(process, 'schedules'),
        clock: { now: () => time },
      },
      rules,
    );

  const spawn = (kind: Process['kind'], more: Partial<Process> = {}): Process => {
    const isUndisturbed = processes.length === 0;
    for (const other of processes) other.isUndisturbed = false;
    const process: Process = { id: spawned++, kind, history: '', isUndisturbed, ...more };
    processes.push(process);
    return process;
  };
  const end = (process: Process) => {
    processes = processes.filter((other) => other !== process);
  };

  /** The function instances outlive an invocation with their memory. */
  interface Instance {
    awake: Awake;
    process?: Process;
    /** When the last invocation ended. */
    ended?: number;
  }
  const instances: Instance[] = [];
  const instanceOf = (slot: number): Instance => {
    instances[slot] ??= { awake: awakeOf(() => instances[slot]!.process!) };
    return instances[slot];
  };

  const dispatch = (slot: number) => {
    const process = spawn('dispatcher', { slot });
    const instance = instanceOf(slot);
    instance.process = process;
    void gate(process, 'makes work', () => {
      isWork = true;
    })
      .then(() => instance.awake.note())
      .then(() => {
        instance.ended = time;
        end(process);
      });
  };

  const checkAfter = (process: Process) => {
    if (!process.isUndisturbed) return;
    if (isWork && !(on.mappings && on.schedules)) violation ??= 'a sweep left work to nobody';
    if (!isWork && (on.mappings || on.schedules)) violation ??= 'a sweep left something on for nothing';
  };

  const sweep = () => {
    // Long after everything else, or while other processes run.
    if (processes.length === 0) time += wakeful + 1;
    const process = spawn('sweeper');
    const isQuiet = () => gate(process, 'looks for work', () => !isWork);
    void awakeOf(() => process)
      .settle(isQuiet)
      .then(() => {
        checkAfter(process);
        end(process);
      });
  };

  const crash = (process: Process) => {
    end(process);
    if (process.kind === 'sweeper') {
      budget.sweepCrashes--;
      if (!isSweepLost) sweep();
      return;
    }
    budget.dispatcherCrashes--;
    delete instances[process.slot!];
    dispatch(process.slot!);
  };

  const maybe = (may: boolean, label: string, take: () => void): Step[] => (may ? [{ label, take }] : []);
  const mayCrash = ({ kind }: Process) => (kind === 'sweeper' ? budget.sweepCrashes : budget.dispatcherCrashes) > 0;

  const isSweeping = () => processes.some(({ kind }) => kind === 'sweeper');

  const steps = (): Step[] => [
    ...processes.flatMap((p) => (p.pending ? [{ label: p.pending.label, take: p.pending.take }] : [])),
    ...processes.flatMap((p) => maybe(mayCrash(p), `crash ${p.kind} ${p.id}`, () => crash(p))),
    ...maybe(isWork && on.mappings, 'the work is done', () => {
      for (const process of processes) process.isUndisturbed = false;
      isWork = false;
    }),
    ...Array.from({ length: dispatchers }, (_, slot) => slot).flatMap((slot) =>
      maybe(budget.changes > 0 && !processes.some((p) => p.slot === slot), `change to dispatcher ${slot}`, () => {
        budget.changes--;
        dispatch(slot);
      }),
    ),
    // A sweep's time limit is shorter than the interval of its schedule.
    ...maybe(on.schedules && budget.sweeps > 0 && !isSweeping(), 'the schedule fires', () => {
      budget.sweeps--;
      sweep();
    }),
  ];

  return {
    steps,
    fingerprint: () =>
      JSON.stringify([
        time,
        item,
        on,
        isWork,
        budget,
        processes.map(({ kind, slot, history, isUndisturbed }) => [kind, slot, history, isUndisturbed]),
        instances.map((one) => one?.ended),
      ]),
    check: () => {
      if (violation) throw new Violation(violation);
      const isIdle = processes.length === 0;
      // While the schedules are enabled, the next sweep does the rest.
      if (isIdle && isWork && !on.schedules) throw new Violation('there is work and nothing fires');
    },
    checkEnd: async () => {},
  };
};
