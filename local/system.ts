/**
 * Composes everything in one process over ports: with real sockets and time (start.ts), or with a virtual
 * clock in tests.
 */

import { createHash, timingSafeEqual } from 'node:crypto';
import { createBuckets, paced } from '../adapters/cloud/buckets.ts';
import { guarded } from '../adapters/cloud/guarded.ts';
import { installationPort, marked } from '../adapters/installation/index.ts';
import { memoryNotifier } from '../adapters/memory/notifier.ts';
import { memoryQueue } from '../adapters/memory/queue.ts';
import { localPki } from '../adapters/pki/index.ts';
import { pkiPort, workflowsPort, workloadPort } from '../adapters/ports.ts';
import { createWorkload } from '../adapters/workload/index.ts';
import { installationController } from '../kinds/capstan/installation/controller.ts';
import { theInstallation } from '../kinds/capstan/installation/index.ts';
import { installationName } from '../kinds/common/installation.ts';
import { controllers as ownControllers } from '../kinds/controllers.ts';
import { kinds as ownKinds } from '../kinds/index.ts';
import { defaultIdentity } from '../kinds/infrastructure-aws/aws-cluster-controller-identity/index.ts';
import { publishedOnDemand } from '../kinds/on-demand.ts';
import type { Freeze } from '../kinds/ports/installation.ts';
import type { Pki } from '../kinds/ports/pki.ts';
import { quotaExtensions } from '../kinds/quota-extensions.ts';
import { type KindDefinition, resourceOf, type User } from '../machinery/api/kind.ts';
import type { JsonValue } from '../machinery/api/object.ts';
import { wiringOf } from '../machinery/api/wiring.ts';
import {
  type AnyController,
  createDispatcher,
  createPass,
  createWork,
  createWorker,
  createWriter,
  gated,
  type Hours,
  hoursBetween,
  kindsOf,
  type Ports,
  type Runners,
  resyncRequests,
  type Worker,
} from '../machinery/controller/index.ts';
import { createHousekeeping } from '../machinery/gc/index.ts';
import type { Cancel, Clock, Keys, Log, Random, Table } from '../machinery/ports.ts';
import {
  type ApiServer,
  crdKind,
  createRegistry,
  createServer,
  ensureNamespaces,
  namespaceExtension,
  published,
  publishedCrds,
} from '../machinery/server/index.ts';
import { prepareObject } from '../machinery/server/prepare.ts';
import { type LogEntry, openStore, type Store } from '../machinery/store/index.ts';
import { type Account, type BehaviourOptions, createAccount } from '../simulation/aws/index.ts';
import type { Network, Storage } from '../simulation/ports.ts';
import { createGuests, guestTransport, type SimulatedGuests } from '../simulation/workload/index.ts';
import { accountApi } from './account-api.ts';
import { ensureObjects } from './ensure.ts';
import { guestPki } from './guest-pki.ts';
import { installationPosition } from './installation.ts';
import { type InstanceChange, instanceWaker } from './instance-change.ts';
import { afterLostLease } from './lost-lease.ts';
import { createOperations, type Operations } from './operations.ts';
import { createProcessApi } from './process-api.ts';
import { createRetries } from './retries.ts';
import { builtAt, version } from './version.ts';

const minute = 60_000;

export interface Catalog {
  kinds: readonly KindDefinition[];
  controllers: readonly AnyController[];
}
const ownCatalog: Catalog = { kinds: ownKinds, controllers: ownControllers };

export interface SystemOptions {
  clock: Clock;
  random: Random;
  keys: Keys;
  /** Objects and their log; work items. */
  objects: Table;
  work: Table;
  /** The simulated account and its clusters. */
  account: Storage;
  network: Network;
  log: Log;
  installation: string;
  /** The bearer token of the only user, an administrator. */
  token: string;
  speed?: number;
  requireCni?: boolean;
  apiOnly?: boolean;
  /** False runs controllers alone, without deadlines, verdicts or undo. */
  workflows?: boolean;
  behaviour?: BehaviourOptions;
  /** This machine's own cryptography by default. */
  pki?: Pki;
  /** Bodies of at least this many bytes are compressed; by default all. */
  packFrom?: number;
  /** What is reconciled: Capstan's own kinds and controllers by default. */
  catalog?: Catalog;
  /** In addition to the ports of the system, or in their place. */
  ports?: Ports;
}

