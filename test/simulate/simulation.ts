/** One run: everything that one seed decides, from the first request to the day after. */
import { kinds } from '../../kinds/index.ts';
import type { Secret } from '../../kinds/kubernetes/secret/index.ts';
import type { KubeObject } from '../../machinery/api/object.ts';
import { sleep } from '../../machinery/ports.ts';
import { beginningOf } from './beginnings.ts';
import { createClient } from './clients/client.ts';
import { createHistory } from './clients/history.ts';
import { startInformer } from './clients/informer.ts';
import { orphansOf, unsettled, whetherDone } from './convergence.ts';
import { type CoverageCounts, createCoverage } from './coverage.ts';
import { dice } from './dice.ts';
import { createFaults, type FaultName, passing } from './faults/index.ts';
import type { Listening } from './heard/listen.ts';
import { type CloudCall, createInvariants, Violation } from './invariants/index.ts';
import { createTooLate } from './late-resources.ts';
import type { Mirror } from './mirror.ts';
import type { ActionName } from './scenarios/actions.ts';
import type { Life } from './scenarios/context.ts';
import { beginnings, clustersOf, live, type ScenarioName, scenarioOf, shares } from './scenarios/life.ts';
import { lookAfter } from './scenarios/recovery.ts';
import { operationOf, stateOf } from './scenarios/states.ts';
import { createSite, newClock, type World } from './site.ts';
import { createStory } from './story.ts';
import { viewOf } from './view.ts';

export interface RunOptions {
  seed: number;
  only?: readonly FaultName[] | undefined;
  /** Instead of as many as the seed says. */
  clusters?: number | undefined;
  /** Things done to each cluster after it was created. */
  steps?: number | undefined;
  scenario?: ScenarioName | undefined;
  /** Of a glimpse: what is done, instead of what the seed says. */
  action?: ActionName | undefined;
  /** Ends after so many virtual minutes, whatever is under way. */
  minutes?: number | undefined;
  print?: ((line: string) => void) | undefined;
  /** Somebody who listens to what controllers go by. */
  listen?: ((world: World) => Listening) | undefined;
}

export interface Outcome {
  seed: number;
  /** What to ask for to have it again. */
  options: Omit<RunOptions, 'print' | 'listen'>;
  /** Of everything that happened. */
  hash: string;
  failure?: { invariant: string; message: string };
  /** The last of what happened. */
  story: string[];
  events: number;
  virtualHours: number;
  /** Processor time. */
  cpuSeconds: number;
  fired: Record<FaultName, number>;
  coverage: CoverageCounts;
}

const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);
const minute = 60_000;
const hour = 60 * minute;
/** After the last fault: a sweep of the account, a task that is begun again, people who look twice, a cluster to create. */
const bound = 4 * hour;

/**
 * Minutes in which what is asked for comes about when nobody is held up: after several things, of which one may have been refused
 * by the account for long, after the longest wait between two tries besides.
 */
const promptly: Record<ScenarioName, number> = {
  glimpse: 12,
  life: 27,
  interference: 27,
  transitions: 27,
  objects: 27,
};

/** A pass that cannot read or write waits two minutes for its message: of so many refusals one that matters. */
const redelivered = 30;
/** A pass that cannot see the mark fails as often as it did before, and one more: of so many one that waits for minutes. */
const backsOff = 10;
/** Who is not told how a cluster is asks again a minute later, or in five: of so many that are lost each costs a minute. */
const asksAgain = 5;
const refusing: readonly FaultName[] = [
  'table.throttled',
  'table.unknown',
  'table.hot',
  'keys.throttled',
  'queue.failed',
  'queue.unanswered',
  'switch.failed',
  'switch.lost',
];

/** At most, in an hour in which nothing happens: what sweeps and resyncs of one cluster need, more than twice over. */
const restful = { calls: 40, doors: 2000 };
/**
 * Of an installation that is empty: in the hour in which it falls asleep it asks each region once more whether it holds anything, and
 * each quarter of an hour while it cannot, because the deletion of its last cluster was given up.
 */
