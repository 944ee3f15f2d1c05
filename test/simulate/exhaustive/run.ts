/** One phase of a cluster's life with one thing going wrong in it, from the first request until nothing is written any more. */
import { sleep } from '../../../machinery/ports.ts';
import { type Client, createClient } from '../clients/client.ts';
import { createHistory } from '../clients/history.ts';
import { unsettled, whetherDone } from '../convergence.ts';
import { createCoverage } from '../coverage.ts';
import { dice } from '../dice.ts';
import { type CloudCall, createInvariants, plant, Violation } from '../invariants/index.ts';
import { type Belongings, belongingsOf } from '../invariants/ownership/resources.ts';
import type { Life } from '../scenarios/context.ts';
import type { Network, Wish } from '../scenarios/manifest.ts';
import { createSite, type Moment, newClock } from '../site.ts';
import { createStory } from '../story.ts';
import { viewOf } from '../view.ts';
import { canonical, differences, standOf } from './canonical.ts';
import { bringNetwork } from './network.ts';
import { type PhaseName, phases, wishOf } from './phases.ts';
import { type PlannedFaults, planFault, type Strike } from './planned.ts';
import { type Sweep, sweeps } from './sweeps.ts';

/** Where a phase begins, and what it comes to when nothing goes wrong. */
export interface Start {
  moment: Moment;
  /** Absent: clusters make their own. */
  network?: Network | undefined;
  /** Everything that was there before. */
  provided: Belongings;
}

/** Somewhere within a phase, when nothing was under way. */
export interface Waypoint {
  moment: Moment;
  /** Steps of the phase that were begun. */
  begun: number;
  wish: Wish | undefined;
}

export interface RunOptions {
  seed: number;
  phase: PhaseName;
  start: Start;
  /** Where it goes on from; its start when absent. */
  from?: Waypoint | undefined;
  /** Of the cluster that it creates; the smallest when absent. */
  wish?: Wish | undefined;
  /** Absent: nothing goes wrong. */
  strike?: Strike | undefined;
  /** The end of the undisturbed run. */
  expected?: readonly string[] | undefined;
  isKept?: boolean;
  /** Ends at the first waypoint after a while, if there is one before everything is as wanted. */
  isPart?: boolean;
  /** Whether a stand is one of the undisturbed run: what comes after it is known. */
  isKnown?: ((stand: string) => boolean) | undefined;
}

export interface Played {
  occasions: PlannedFaults['occasions'];
  /** Where nothing was under way, in order; of parts alone. */
  stands: readonly string[];
  /** Empty where the run came to a stand that is known, or to a waypoint. */
  end: readonly string[];
  waypoint?: Waypoint;
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
/** At least, of a part. */
const part = 2 * second;

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
  await plant(world.account, 'c0');
  const network = isBrought ? await bringNetwork(world.account, clock) : undefined;
  const provided = await belongingsOf(world.account);
  const moment = world.moment();
  world.stop();
  return { moment, network, provided };
};