export interface System {
  server: ApiServer;
  store: Store;
  account: Account;
  guests: SimulatedGuests;
  worker: Worker;
  operations: Operations;
  /** Why the installation is frozen; undefined while it acts. */
  freeze(): Freeze | undefined;
  /** Resolves when requests may be served. */
  start(): Promise<void>;
  stop(): void;
}

const administrator: User = { username: 'capstan-admin', groups: ['system:masters', 'system:authenticated'] };

const digest = (text: string) => createHash('sha256').update(text).digest();
/** Compares tokens in constant time. */
const bearer = (token: string) => {
  const expected = digest(`Bearer ${token}`);
  return (request: Request): boolean => timingSafeEqual(digest(request.headers.get('authorization') ?? ''), expected);
};

/** The simulated account and the clusters in its instances depend on each other. */
const simulate = (options: SystemOptions, onInstanceChange: (change: InstanceChange) => void) => {
  const { clock, random, account: storage, network, log, speed = 1, requireCni = false } = options;
  const guests = createGuests({
    clock,
    random,
    storage,
    network,
    services: () => account,
    speed,
    requireCni,
    pki: guestPki,
    notifier: () => memoryNotifier(clock),
    log,
  });
  const account: Account = createAccount({
    clock,
    random,
    storage,
    network,
    guests,
    speed,
    ...(options.behaviour && { behaviour: options.behaviour }),
    onInstanceChange,
  });
  return { account, guests };
};