const sleepless = 150;

/** Of Secrets, whose values are keys for the most part, what they have. */
const shown = (object: KubeObject | undefined): unknown => {
  if (object?.kind !== 'Secret') return object ?? '';
  return { ...object, data: Object.keys((object as Secret).data ?? {}) };
};

/** Of what hands keys to machines all but these. */
const askedFor = ({ input }: CloudCall): unknown => {
  const { SecretBinary: _, Value: __, ...told } = input as { SecretBinary?: string; Value?: string };
  return told;
};

/** Whether people wrote it. */
const isApplied = ({ annotations = {} }: KubeObject['metadata']): boolean =>
  'kubectl.kubernetes.io/last-applied-configuration' in annotations;

/** Kinds of which a client follows every change. */
const watched = kinds.filter(({ kind }) => kind === 'Machine' || kind === 'Cluster');

/** In what a client that follows a kind knows something else than there is; undefined when it knows everything. */
const missedOf = (kind: string, known: ReadonlyMap<string, KubeObject>, mirror: Mirror): string | undefined => {
  const versions = (objects: Iterable<KubeObject>) =>
    [...objects]
      .map(({ metadata }) => `${metadata.name} ${metadata.resourceVersion}`)
      .sort()
      .join(', ');
  const [seen, is] = [versions(known.values()), versions(mirror.all(kind))];
  return seen === is ? undefined : `of ${kind} a client knows ${seen || 'nothing'}, and there is ${is || 'nothing'}`;
};

const failureOf = (thrown: unknown): { invariant: string; message: string } => ({
  invariant: thrown instanceof Violation ? thrown.invariant : 'error',
  message: thrown instanceof Violation ? thrown.message : String((thrown as Error).stack ?? thrown),
});

/** Undefined when there may be any. */
const faultsOf = (seed: number, scenario: ScenarioName): readonly FaultName[] | undefined => {
  const share = shares[scenario];
  const at = dice(seed, 'quiet').next();
  if (at < share.quiet) return [];
  return at < share.quiet + share.passing ? passing : undefined;
};

