/**
 * One run: everything that a seed determines, from the first request to the end of the next day.
 */
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
import type { Mirror } from './mirror.ts';
import type { ActionName } from './scenarios/actions.ts';
import type { Life } from './scenarios/context.ts';
import { beginnings, clustersOf, live, type ScenarioName, scenarioOf, shares } from './scenarios/life.ts';
import { lookAfter } from './scenarios/recovery.ts';
import { operationOf, stateOf } from './scenarios/states.ts';
import { createSite, newClock, type World } from './site.ts';
import { trackStaleResources } from './stale-resources.ts';
import { createStory } from './story.ts';
import { viewOf } from './view.ts';

export interface RunOptions {
  seed: number;
  only?: readonly FaultName[] | undefined;
  /** The number of clusters; the seed decides when absent. */
  clusters?: number | undefined;
  /** The number of actions on each cluster after its creation. */
  steps?: number | undefined;
  scenario?: ScenarioName | undefined;
  /** The action of a glimpse; the seed decides when absent. */
  action?: ActionName | undefined;
  /** Ends the run after this many virtual minutes. */
  minutes?: number | undefined;
  print?: ((line: string) => void) | undefined;
  /** Observes what controllers read. */
  listen?: ((world: World) => Listening) | undefined;
}

export interface Outcome {
  seed: number;
  /** The options that repeat the run. */
  options: Omit<RunOptions, 'print' | 'listen'>;
  /** The hash over all events. */
  hash: string;
  failure?: { invariant: string; message: string };
  /** The last events. */
  story: string[];
  events: number;
  virtualHours: number;
  /** CPU time. */
  cpuSeconds: number;
  fired: Record<FaultName, number>;
  coverage: CoverageCounts;
}

const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);
const minute = 60_000;
const hour = 60 * minute;
/**
 * Time after the last fault for a sweep of the account, a restarted task, two checks by the user,
 * and the creation of a cluster.
 */
const bound = 4 * hour;

/**
 * Minutes until the state matches the desired one when no worker is held up. They cover several actions,
 * one of which AWS may have refused for long, and the longest backoff.
 */
const promptly: Record<ScenarioName, number> = {
  glimpse: 12,
  life: 27,
  interference: 27,
  transitions: 27,
  objects: 27,
  upgrades: 60,
  restores: 60,
  // The longest backoffs of a pool: 15 minutes without capacity, 30 after machines that never joined.
  pools: 60,
};

/**
 * A pass that cannot read or write waits two minutes for redelivery. One in this many refusals has
 * that effect.
 */
const redelivered = 30;
/**
 * A pass that cannot read the marker backs off further with each failure. One in this many makes it
 * wait for minutes.
 */
const backsOff = 10;
/**
 * A failed probe of a cluster repeats after one to five minutes. One in this many lost answers
 * costs a minute.
 */
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

/** The maximum in an idle hour: over twice what sweeps and resyncs of one cluster need. */
const idleLimits = { calls: 40, portCalls: 2000 };
/** The same of a cluster with pools, which the autoscaler reads every 15 seconds. */
const scaling = 12_000;
/**
 * The maximum for an empty installation. Before it becomes idle it checks each region once more,
 * and every 15 minutes while it cannot because the deletion of its last cluster was dropped.
 */
const sleepless = 150;

/** The object without the values of Secrets, most of which are random keys. */
const shown = (object: KubeObject | undefined): unknown => {
  if (object?.kind !== 'Secret') return object ?? '';
  return { ...object, data: Object.keys((object as Secret).data ?? {}) };
};

/** The input of a call, without fields that carry keys to machines. */
const askedFor = ({ input }: CloudCall): unknown => {
  const { SecretBinary: _, Value: __, ...shown } = input as { SecretBinary?: string; Value?: string };
  return shown;
};

/** Whether a user applied the object. */
const isApplied = ({ annotations = {} }: KubeObject['metadata']): boolean =>
  'kubectl.kubernetes.io/last-applied-configuration' in annotations;

