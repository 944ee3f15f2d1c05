/**
 * Everything that outlives Capstan's processes: tables, queues, the stream, schedules, Step
 * Functions, the account and the clusters in it. It treats workers as AWS would.
 */

import type { Fetch } from '../../adapters/aws/identity/index.ts';
import { parameterMarker } from '../../adapters/aws/marker/parameter.ts';
import { memoryKeys } from '../../adapters/memory/keys.ts';
import { type Misbehaviour, type Mischief, misbehavingTable } from '../../adapters/memory/misbehaving-table.ts';
import { memoryObjects } from '../../adapters/memory/object-storage.ts';
import { memoryStorage } from '../../adapters/memory/storage.ts';
import { type VirtualClock, virtualClock } from '../../adapters/memory/virtual-clock.ts';
import { createLinks, type Links } from '../../adapters/snapshots/links.ts';
import { queue as limits, messagesAtOnce, seconds } from '../../cdk/limits.ts';
import { scheduled } from '../../cdk/scheduled.ts';
import type { Cloud } from '../../kinds/ports/cloud/index.ts';
import type { Marker } from '../../kinds/ports/installation.ts';
import type { Pki } from '../../kinds/ports/pki.ts';
import type { Transport } from '../../kinds/ports/transport.ts';
import type { Switches } from '../../lambdas/runtime/switches.ts';
import { downloadOf } from '../../local/snapshot-files.ts';
import type { LocalWorkflows } from '../../local/workflow/index.ts';
import type { ObjectStorage } from '../../machinery/object-storage.ts';
import { type Item, type Keys, type Queue, sleep, type Table, type Workflows } from '../../machinery/ports.ts';
import { type WorkerClass, workerClasses } from '../../runtime/foundation.ts';
import type { Account } from '../../simulation/aws/index.ts';
import type { SimulatedGuests } from '../../simulation/workload/index.ts';
import { type Copy, openDisk } from '../system/disk.ts';
import { quickPki } from '../system/pki.ts';
import type { Coverage } from './coverage.ts';
import { dice } from './dice.ts';
import { badCloud } from './faults/cloud.ts';
import { type Faults, faultNames, passing } from './faults/index.ts';
import { badMachines } from './faults/machines.ts';
import {
  badHide,
  badIdentities,
  badKeys,
  badManners,
  badMarker,
  badQueue,
  badStops,
  badSwitch,
  badWorkflows,
} from './faults/services.ts';
import { badTransport } from './faults/workload.ts';
import { type CloudCall, Violation } from './invariants/rule.ts';
import '../system/loaded.ts';
import { createLooker, type Looker } from './dry-run.ts';
import type { Pass } from './heard/overhear.ts';
import { createMirror, type Mirror, type Reflection } from './mirror.ts';
import { createAnswers } from './site/answers.ts';
import { createEvents } from './site/events.ts';
import { createFront } from './site/front.ts';
import { throughGateway } from './site/gateway.ts';
import { type Asked, createGround } from './site/ground.ts';
import { createIdentities, type Identities } from './site/identities.ts';
import { createLedger } from './site/ledger.ts';
import { createParameters } from './site/parameters.ts';
import { createPool } from './site/pool.ts';
import { createQueue, type Message, type SiteQueue } from './site/queue.ts';
import { createReports } from './site/reports.ts';
import { createStream } from './site/stream.ts';
import { createSwitch, together } from './site/switch.ts';
import { createTasks } from './site/tasks.ts';
import { installation, startWorker } from './site/worker.ts';
import type { Story } from './story.ts';

const second = 1000;
const minute = 60 * second;

export interface Site {
  readonly seed: number;
  readonly clock: VirtualClock;
  readonly faults: Faults;
  readonly coverage: Coverage;
  readonly objects: Table;
  readonly work: Table;
  readonly keys: Keys;
  readonly cloud: Cloud;
  readonly workflows: Workflows;
  readonly transport: Transport;
  readonly files: ObjectStorage;
  readonly keyFiles: ObjectStorage;
  readonly links: Links;
  readonly marker: Marker;
  readonly pki: Pki;
  queueOf(worker: WorkerClass, slow: boolean): Queue;
  hide(receipt: string, seconds: number): Promise<void>;
  readonly switches: Switches;
  readonly fetch: Fetch;
  log(line: string): void;
  /** Reports a violation. */
  breaks(violation: unknown): void;
  /** Called for each pass that returns a plan. */
  onPass?: (pass: Pass) => void;
}

