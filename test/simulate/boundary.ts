/**
 * One execution environment: everything it does outside of itself passes here, and there it may die, stand still, or be
 * slow. What it had in hand when it died never happens.
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
  /** Its own, which may go wrong. */
  clock: Clock;
  /** One call of a door; `at` names it. */
  pass<T>(at: string, run: () => Promise<T>): Promise<T>;
  /** What it says or does without waiting for an answer. */
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
  /** Whether it may go on hours later: nobody does who answers people. */
  mayLinger: boolean;
}

/** A new one each time: what waits for one that lasts would be kept as long. */
const never = () => new Promise<never>(() => {});
/** What a worker that answers people does is theirs: done late, it may undo what they have asked for since. */
export const forPeople = ' for people';
const longestSkew = 2000;
const latest = 24 * 3600_000;
/** How late a worker notices that everybody else is done. */
const look = 10 * 60_000;
/** Milliseconds that calls of a door usually take, at most. */
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
  // Calls that take no time at all are cheap, and leave the order of things to the others.
  const pace = draw.between(0.05, 0.6);
  const skew = faults.strikes('clock.skewed') ? Math.round(draw.between(-longestSkew, longestSkew)) : 0;
  let alive = true;
  let frozenUntil = 0;
  let isLate = false;
  let died: (at: string) => void = () => {};
  let froze: (ms: number) => void = () => {};

  const isFrozen = () => frozenUntil > clock.now() && !(isLate && faults.isOver);
  const wait = () =>
    Math.min(frozenUntil - clock.now(), isLate ? look * draw.between(0.1, 1) : Number.POSITIVE_INFINITY);
  const thaw = async () => {
    while (isFrozen()) await sleep(clock, wait());
  };
  // Of what usually takes no time no promise is made.
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
    // What it asks for at the same time may meet the other fault: it stays late.
    const lingers = mayLinger && faults.strikes('worker.late', at);
    isLate ||= lingers;
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
        // The rest of a dead worker waits here for ever.
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