export const createSystem = (options: SystemOptions): System => {
  const { clock, random, keys, log, installation, token, speed = 1, apiOnly = false, catalog = ownCatalog } = options;
  const wiring = wiringOf(catalog.controllers);
  const store = openStore({
    table: options.objects,
    clock,
    random,
    keys,
    kinds: catalog.kinds,
    notifier: memoryNotifier(clock),
    ...(options.packFrom !== undefined && { packFrom: options.packFrom }),
    onCommit: (entry) => {
      position.changed();
      dispatchSoon(entry);
    },
  });
  const kinds = kindsOf(catalog.kinds);
  const writer = createWriter({ store, kinds, clock, random, prepare: async () => prepareObject });

  const report = (error: unknown) => log.error('Work in the background failed', { error });
  const retries = createRetries(clock, report);
  const queue = memoryQueue(clock, (message, deliveries) => worker.receive(message, deliveries), { onError: report });
  const late = afterLostLease({ kinds, writer, clock });
  const work = createWork({ table: options.work, queueOf: () => queue, clock, random, late });

  const wakeOwner = instanceWaker({ kinds, store, request: work.request });
  const wakeMachine = (change: InstanceChange) => {
    if (apiOnly) return;
    retries.run(() => wakeOwner(change));
  };
  const { account, guests } = simulate(options, wakeMachine);
  const isThrottling = options.behaviour?.throttling ?? true;
  const cloud = isThrottling ? paced(account, createBuckets({ clock, speed })) : account;

  const operations = createOperations({ table: options.work, work, kinds, clock, random, log });
  const { workflows, awaits } = operations;
  const housekeeping = createHousekeeping({
    store,
    kinds,
    writer,
    work,
    clock,
    log,
    first: [resourceOf(kinds.named('Cluster'))],
  });
  const position = installationPosition({
    installation,
    objects: options.objects,
    storage: options.account,
    account,
    kinds,
    log,
    onChange: (freeze) =>
      retries.run(async () => {
        const key = { type: kinds.typeOf(installationController.for), namespace: '', name: installationName };
        await work.request({ controller: installationController.name, ...key }, { urgent: true });
        if (freeze) return;
        // Requeues what was deferred during the freeze.
        await worker.sweep();
        await worker.resync();
      }),
  });
  const passOptions = {
    store,
    kinds,
    writer,
    ports: {
      cloud: marked(guarded(cloud), position),
      workload: marked(workloadPort(createWorkload({ transport: guestTransport(guests) })), position),
      installation: installationPort({
        position,
        cloud,
        wake: (controller, key) => {
          const type = kinds.typeOf(wiring[controller]!.for);
          return work.request({ controller, type, ...key }, { urgent: true });
        },
        log,
      }),
      pki: pkiPort(options.pki ?? localPki()),
      workflows: workflowsPort(workflows),
      ...options.ports,
    },
    awaits,
    clock,
    random,
    log,
    installation,
    config: { speed, workflows: options.workflows ?? true } as Record<string, JsonValue>,
  };
  const reconcilers: Runners = Object.fromEntries(
    catalog.controllers.map((controller) => [
      controller.name,
      {
        run: createPass(controller, passOptions),
        types: () => [kinds.typeOf(controller.for)],
        resync: (hours?: Hours) => resyncRequests({ kinds, store }, controller.name, wiring[controller.name]!, hours),
      },
    ]),
  );
  const worker = gated(
    createWorker({ work, clock, log, runners: { ...(apiOnly ? {} : reconcilers), ...housekeeping.runners } }),
    (controller) => position.freeze === undefined || controller === installationController.name,
  );
  const dispatcher = createDispatcher({ wiring: apiOnly ? {} : wiring, kinds, store, extra: housekeeping.extra, work });
  const dispatchSoon = (entry: LogEntry) => retries.run(() => dispatcher.dispatch(entry));

  const isAdministrator = bearer(token);
  const registry = createRegistry(catalog.kinds, {
    namespaces: namespaceExtension,
    ...quotaExtensions(store, catalog.kinds),
  });
  registry.add(crdKind, publishedCrds(registry, builtAt));
  for (const kind of publishedOnDemand) registry.add(kind, published(kind.published!, builtAt));
  const api = createServer({
    kinds: registry,
    store,
    clock,
    random,
    authenticate: (request) => (isAdministrator(request) ? administrator : undefined),
    version,
    log,
  });
  const processApi = createProcessApi(clock);
  const serveApi = processApi.counting(api.fetch);
  const server: ApiServer = {
    fetch: async (request) =>
      (isAdministrator(request) ? (processApi.answer(request) ?? accountApi(account, request)) : undefined) ??
      serveApi(request),
  };

  const timers = new Set<Cancel>();
  let isStopped = false;
  const every = (ms: number, run: () => Promise<void>) => {
    if (isStopped) return;
    const cancel = clock.after(ms, () => {
      timers.delete(cancel);
      void run()
        .catch(report)
        .finally(() => every(ms, run));
    });
    timers.add(cancel);
  };

  return {
    server,
    store,
    account,
    guests,
    worker,
    operations,
    freeze: () => position.freeze,
    start: async () => {
      // Checks the position before any controller acts.
      if (!apiOnly) await position.check();
      await ensureNamespaces(store, clock, random);
      await ensureObjects({ kinds, writer }, [defaultIdentity, theInstallation]);
      account.resume();
      await worker.recover();
      if (!apiOnly) await workflows.resume();
      // A resync finds changes whose dispatch was lost in a crash.
      await worker.resync();
      let looked = clock.now();
      every(10 * minute, () => worker.sweep());
      every(60 * minute, async () => {
        const now = clock.now();
        await worker.resync(hoursBetween(looked, now));
        looked = now;
      });
    },
    stop: () => {
      isStopped = true;
      retries.stop();
      for (const cancel of timers) cancel();
      queue.stop();
      workflows.suspend();
      account.stop();
      guests.stop();
    },
  };
};