export interface World {
  /** The files of snapshots. */
  readonly files: ObjectStorage;
  readonly seed: number;
  readonly account: Account;
  readonly guests: SimulatedGuests;
  readonly mirror: Mirror;
  readonly executions: LocalWorkflows;
  readonly clock: VirtualClock;
  /** The table of work items. */
  readonly work: Table;
  readonly looker: Looker;
  /** Sends a request as a user, unless it is authenticated. Reads are streamed, as deployed. */
  request(request: Request): Promise<Response>;
  /** Sends a long-running request as a tool. */
  watch(request: Request): Promise<Response>;
  readonly identities: Identities;
  /** Starts the latest task once more. */
  repeatTask(): Promise<void>;
  /** Makes this many of the next tasks fail. */
  crashTasks(count: number): void;
  /** Loses the task tokens of an operation, given as namespace/name. */
  loseTokens(operation: string): Promise<void>;
  /**
   * Stops all workers for this many milliseconds, as when a laptop sleeps. Events wait meanwhile.
   */
  standStill(ms: number): void;
  /** The tokens of all tasks started so far. */
  readonly taskTokens: ReadonlySet<string>;
  readonly logs: readonly string[];
  /** Whether a worker ever took over from another one that crashed or froze. */
  readonly isReplaced: boolean;
  /** Called with the body of each message delivered to a worker. */
  onMessage(listen: (body: string) => void): void;
  /**
   * Called for each request to the account or to a cluster, before it takes effect. An error fails
   * the run.
   */
  onAsked(listen: (asked: Asked) => void): void;
  /** Whether any fault has struck so far. */
  readonly isDisturbed: boolean;
  /**
   * Whether a fault has struck after which a controller may have to wait for a sweep, or until the
   * fault ends.
   */
  readonly isHeldUp: boolean;
  /** Whether an operation restarted a task within the hour because its token was lost. */
  readonly hasLostTokens: boolean;
  /**
   * Whether stream records were dropped and all notifications of that failed, so that only the
   * daily resync recovers them.
   */
  readonly hasForgotten: boolean;
  /** Resyncs every object, as after a freeze of the installation. */
  lookAtEverything(): Promise<void>;
  /** Whether schedules are enabled. */
  readonly awake: boolean;
  /** Whether the resync queues are polled. */
  readonly pollsSlowly: boolean;
  /** Whether all work in progress is stored or waits in a queue. */
  readonly isStill: boolean;
  /**
   * The starting point for worlds that continue from here; only of a still world that records its
   * state.
   */
  moment(): Moment;
  /** The work items and messages that wait; only of a world that records its state. */
  pending(): Pick<Moment, 'work' | 'messages'>;
  stop(): void;
}

/** Everything that outlives the processes, at one time. */
export interface Moment {
  now: number;
  objects: Item[];
  work: Item[];
  /** The state of the account and of its clusters. */
  disk: Copy;
  reflection: Reflection;
  messages: ReadonlyMap<string, readonly Message[]>;
}

export interface SiteOptions {
  seed: number;
  clock: VirtualClock;
  faults: Faults;
  coverage: Coverage;
  story: Story;
  /** Called for each of Capstan's calls of the account. An error fails the run. */
  onCall: (call: CloudCall) => void;
  from?: Moment | undefined;
  /** Disables all random behaviour of the account. */
  isPlain?: boolean;
  onPass?: (pass: Pass) => void;
  /** Whether `moment` is available. */
  isKept?: boolean;
}

export const startDay = Date.UTC(2026, 0, 1);
export const newClock = (now = startDay) => virtualClock(now);