export const playPhase = async (options: RunOptions): Promise<Played> => {
  const { seed, phase, start, from, strike, expected, isKnown, isKept = false, isPart = false } = options;
  const wish = from ? structuredClone(from.wish) : (options.wish ?? wishOf(start.network));
  const moment = from?.moment ?? start.moment;
  const clock = newClock(moment.now);
  const faults = planFault(seed, strike);
  const story = createStory({ now: () => clock.now() });
  const onCall = (call: CloudCall) => {
    story.tell('cloud', call.action, call.outcome);
    invariants.onCall(call);
  };
  const world = createSite({
    seed,
    clock,
    faults,
    coverage: createCoverage(),
    story,
    onCall,
    from: moment,
    isPlain: true,
    isKept: isKept || isPart || isKnown !== undefined,
  });
  const { mirror } = world;
  const { provided, network } = start;
  const invariants = createInvariants({
    world,
    provided,
    network,
    wanted: () => [],
    // Whoever stood still writes what was so before.
    has: (fault) => fault === 'worker.frozen' && faults.fired[fault] > 0,
  });
  const history = createHistory(clock, mirror.everything());
  mirror.onCommit(history.onCommit);
  let written = clock.now();
  mirror.onCommit(({ type, event, namespace, name, position, writer, object }) => {
    story.tell(event, type, `${namespace}/${name}`, position, writer ?? 'client');
    // What a server that stood still made when its user had deleted everything is his again.
    const isLate = event === 'ADDED' && !writer && !life.wish && !isActing;
    if (isLate && object) client.remove(object.kind, name).catch(mirror.breaks);
    if (type !== 'events') written = clock.now();
  });
  const view = viewOf(world, provided);
  const life: Life = { name: 'c0', wish, documents: [] };
  const client = createClient(world, dice(seed, 'client'), story, 'user', history);
  let isRepeated = false;
  const noting: Client = {
    ...client,
    apply: async (object) => {
      const answer = await client.apply(object);
      isRepeated ||= answer.isRepeated;
      return answer;
    },
  };
  // Where documents came late or twice, what had begun without them was begun again, and what they left out is filled in again.
  const repeated = /(?<=\bc0-create-|"(?:observedG|g)eneration":)\d+\b/g;
  const comparable = (lines: readonly string[]): string[] =>
    isRepeated ? lines.map((line) => line.replaceAll(repeated, '*')) : [...lines];
  const missed = (end: readonly string[]): string[] =>
    expected ? differences(comparable(expected), comparable(end)) : [];
  const isDone = whetherDone([life], view, mirror);
  const until = async (what: string, isSo: () => boolean, limit: number, every: number) => {
    const deadline = clock.now() + limit;
    while (!isSo()) {
      if (clock.now() > deadline) throw new Violation(what, unsettled(view) || 'not as wanted');
      await sleep(clock, every);
    }
  };
  const settled = () => until('converges', isDone, bound, 15 * second);
  const isQuiet = () => isDone() && clock.now() - written >= quietFor;

  const { steps } = phases[phase];
  let begun = from?.begun ?? 0;
  let isActing = false;
  let isEnding = false;
  const play = async (): Promise<string[]> => {
    if (begun > 0) await settled();
    while (begun < steps.length) {
      isActing = true;
      await steps[begun++]!({ client: noting, life });
      isActing = false;
      await settled();
    }
    isEnding = true;
    await until('rests', isQuiet, bound, minute);
    const end = await canonical(world);
    if (missed(end).length === 0) return end;
    await sleep(clock, longest);
    await until('rests', isQuiet, bound, minute);
    return canonical(world);
  };
  const stands: string[] = [];
  let waypoint: Waypoint | undefined;
  let isBack = false;
  const { lasts = 0 }: Partial<Sweep> = strike ? sweeps[strike.sweep] : {};
  /** Looks at what there is whenever nothing is under way. */
  const look = async () => {
    for (let struck: number | undefined; !isEnding; await sleep(clock, second)) {
      if (Object.values(faults.fired).some((times) => times > 0)) struck ??= clock.now();
      if (isActing || !world.isStill) continue;
      if (isPart) {
        const stand = `${begun}\n${standOf(world)}`;
        if (stand !== stands.at(-1)) stands.push(stand);
        if (clock.now() - moment.now < part || isDone()) continue;
        waypoint = { moment: world.moment(), begun, wish: structuredClone(life.wish) };
        return;
      }
      if (struck !== undefined && clock.now() - struck >= lasts && isKnown?.(`${begun}\n${standOf(world)}`)) {
        isBack = true;
        return;
      }
    }
  };
  if (isPart || isKnown) look().catch(mirror.breaks);
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
  await clock.run(() => (end ?? failure ?? mirror.broken ?? waypoint) !== undefined || isBack);
  const isOver = end !== undefined || waypoint !== undefined || isBack;
  failure ??= mirror.broken ?? (isOver ? undefined : new Error('nothing is left to happen'));
  if (end && failure === undefined) {
    const other = missed(end);
    if (other.length > 0) failure = new Violation('ends alike', `\n${other.join('\n')}`);
  }
  const last = isKept && failure === undefined && end ? world.moment() : undefined;
  world.stop();
  return {
    occasions: faults.occasions,
    stands,
    end: end ?? [],
    ...(waypoint && { waypoint }),
    ...(last && { moment: last }),
    ...(failure !== undefined && {
      failure: failure instanceof Violation ? failure.message : String((failure as Error).stack),
    }),
    story: story.lines(),
    virtualMinutes: (clock.now() - moment.now) / minute,
  };
};