/** Kinds that an informer follows. */
const watched = kinds.filter(({ kind }) => kind === 'Machine' || kind === 'Cluster');

/** How the informer's cache of a kind differs from the state; undefined when it matches. */
const differenceOf = (kind: string, known: ReadonlyMap<string, KubeObject>, mirror: Mirror): string | undefined => {
  const versions = (objects: Iterable<KubeObject>) =>
    [...objects]
      .map(({ metadata }) => `${metadata.name} ${metadata.resourceVersion}`)
      .sort()
      .join(', ');
  const [seen, is] = [versions(known.values()), versions(mirror.all(kind))];
  return seen === is ? undefined : `the cache of ${kind} holds ${seen || 'nothing'}, but the store ${is || 'nothing'}`;
};

const failureOf = (thrown: unknown): { invariant: string; message: string } => ({
  invariant: thrown instanceof Violation ? thrown.invariant : 'error',
  message: thrown instanceof Violation ? thrown.message : String((thrown as Error).stack ?? thrown),
});

/** The faults that may strike; undefined allows all. */
const faultsOf = (seed: number, scenario: ScenarioName): readonly FaultName[] | undefined => {
  const share = shares[scenario];
  const at = dice(seed, 'quiet').next();
  if (at < share.quiet) return [];
  return at < share.quiet + share.passing ? passing : undefined;
};

