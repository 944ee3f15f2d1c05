/**
 * Runs one phase of a cluster's life with one fault, from the first request until nothing is
 * written.
 */
import { sleep } from '../../../machinery/ports.ts';
import { type Client, createClient } from '../clients/client.ts';
import { createHistory } from '../clients/history.ts';
import { unsettled, whetherDone } from '../convergence.ts';
import { createCoverage } from '../coverage.ts';
import { dice } from '../dice.ts';
import { type CloudCall, createInvariants, plant, Violation } from '../invariants/index.ts';
import { type Belongings, belongingsOf } from '../invariants/ownership/resources.ts';
import type { Life } from '../scenarios/context.ts';
import type { DesiredCluster, Network } from '../scenarios/manifest.ts';
import { createSite, type Moment, newClock } from '../site.ts';
import { trackStaleResources } from '../stale-resources.ts';
import { createStory } from '../story.ts';
import { viewOf } from '../view.ts';
import { canonical, differences, standOf } from './canonical.ts';
import { bringNetwork } from './network.ts';
import { desiredClusterIn, type PhaseName, phases } from './phases.ts';
import { type PlannedFaults, planFault, type Strike } from './planned.ts';
import { type Sweep, sweeps } from './sweeps.ts';

/** The state in which a phase begins, and the end of its undisturbed run. */
export interface Start {
  moment: Moment;
  /** Absent when clusters create their own network. */
  network?: Network | undefined;
  /** The resources that existed before. */
  provided: Belongings;
}

/** A point within a phase at which the world was idle. */
export interface Waypoint {
  moment: Moment;
  /** The number of steps begun so far. */
  begun: number;
  desired: DesiredCluster | undefined;
}

export interface RunOptions {
  seed: number;
  phase: PhaseName;
  start: Start;
  /** Where the run continues; from its start when absent. */
  from?: Waypoint | undefined;
  /** The cluster to create; the smallest when absent. */
  desired?: DesiredCluster | undefined;
  /** Absent for an undisturbed run. */
  strike?: Strike | undefined;
  /** The end of the undisturbed run. */
  expected?: readonly string[] | undefined;
  isKept?: boolean;
  /**
   * Ends at the first waypoint after a minimum time, if one comes before the state matches the
   * desired one.
   */
  isPart?: boolean;
  /** Whether the undisturbed run passed this state. The rest of the run is then known. */
  isKnown?: ((stand: string) => boolean) | undefined;
}

export interface Played {
  occasions: PlannedFaults['occasions'];
  /** The idle states in order; only for parts. */
  stands: readonly string[];
  /** Empty when the run ended at a known state or a waypoint. */
  end: readonly string[];
  waypoint?: Waypoint;
  /** The starting point for a run that continues from here. */
  moment?: Moment;
  failure?: string;
  story: string[];
  virtualMinutes: number;
}

const second = 1000;
const minute = 60 * second;
/** The sweep recovers a lost message and the resync a lost change. The dependent work follows. */
const bound = 4 * 60 * minute;
/** Longer than the sweep interval. */
const quietFor = 12 * minute;
/** Longer than the resync interval. */
const longest = 75 * minute;
/** The minimum duration of a part. */
const part = 2 * second;

/** An account with unmanaged resources and, on request, an unmanaged network. */
export const emptyStart = async (seed: number, isUnmanaged = true): Promise<Start> => {
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
  const network = isUnmanaged ? await bringNetwork(world.account, clock) : undefined;
  const provided = await belongingsOf(world.account);
  const moment = world.moment();
  world.stop();
  return { moment, network, provided };
};

export const playPhase = async (options: RunOptions): Promise<Played> => {
  const { seed, phase, start, from, strike, expected, isKnown, isKept = false, isPart = false } = options;
  const desired = from ? structuredClone(from.desired) : (options.desired ?? desiredClusterIn(start.network));
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
  const staleResources = trackStaleResources(world);
  const invariants = createInvariants({
    world,
    provided,
    network,
    wanted: () => [],
    staleResources,
    // A frozen worker writes outdated state.
    has: (fault) => fault === 'worker.frozen' && faults.fired[fault] > 0,
  });
  const history = createHistory(clock, mirror.everything());
  mirror.onCommit(history.onCommit);
  let written = clock.now();
  mirror.onCommit(({ type, event, namespace, name, position, writer, object }) => {
    story.tell(event, type, `${namespace}/${name}`, position, writer ?? 'client');
    // The user deletes an object that a frozen server created after the user had deleted
    // everything.
    const isStale = event === 'ADDED' && !writer && !life.desired && !isActing;
    if (isStale && object) client.remove(object.kind, name).catch(mirror.breaks);
    if (type !== 'events') written = clock.now();
  });
  const view = viewOf(world, provided, staleResources.has);
  const life: Life = { name: 'c0', desired, documents: [] };
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
  // A document that arrived late or twice starts another operation and another defaulting, so mask
  // their numbers.
  const repeated = /(?<=\bc0-create-|"(?:observedG|g)eneration":)\d+\b/g;
  const comparable = (lines: readonly string[]): string[] =>
    isRepeated ? lines.map((line) => line.replaceAll(repeated, '*')) : [...lines];
  const missing = (end: readonly string[]): string[] =>
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
    const end = await canonical(world, staleResources);
    if (missing(end).length === 0) return end;
    await sleep(clock, longest);
    await until('rests', isQuiet, bound, minute);
    return canonical(world, staleResources);
  };
  const stands: string[] = [];
  let waypoint: Waypoint | undefined;
  let isBack = false;
  const { lasts = 0 }: Partial<Sweep> = strike ? sweeps[strike.sweep] : {};
  /** Compares the state each time the world is idle. */
  const look = async () => {
    for (let struck: number | undefined; !isEnding; await sleep(clock, second)) {
      if (Object.values(faults.fired).some((times) => times > 0)) struck ??= clock.now();
      if (isActing || !world.isStill) continue;
      if (isPart) {
        const stand = `${begun}\n${standOf(world)}`;
        if (stand !== stands.at(-1)) stands.push(stand);
        if (clock.now() - moment.now < part || isDone()) continue;
        waypoint = { moment: world.moment(), begun, desired: structuredClone(life.desired) };
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
  failure ??= mirror.broken ?? (isOver ? undefined : new Error('no event is pending'));
  if (end && failure === undefined) {
    const other = missing(end);
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