export const createSite = (options: SiteOptions): World => {
  const { clock, faults, coverage, story, onCall, from, isPlain = false, isKept = false } = options;
  // A continued world must not draw the names of the original one again.
  const seed = from ? dice(options.seed, `from ${from.now}`).whole(0, 2 ** 31) : options.seed;
  const draw = dice(seed, 'site');
  const disk = isKept || from ? openDisk(clock, from?.disk) : undefined;
  const storage = disk?.storage ?? memoryStorage(clock);
  const ledgers = { objects: createLedger(from?.objects), work: createLedger(from?.work) };
  const logs: string[] = [];
  const innerKeys = memoryKeys(dice(seed, 'keys'), new Uint8Array(32).fill(7));
  const mirror = createMirror({ clock, keys: innerKeys, random: dice(seed, 'mirror'), from: from?.reflection });
  const hot = createSwitch(clock, dice(seed, 'hot mapping'));
  const slow = createSwitch(clock, dice(seed, 'slow mapping'));
  const schedules = createSwitch(clock, dice(seed, 'schedules'));
  let isOver = false;
  let isReplaced = false;
  let hasLostTokens = false;
  let hasForgotten = false;
  let hasStoodStill = false;

  const tell = (mischief: Mischief) => faults.struck(`table.${mischief}`);
  const manners: Misbehaviour = badManners(faults);
  const objectsTable = misbehavingTable(
    clock,
    dice(seed, 'objects'),
    manners,
    (effect) => {
      if (isKept) ledgers.objects.persist(effect);
      for (const item of effect.put) {
        mirror.put(item);
        changes.put(item);
      }
    },
    tell,
    from?.objects,
  );
  const persistWork = isKept ? ledgers.work.persist : undefined;
  const work = misbehavingTable(clock, dice(seed, 'work'), manners, persistWork, tell, from?.work);

  const pool = createPool({
    clock,
    start: (name) => startWorker(site, name),
    name: 'worker',
    most: draw.whole(2, 5),
    onEnd: (worker, what, how) => {
      isReplaced = true;
      story.tell('worker', worker, what, how);
    },
  });
  const identities = createIdentities(clock);

  const changes = createStream({
    clock,
    dice: dice(seed, 'stream'),
    faults,
    receive: (event) => pool.invoke('dispatch', seconds.dispatch, (worker) => worker.dispatch(event)),
    onDelay: (type, ms) => story.tell('stream late', type, `for ${Math.round(ms / 1000)} s`),
    onDropped: (type, records, arrived) => {
      story.tell('stream gave up', type, records);
      void events
        .publish('lost changes', () => pool.invoke('recover', seconds.sweep, (worker) => worker.recover(arrived)))
        .then((isTaken) => {
          hasForgotten ||= !isTaken;
        });
    },
  });
  const listeners: ((body: string) => void)[] = [];
  const queues = new Map<string, SiteQueue>();
  for (const [of, name] of workerClasses.flatMap((of) => [[of, `${of}-hot`] as const, [of, `${of}-slow`] as const]))
    queues.set(
      name,
      createQueue({
        name,
        clock,
        dice: dice(seed, `queue ${name}`),
        faults,
        mapping: name.endsWith('slow') ? slow : hot,
        visibility: limits.visibilitySeconds * second,
        most: limits.maxReceiveCount,
        atOnce: messagesAtOnce[of],
        receive: (event) => {
          const bodies = event.Records.map(({ body }) => body);
          for (const body of bodies) for (const listen of listeners) listen(body);
          return pool.invoke(`reconcile ${bodies.join(' ')}`, seconds['reconcile-core'], (worker) =>
            worker.reconcile(event, of),
          );
        },
        onLost: (message) => story.tell('message lost', message),
        messages: from?.messages.get(name),
      }),
    );

  const events = createEvents({ clock, faults, story });
  const asking: ((asked: Asked) => void)[] = [];
  const guarded = (listen: () => void) => {
    try {
      listen();
    } catch (error) {
      mirror.breaks(error);
    }
  };
  const files = memoryObjects(clock);
  const keyFiles = memoryObjects(clock);
  const links = createLinks({ storage: files, secret: 'site', clock });
  let lastReport = 0;
  const reports = createReports({
    clock,
    faults,
    story,
    invoke: (request) =>
      pool.invoke('report', seconds['audit-webhook'], ({ life, receive }) =>
        throughGateway(request, receive, {
          clock: life.clock,
          requestId: `report-${++lastReport}`,
          limit: seconds['audit-webhook'] * second,
        }),
      ),
  });
  const { account, guests, behaviour, transport, heard } = createGround({
    download: downloadOf(links),
    post: reports.post,
    seed,
    clock,
    faults,
    story,
    storage,
    isPlain,
    onInstanceChange: (change) =>
      void events.deliver(`wake ${change.instanceId}`, () =>
        pool.invoke(`wake ${change.instanceId}`, seconds.instances, (worker) => worker.wake(change)),
      ),
    onAsked: (asked) => {
      for (const listen of asking) guarded(() => listen(asked));
    },
  });
  const tasks = createTasks({
    clock,
    random: dice(seed, 'workflows'),
    table: storage.table('executions'),
    invoke: (payload) => pool.invoke('operate', seconds.operate, (worker) => worker.operate(payload)),
    onEnd: ({ definition, name, input, status }) => {
      story.tell('execution', definition, name, status);
      const operation = input.operation as { namespace: string; name: string };
      answers.ended(`${operation.namespace}/${operation.name}`);
      void events.deliver(`ended ${operation.name}`, () =>
        pool.invoke(`ended ${operation.name}`, seconds.executions, (worker) => worker.ended(operation)),
      );
    },
    log: { info: () => {}, error: (message, keys) => logs.push(JSON.stringify({ message, ...keys })) },
  });
  const { executions } = tasks;
  const answers = createAnswers({ work, workflows: badWorkflows(executions, faults), breaks: mirror.breaks });

  const site: Site = {
    seed,
    clock,
    faults,
    coverage,
    objects: {
      ...objectsTable,
      transact: async (token, writes) => {
        await objectsTable.transact(token, writes);
        await mirror.seen();
      },
    },
    work: answers.work,
    keys: badKeys(innerKeys, faults),
    cloud: badCloud(heard.account, behaviour, clock, faults, (call) => guarded(() => onCall(call))),
    workflows: answers.workflows,
    transport: badTransport(heard.transport, clock, faults),
    files,
    keyFiles,
    links,
    marker: badMarker(parameterMarker({ client: createParameters(storage), installation }), faults),
    pki: quickPki(),
    queueOf: (worker, slow) => badQueue(queues.get(`${worker}-${slow ? 'slow' : 'hot'}`)!, faults),
    hide: badHide(
      async (receipt, seconds) => queues.get(receipt.slice(0, receipt.lastIndexOf('-')))!.hide(receipt, seconds),
      faults,
    ),
    switches: {
      mappings: badSwitch({ ...hot, disable: together(hot, slow).disable }, faults),
      schedules: badSwitch(schedules, faults),
      slow: badSwitch(slow, faults),
    },
    fetch: badIdentities(identities.fetch, faults),
    breaks: mirror.breaks,
    ...(options.onPass && { onPass: options.onPass }),
    log: (line) => {
      logs.push(line);
      // No simulated store was restored, copied or lost.
      if (line.includes('"Installation frozen"')) mirror.breaks(new Violation('acts', line));
    },
  };

  const every = (run: 'sweep' | 'resync') => {
    if (isOver) return;
    clock.after(scheduled[run].minutes * minute, () => {
      if (schedules.isOn) void pool.invoke(run, seconds.sweep, (worker) => worker.sweep(run)).catch(() => {});
      every(run);
    });
  };
  for (const run of ['sweep', 'resync'] as const) every(run);
  const patiently = async <T>(run: () => Promise<T>): Promise<T> => {
    for (;;) {
      try {
        return await run();
      } catch {
        await sleep(clock, second);
      }
    }
  };
  void badStops({ clock, faults, executions, isOver: () => isOver });
  if (faults.rate('table.paged') > 0) faults.struck('table.paged');
  account.resume();
  if (from) void executions.resume();
  badMachines({ clock, faults, guests, account, tell: (what, id) => story.tell('machine', what, id) });

  const pending: World['pending'] = () => {
    if (!isKept) throw new Error('this world does not record its state');
    const messages = new Map([...queues].map(([name, queue]) => [name, queue.waiting()]));
    return { work: ledgers.work.items(), messages };
  };

  const front = createFront({ site, mirror, identities, story });

  return {
    seed,
    account,
    guests,
    files,
    mirror,
    executions,
    clock,
    work,
    looker: createLooker({ ...site, transport }, installation),
    repeatTask: tasks.repeat,
    crashTasks: tasks.crash,
    loseTokens: async (operation) => {
      hasLostTokens = true;
      const pk = `await#clusteroperations.capstan.dev#${operation}`;
      const { items } = await patiently(() => work.query({ pk, consistent: true }));
      for (const { sk } of items) await patiently(() => work.write({ delete: { pk, sk } }));
    },
    taskTokens: tasks.tokens,
    standStill: (ms) => {
      hasStoodStill = true;
      story.tell('no worker runs', `for ${Math.round(ms / minute)} minutes`);
      pool.stand(ms);
    },
    logs,
    onMessage: (listen) => void listeners.push(listen),
    onAsked: (listen) => void asking.push(listen),
    get isReplaced() {
      return isReplaced;
    },
    get isDisturbed() {
      return hasStoodStill || faultNames.some((name) => faults.fired[name] > 0);
    },
    get isHeldUp() {
      return hasStoodStill || faultNames.some((name) => faults.fired[name] > 0 && !passing.includes(name));
    },
    get hasLostTokens() {
      return hasLostTokens;
    },
    get hasForgotten() {
      return hasForgotten;
    },
    lookAtEverything: () =>
      pool.invoke('resync', seconds.sweep, async (worker) => void (await worker.everything.resync())),
    get awake() {
      return schedules.isOn;
    },
    get pollsSlowly() {
      return slow.isOn;
    },
    identities,
    request: front.request,
    watch: front.watch,
    get isStill() {
      return pool.isIdle && front.isIdle && changes.isIdle && events.isIdle && reports.isIdle && tasks.isIdle;
    },
    pending,
    moment: () => ({
      ...pending(),
      now: clock.now(),
      objects: ledgers.objects.items(),
      disk: disk!.copy(),
      reflection: mirror.copy(),
    }),
    stop: () => {
      isOver = true;
      account.stop();
      guests.stop();
      executions.suspend();
    },
  };
};