export const simulate = async (options: RunOptions): Promise<Outcome> => {
  const { seed, steps, action, minutes, print } = options;
  const scenario = scenarioOf(seed, options);
  // Objects that create nothing need only one life.
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
  const staleResources = trackStaleResources(world);
  const view = viewOf(world, provided, staleResources.has);
  const invariants = createInvariants({
    world,
    provided,
    network,
    // Runs that mutate fields know the final state from the objects only.
    wanted: () => (scenario === 'transitions' ? [] : lives.flatMap(({ desired }) => desired ?? [])),
    isRuined: () => lives.some((life) => life.isRuined),
    has: (name) => faults.fired[name as FaultName] > 0,
    staleResources,
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
    // Usually the desired state is reached while faults strike.
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
    // Without lost events nothing waits for a sweep, and failures are retried within seconds.
    const { fired } = faults;
    const refused = sum(refusing.map((name) => fired[name]));
    const isExcused = world.isHeldUp || (world.hasLostTokens && scenario !== 'glimpse');
    const failed = (fired['marker.failed'] + fired['marker.lost']) / backsOff;
    const longest = promptly[scenario] + refused / redelivered + failed + fired['workload.lost'] / asksAgain;
    if (!isExcused && taken > longest)
      throw new Violation('promptly', `${taken} minutes after the last request, although no worker was held up`);
    // Frozen workers resume now. They must not change anything that users have not requested.
    faults.end();
    if (faults.fired['worker.late'] > 0) await sleep(clock, 15 * minute);
    for (let waited = 0; !world.isStill && waited < hour; waited += minute) await sleep(clock, minute);
    await settled(3 * 60);
    if (!isDone()) await look(0);
    await settled(60);
    expectDone();
    // A task whose token was lost restarts within the hour.
    const lastVerdict = clock.now() + 2 * hour;
    while (isOperating() && clock.now() < lastVerdict) await sleep(clock, minute);
    isIdle = true;
    // The next sweep of the account finds changes made there and lost events. The repair takes
    // minutes.
    await sleep(clock, (world.hasForgotten ? 25 * hour : hour) + 15 * minute);
    const changes: string[] = [];
    let refreshes = 0;
    let scheduled = 0;
    const lastOf = ({ metadata }: KubeObject) => metadata.annotations?.['capstan.dev/last-snapshot'];
    const noted = new Map(mirror.all('Cluster').map((cluster) => [cluster.metadata.name, lastOf(cluster)]));
    /** A Cluster names its last snapshot, once for each. */
    const isNote = (object: KubeObject) => {
      const { name } = object.metadata;
      if (object.kind !== 'Cluster' || lastOf(object) === noted.get(name)) return false;
      noted.set(name, lastOf(object));
      return true;
    };
    mirror.onCommit(({ type, name, event, object }) => {
      const { reason } = (object?.spec ?? {}) as { reason?: string };
      if (object && isNote(object)) return;
      if (type === 'upgradechecks.capstan.dev') refreshes++;
      else if (type === 'etcdsnapshots.capstan.dev' && reason === 'Schedule') scheduled += event === 'ADDED' ? 1 : 0;
      else if (type !== 'events') changes.push(`${event} ${type} ${name}`);
    });
    await invariants.atEnd();
    await listening?.whenIdle();
    const counted = () => {
      const calls = world.account.calls();
      return {
        mutating: sum(calls.map((one) => (one.mutating ? one.calls : 0))),
        calls: sum(calls.map((one) => one.calls)),
        portCalls: sum(Object.values(coverage.counts().crossed)),
      };
    };
    const before = counted();
    const wasAwake = world.awake;
    // In more than a day each object is reconciled once.
    const hours = draw.chance(0.05) ? 27 : 1;
    await sleep(clock, hours * hour);
    const after = counted();
    if (changes.length > 0) throw new Violation('rests', changes.slice(0, 5).join(', '));
    // A cluster is checked once a day, and once an hour while an upgrade would fail.
    if (refreshes > (hours + 1) * clusters) throw new Violation('rests', `${refreshes} refreshed UpgradeChecks`);
    // An installation takes a snapshot of each cluster once a day.
    if (scheduled > Math.ceil(hours / 24) * clusters) throw new Violation('rests', `${scheduled} scheduled snapshots`);
    if (after.mutating > before.mutating)
      throw new Violation('rests', `${after.mutating - before.mutating} mutating calls`);
    const [calls, portCalls] = [(after.calls - before.calls) / hours, (after.portCalls - before.portCalls) / hours];
    const isSleepless = (wasAwake && !world.awake) || world.hasForgotten;
    const most = isSleepless && mirror.all('AWSCluster').length === 0 ? sleepless : idleLimits.calls * clusters;
    const isScaling = mirror.all('ScalingPlan').length > 0;
    const mostPortCalls = (idleLimits.portCalls + (isScaling ? scaling : 0)) * clusters;
    if (calls > most || portCalls > mostPortCalls)
      throw new Violation('rests', `${calls} AWS calls and ${portCalls} calls of all ports an hour`);
    if (!world.isHeldUp) await expectIdleResync(counted, changes);
    await expectInformersCatchUp();
  };

  /** When no event was lost, a resync finds nothing to do. */
  const expectIdleResync = async (counted: () => { mutating: number }, changes: readonly string[]) => {
    const before = counted();
    await world.lookAtEverything();
    await sleep(clock, 20 * minute);
    const mutating = counted().mutating - before.mutating;
    if (changes.length > 0 || mutating > 0)
      throw new Violation('unasked', `${mutating} mutating calls, ${changes.slice(0, 5).join(', ')}`);
  };

  /** An informer that was disconnected while the world was idle catches up. */
  const expectInformersCatchUp = async () => {
    isIdle = false;
    const differences = () => informers.map(({ known }, index) => differenceOf(watched[index]!.kind, known, mirror));
    const until = clock.now() + 2 * hour;
    while (differences().some((one) => one) && clock.now() < until) await sleep(clock, minute);
    for (const one of differences()) if (one) throw new Violation('watches', one);
    for (const informer of informers) informer.stop();
  };

  let over = false;
  let thrown: unknown;
  const play = async () => {
    // The informer cannot know objects from before its first list.
    if (listening) {
      await world.lookAtEverything();
      await sleep(clock, 3 * minute);
    }
    await Promise.all(
      Array.from({ length: clusters }, async (_, index) => {
        const life: Life = { name: `c${index}`, desired: undefined, documents: [] };
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
  thrown ??= mirror.broken ?? (ended || until !== undefined ? undefined : new Error('no event is pending'));
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