export const simulate = async (options: RunOptions): Promise<Outcome> => {
  const { seed, steps, action, minutes, print } = options;
  const scenario = scenarioOf(seed, options);
  // Of objects that make nothing there is nothing to have twice.
  const clusters = scenario === 'objects' ? 1 : (options.clusters ?? clustersOf(seed, scenario));
  const draw = dice(seed, 'script');
  const only = options.only ?? faultsOf(seed, scenario);
  const beginning = await beginningOf(draw.pick(beginnings[scenario]));
  const spent = process.cpuUsage();
  const began = beginning.moment.now;
  const clock = newClock(began);
  const story = createStory({ now: () => clock.now(), print });
  const coverage = createCoverage();
  const faults = createFaults({ seed, only, onStrike: (name) => story.tell('fault', name) });
  const onCall = (call: CloudCall) => {
    story.tell('cloud', call.action, call.outcome, askedFor(call));
    invariants.onCall(call);
  };
  const world = createSite({
    seed,
    clock,
    faults,
    coverage,
    story,
    onCall,
    ...(options.listen && { onPass: (pass) => listening?.onPass(pass) }),
    from: beginning.moment,
  });
  const { mirror } = world;
  const listening = options.listen?.(world);
  if (listening) mirror.onCommit(listening.onCommit);
  mirror.onCommit(({ type, event, namespace, name, position, writer, object }) =>
    story.tell(event, type, `${namespace}/${name}`, position, writer ?? 'client', shown(object)),
  );
  const { provided, network } = beginning;
  const tooLate = createTooLate(world);
  const view = viewOf(world, provided, tooLate.has);
  const invariants = createInvariants({
    world,
    provided,
    network,
    // Of those who try out fields it is known to the objects alone.
    wanted: () => (scenario === 'transitions' ? [] : lives.flatMap(({ wish }) => wish ?? [])),
    isRuined: () => lives.some((life) => life.isRuined),
    has: (name) => faults.fired[name as FaultName] > 0,
    tooLate,
  });
  const history = createHistory(clock, mirror.everything());
  mirror.onCommit(history.onCommit);
  const client = createClient(world, dice(seed, 'client'), story, 'user', history);
  let isIdle = false;
  const informers = (draw.chance(0.4) ? watched : []).map((kind) =>
    startInformer(world, kind, dice(seed, `informer ${kind.kind}`), history, {
      isCalm: () => faults.isCalm,
      isIdle: () => isIdle,
    }),
  );
  const lives: Life[] = [];

  const isDone = whetherDone(lives, view, mirror);
  const settled = async (minutes: number) => {
    const until = clock.now() + minutes * minute;
    while (clock.now() < until && !isDone()) await sleep(clock, 15_000);
  };
  const interfered = (cluster: string, action: string) => {
    story.tell('user', action);
    coverage.interfered(stateOf(mirror, cluster), action);
  };

  const isOperating = () => lives.some(({ name }) => operationOf(mirror, name));

  const expectDone = () => {
    if (!isDone())
      throw new Violation('converges', `${orphansOf(mirror).join(', ')}${unsettled(view)}` || 'not as wanted');
  };
  const made = new Set<string>();
  for (const { metadata } of mirror.everything()) if (isApplied(metadata)) made.add(metadata.uid!);
  mirror.onCommit(({ event, object, writer }) => {
    if (event === 'ADDED' && !writer && object) made.add(object.metadata.uid!);
  });
  const look = (round: number) => lookAfter({ lives, client, world, made, round, onAction: interfered });
  const finish = async () => {
    let asked = clock.now();
    // Most of it comes about while things go wrong.
    if (draw.chance(0.7)) await settled(draw.whole(5, 60));
    faults.calm();
    world.account.faults.clear();
    story.tell('calm');
    const until = clock.now() + bound;
    for (let round = 0; !isDone() && clock.now() < until; round++) {
      for (let waited = 0; waited < hour && !isDone(); waited += minute) await sleep(clock, minute);
      if (!isDone() && (await look(round))) asked = clock.now();
    }
    expectDone();
    const taken = Math.round((clock.now() - asked) / minute);
    story.tell('done', `after ${taken} minutes`);
    // Nobody has to wait for a sweep that finds what got lost, and what failed is tried again within seconds.
    const { fired } = faults;
    const refused = sum(refusing.map((name) => fired[name]));
    const isExcused = world.isHeldUp || (world.hasLostTokens && scenario !== 'glimpse');
    const failed = (fired['marker.failed'] + fired['marker.lost']) / backsOff;
    const longest = promptly[scenario] + refused / redelivered + failed + fired['workload.lost'] / asksAgain;
    if (!isExcused && taken > longest)
      throw new Violation('promptly', `${taken} minutes after the last request, although nobody was held up`);
    // Whoever stood still until now goes on as if nothing had been, and nothing comes of it but what people had asked for.
    faults.end();
    if (faults.fired['worker.late'] > 0) await sleep(clock, 15 * minute);
    for (let waited = 0; !world.isStill && waited < hour; waited += minute) await sleep(clock, minute);
    await settled(3 * 60);
    if (!isDone()) await look(0);
    await settled(60);
    expectDone();
    // A task whose token was lost is begun again within the hour.
    const lastVerdict = clock.now() + 2 * hour;
    while (isOperating() && clock.now() < lastVerdict) await sleep(clock, minute);
    isIdle = true;
    // What was done in the account by hand, or said by an event that got lost, is seen by the next sweep of it, and is then over
    // within minutes.
    await sleep(clock, (world.hasForgotten ? 25 * hour : hour) + 15 * minute);
    const changes: string[] = [];
    mirror.onCommit(({ type, name, event }) => {
      if (type !== 'events') changes.push(`${event} ${type} ${name}`);
    });
    await invariants.atEnd();
    await listening?.atRest();
    const counted = () => {
      const calls = world.account.calls();
      return {
        mutating: sum(calls.map((one) => (one.mutating ? one.calls : 0))),
        calls: sum(calls.map((one) => one.calls)),
        doors: sum(Object.values(coverage.counts().crossed)),
      };
    };
    const before = counted();
    const wasAwake = world.awake;
    // In more than a day each object is looked at once.
    const hours = draw.chance(0.05) ? 27 : 1;
    await sleep(clock, hours * hour);
    const after = counted();
    if (changes.length > 0) throw new Violation('rests', changes.slice(0, 5).join(', '));
    if (after.mutating > before.mutating)
      throw new Violation('rests', `${after.mutating - before.mutating} mutating calls`);
    const [calls, doors] = [(after.calls - before.calls) / hours, (after.doors - before.doors) / hours];
    const isSleepless = (wasAwake && !world.awake) || world.hasForgotten;
    const most = isSleepless && mirror.all('AWSCluster').length === 0 ? sleepless : restful.calls * clusters;
    if (calls > most || doors > restful.doors * clusters)
      throw new Violation('rests', `${calls} calls of the account and ${doors} of all doors an hour`);
    if (!world.isHeldUp) await lookedAgain(counted, changes);
    await everybodyKnows();
  };

  /** Where everybody was told of everything, who looks without a reason finds nothing to do. */
  const lookedAgain = async (counted: () => { mutating: number }, changes: readonly string[]) => {
    const before = counted();
    await world.lookAtEverything();
    await sleep(clock, 20 * minute);
    const mutating = counted().mutating - before.mutating;
    if (changes.length > 0 || mutating > 0)
      throw new Violation('unasked', `${mutating} mutating calls, ${changes.slice(0, 5).join(', ')}`);
  };

  /** Whoever was away while nothing happened comes back, and learns of what happened before. */
  const everybodyKnows = async () => {
    isIdle = false;
    const missed = () => informers.map(({ known }, index) => missedOf(watched[index]!.kind, known, mirror));
    const until = clock.now() + 2 * hour;
    while (missed().some((one) => one) && clock.now() < until) await sleep(clock, minute);
    for (const one of missed()) if (one) throw new Violation('watches', one);
    for (const informer of informers) informer.stop();
  };

  let over = false;
  let thrown: unknown;
  const play = async () => {
    // What was read before nobody knows.
    if (listening) {
      await world.lookAtEverything();
      await sleep(clock, 3 * minute);
    }
    await Promise.all(
      Array.from({ length: clusters }, async (_, index) => {
        const life: Life = { name: `c${index}`, wish: undefined, documents: [] };
        lives.push(life);
        const own = dice(seed, `life ${index}`);
        await live(
          {
            name: life.name,
            draw: own,
            client,
            world,
            steps,
            settled,
            onAction: interfered,
            scenario,
            action,
            beginning: index === 0 ? beginning : { ...beginning, cluster: undefined },
            number: seed + index,
          },
          life,
        );
      }),
    );
    await finish();
  };
  play().then(
    () => {
      over = true;
    },
    (error: unknown) => {
      thrown = error;
      over = true;
    },
  );
  const until = minutes === undefined ? undefined : clock.now() + minutes * minute;
  const ended = await clock.run(() => over || mirror.broken !== undefined, until);
  thrown ??= mirror.broken ?? (ended || until !== undefined ? undefined : new Error('nothing is left to happen'));
  world.stop();
  const { user, system } = process.cpuUsage(spent);
  return {
    seed,
    options: {
      seed,
      only: options.only,
      clusters: options.clusters,
      steps,
      scenario: options.scenario,
      action,
      minutes,
    },
    hash: story.hash(),
    ...(thrown !== undefined && { failure: failureOf(thrown) }),
    story: story.lines(),
    events: story.events,
    virtualHours: (clock.now() - began) / hour,
    cpuSeconds: (user + system) / 1e6,
    fired: { ...faults.fired },
    coverage: coverage.counts(),
  };
};
