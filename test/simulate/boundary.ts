/**
 * The boundary of one execution environment. Each call to the outside passes through it, where the
 * environment may crash, freeze or be slow. Calls in flight at a crash never complete.
 */
import { memoize } from '../../machinery/api/memoize.ts';
import { type Clock, sleep } from '../../machinery/ports.ts';
import type { Coverage } from './coverage.ts';
import { dice } from './dice.ts';
import type { Faults } from './faults/index.ts';

export interface Life {
  readonly name: string;
  readonly alive: boolean;
  readonly frozen: boolean;
  /** The environment's own clock, which may be skewed. */
  clock: Clock;
  /** Makes one call of a port; `at` names the call. */
  pass<T>(at: string, run: () => Promise<T>): Promise<T>;
  /** Ends the environment as Lambda does at a timeout. */
  kill(): void;
  onDeath(listen: (at: string) => void): void;
  onFreeze(listen: (ms: number) => void): void;
}

export interface LifeOptions {
  name: string;
  seed: number;
  clock: Clock;
  faults: Faults;
  coverage: Coverage;
  /** Whether the worker may resume hours later. Workers that serve API clients never do. */
  mayLinger: boolean;
}

/** A new promise each time: a shared promise would retain every continuation. */
const never = () => new Promise<never>(() => {});
/**
 * Suffix of calls that serve API clients. A late one could undo what the client has requested
 * since.
 */
export const forPeople = ' for people';
const longestSkew = 2000;
const latest = 24 * 3600_000;
/** How late a frozen worker notices that all other work has ended. */
const look = 10 * 60_000;
/** Upper bound of the usual latency of a port's calls, in milliseconds. */
const usually: Record<string, number> = {
  objects: 8,
  work: 8,
  queue: 15,
  cloud: 300,
  workload: 80,
  workflows: 60,
  identity: 80,
};
const usuallyAt = memoize(1000, (at) => usually[at.slice(0, at.indexOf('.'))] ?? 5);

export const startLife = ({ name, seed, clock, faults, coverage, mayLinger }: LifeOptions): Life => {
  const draw = dice(seed, `life ${name}`);
  // Calls without latency cost little simulation time and leave the ordering to the other calls.
  const pace = draw.between(0.05, 0.6);
  const skew = faults.strikes('clock.skewed') ? Math.round(draw.between(-longestSkew, longestSkew)) : 0;
  let alive = true;
  let frozenUntil = 0;
  let isDelayed = false;
  let died: (at: string) => void = () => {};
  let froze: (ms: number) => void = () => {};

  const isFrozen = () => frozenUntil > clock.now() && !(isDelayed && faults.isOver);
  const wait = () =>
    Math.min(frozenUntil - clock.now(), isDelayed ? look * draw.between(0.1, 1) : Number.POSITIVE_INFINITY);
  const thaw = async () => {
    while (isFrozen()) await sleep(clock, wait());
  };
  // Returns no promise in the common case: an extra microtask would change the order of calls.
  const thawed = (): Promise<void> | undefined => (isFrozen() ? thaw() : undefined);
  const die = (at: string) => {
    if (!alive) return;
    alive = false;
    coverage.crashed(at);
    died(at);
  };
  const disturb = (at: string): Promise<void> | undefined => {
    if (faults.strikes('worker.crashed', at)) {
      die(at);
      return undefined;
    }
    // A concurrent call may draw the other fault; the worker stays late.
    const lingers = mayLinger && faults.strikes('worker.late', at);
    isDelayed ||= lingers;
    if (!lingers && !faults.strikes('worker.frozen', mayLinger ? at : `${at}${forPeople}`)) return undefined;
    const ms = lingers ? latest : Math.round(faults.dice('worker.frozen').spread(1000, 45 * 60_000));
    frozenUntil = Math.max(frozenUntil, clock.now() + ms);
    coverage.frozen(at);
    froze(ms);
    return thawed();
  };
  const takeTime = (at: string): Promise<void> | undefined => {
    if (faults.strikes('worker.slow')) return sleep(clock, faults.dice('worker.slow').spread(500, 20_000));
    return draw.chance(pace) ? sleep(clock, draw.next() * usuallyAt(at)) : undefined;
  };

  return {
    name,
    get alive() {
      return alive;
    },
    get frozen() {
      return isFrozen();
    },
    clock: {
      now: () => clock.now() + skew,
      after: (ms, wake) => {
        let cancel = clock.after(ms, function due() {
          if (!alive) return;
          if (isFrozen()) cancel = clock.after(wait(), due);
          else wake();
        });
        return () => cancel();
      },
    },
    pass: async (at, run) => {
      if (!alive) return never();
      await thawed();
      coverage.crossed(at);
      await disturb(`before ${at}`);
      if (!alive) return never();
      await takeTime(at);
      if (!alive) return never();
      try {
        return await run();
      } finally {
        await thawed();
        if (alive) await disturb(`after ${at}`);
        // A crashed worker never continues.
        if (!alive) await never();
      }
    },
    kill: () => die('its time limit'),
    onDeath: (listen) => {
      died = listen;
    },
    onFreeze: (listen) => {
      froze = listen;
    },
  };
};
