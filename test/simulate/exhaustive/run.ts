/** One phase of a cluster's life with one thing going wrong in it, from the first request until nothing is written any more. */
import { sleep } from '../../../machinery/ports.ts';
import { createClient } from '../clients/client.ts';
import { createHistory } from '../clients/history.ts';
import { createCoverage } from '../coverage.ts';
import { dice } from '../dice.ts';
import { type CloudCall, createInvariants, plant, Violation } from '../invariants/index.ts';
import type { Network, Wish } from '../scenarios/manifest.ts';
import type { Life } from '../scenarios/scene.ts';
import { createSite, type Moment, newClock } from '../site.ts';
import { createStory } from '../story.ts';
import { viewOf } from '../view.ts';
import { unsettled, whetherDone } from '../wanted.ts';
import { canonical, differences } from './canonical.ts';
import { bringNetwork } from './network.ts';
import { type PhaseName, phases, wishOf } from './phases.ts';
import { type PlannedFaults, planFault, type Strike } from './planned.ts';

/** Where a phase begins, and what it comes to when nothing goes wrong. */
export interface Start {
  moment: Moment;
  /** Absent: clusters make their own. */
  network?: Network | undefined;
  planted: ReadonlySet<string>;
  /** All of it that was there before. */
  provided: ReadonlySet<string>;
}

export interface RunOptions {
  seed: number;
  phase: PhaseName;
  start: Start;
  /** Of the cluster that it creates; the smallest when absent. */
  wish?: Wish | undefined;
  /** Absent: nothing goes wrong. */
  strike?: Strike | undefined;
  /** The end of the undisturbed run. */
  expected?: readonly string[] | undefined;
  isKept?: boolean;
}

export interface Played {
  occasions: PlannedFaults['occasions'];
  end: readonly string[];
  /** For those who go on from here. */
  moment?: Moment;
  failure?: string;
  story: string[];
  virtualMinutes: number;
}

const second = 1000;
const minute = 60 * second;
/** A message that is lost is found by a sweep, a change that is lost by a resync; what waits for them takes its time after. */
const bound = 4 * 60 * minute;
/** More than a sweep. */
const quietFor = 12 * minute;
/** More than a resync. */
const longest = 75 * minute;

/** An account in which others live, and somebody may have brought a network. */
export const emptyStart = async (seed: number, isBrought = true): Promise<Start> => {
  const clock = newClock();
  const world = createSite({
    seed,
    clock,
    faults: planFault(seed),
    coverage: createCoverage(),
    story: createStory({ now: () => clock.now() }),
    onCall: () => {},
    isPlain: true,
    isKept: true,
  });
  const planted = await plant(world.account, 'c0');
  const network = isBrought ? await bringNetwork(world.account, clock) : undefined;
  const moment = world.moment();
  world.stop();
  return { moment, network, planted, provided: new Set(world.account.list().map(({ id }) => id)) };
};

export const playPhase = async (options: RunOptions): Promise<Played> => {
  const { seed, phase, start, wish = wishOf(start.network), strike, expected, isKept = false } = options;
  const clock = newClock(start.moment.now);
  const faults = planFault(seed, strike);
  const story = createStory({ now: () => clock.now() });
  let broken: unknown;
  const onCall = (call: CloudCall) => {
    story.tell('cloud', call.action, call.outcome);
    try {
      invariants.onCall(call);
    } catch (error) {
      broken ??= error;
    }
  };
  const from = start.moment;
  const world = createSite({
    seed,
    clock,
    faults,
    coverage: createCoverage(),
    story,
    onCall,
    from,
    isPlain: true,
    isKept,
  });
  const { mirror } = world;
  const { planted, provided } = start;
  const invariants = createInvariants({ world, planted, provided, wanted: () => [], has: () => false });
  const history = createHistory(mirror.everything());
  mirror.onCommit(history.onCommit);
  let last = clock.now();
  mirror.onCommit(({ type, event, namespace, name, position, writer }) => {
    story.tell(event, type, `${namespace}/${name}`, position, writer ?? 'client');
    if (type !== 'events') last = clock.now();
  });
  const view = viewOf(world, provided);
  const life: Life = { name: 'c0', wish, documents: [] };
  const client = createClient(world, dice(seed, 'client'), story, 'user', history);
  const isDone = whetherDone([life], view, mirror);
  const until = async (what: string, isSo: () => boolean, limit: number, every: number) => {
    const deadline = clock.now() + limit;
    while (!isSo()) {
      if (clock.now() > deadline) throw new Violation(what, unsettled(view) || 'not as wanted');
      await sleep(clock, every);
    }
  };
  const settled = () => until('converges', isDone, bound, 15 * second);
  const isQuiet = () => isDone() && clock.now() - last >= quietFor;

  const play = async (): Promise<string[]> => {
    await phases[phase].play({ client, life, settled });
    await settled();
    await until('rests', isQuiet, bound, minute);
    const end = await canonical(world);
    if (!expected || differences(expected, end).length === 0) return end;
    await sleep(clock, longest);
    await until('rests', isQuiet, bound, minute);
    return canonical(world);
  };
  let end: string[] | undefined;
  let failure: unknown;
  play().then(
    async (lines) => {
      try {
        await invariants.atEnd();
      } catch (error) {
        failure = error;
      }
      end = lines;
    },
    (error: unknown) => {
      failure = error;
    },
  );
  await clock.run(() => (end ?? failure ?? broken ?? mirror.broken) !== undefined);
  failure ??= broken ?? mirror.broken ?? (end ? undefined : new Error('nothing is left to happen'));
  if (expected && end && failure === undefined) {
    const other = differences(expected, end);
    if (other.length > 0) failure = new Violation('ends alike', `\n${other.join('\n')}`);
  }
  const moment = isKept && failure === undefined ? world.moment() : undefined;
  world.stop();
  return {
    occasions: faults.occasions,
    end: end ?? [],
    ...(moment && { moment }),
    ...(failure !== undefined && {
      failure: failure instanceof Violation ? failure.message : String((failure as Error).stack),
    }),
    story: story.lines(),
    virtualMinutes: (clock.now() - from.now) / minute,
  };
};
