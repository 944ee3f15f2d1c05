/**
 * The installation in one process over ports: with real sockets and time (start.ts), or with a
 * virtual clock in tests.
 */

import { createHash, timingSafeEqual } from 'node:crypto';
import { createBuckets, paced } from '../adapters/cloud/buckets.ts';
import { memoryObjects } from '../adapters/memory/object-storage.ts';
import { memoryQueue } from '../adapters/memory/queue.ts';
import { localPki } from '../adapters/pki/index.ts';
import { createLinks } from '../adapters/snapshots/links.ts';
import { memoryScratch, type ToScratch } from '../adapters/snapshots/scratch.ts';
import { sourcesPort } from '../adapters/sources/index.ts';
import { webhookCaller } from '../adapters/webhook/index.ts';
import { installationController } from '../kinds/capstan/installation/controller.ts';
import type { InstallationSpec } from '../kinds/capstan/installation/index.ts';
import { withoutCredentials } from '../kinds/common/credentials.ts';
import { installationName } from '../kinds/common/installation.ts';
import { controllers as ownControllers } from '../kinds/controllers.ts';
import type { PushSettings } from '../kinds/core/contract/push/configuration.ts';
import { kinds as ownKinds } from '../kinds/index.ts';
import type { Freeze } from '../kinds/ports/installation.ts';
import type { Pki } from '../kinds/ports/pki.ts';
import type { KindDefinition, User } from '../machinery/api/kind.ts';
import type { CallWebhook } from '../machinery/api/webhook.ts';
import { wiringOf } from '../machinery/api/wiring.ts';
import { type AnyController, hoursBetween, type Ports, type Worker } from '../machinery/controller/index.ts';
import type { ObjectStorage } from '../machinery/object-storage.ts';
import type { Awaits } from '../machinery/operations/index.ts';
import { type Cancel, type Clock, type Keys, type Log, type Random, sleep, type Table } from '../machinery/ports.ts';
import type { ApiServer, Audit, AuditEvent } from '../machinery/server/index.ts';
import type { Store } from '../machinery/store/index.ts';
import { type AuditWebhook, createAuditWebhook } from '../runtime/audit-webhook.ts';
import { compose } from '../runtime/compose.ts';
import { createMetrics } from '../runtime/metrics/index.ts';
import type { InstanceChange } from '../runtime/wake.ts';
import type { Account, BehaviourOptions } from '../simulation/aws/index.ts';
import type { Network, Storage } from '../simulation/ports.ts';
import { guestTransport, type SimulatedGuests } from '../simulation/workload/index.ts';
import { accountApi } from './account-api.ts';
import { installationPosition } from './installation.ts';
import { operationWorkflows } from './operation-workflows.ts';
import { createProcessApi } from './process-api.ts';
import { callsFamily, watchesFamily } from './process-metrics.ts';
import { createRetries } from './retries.ts';
import { simulateAccount } from './simulated-account.ts';
import { downloadOf, snapshotFiles } from './snapshot-files.ts';
import type { LocalWorkflows } from './workflow/index.ts';

const minute = 60_000;
/** Milliseconds that a stop waits for running passes; a pass that it does not await is repeated. */
const stopTimeout = 5000;

export interface Catalog {
  kinds: readonly KindDefinition[];
  controllers: readonly AnyController[];
}
const ownCatalog: Catalog = { kinds: ownKinds, controllers: ownControllers };

export interface SystemOptions {
  /** Calls webhooks and extensions of users; over HTTPS by default. */
  callWebhook?: CallWebhook;
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
  /** What a new installation begins with; nothing by default. */
  newInstallation?: InstallationSpec;
  /** PEM of the authority of the API's certificate, for clients with tokens of ServiceAccounts. */
  certificateAuthority?: string;
  /** The bearer token of the administrator. */
  token: string;
  /** Receives each request of the user; absent = no audit log. */
  audit?: Audit;
  speed?: number;
  /** Where API servers of clusters report; absent = clusters are polled only. */
  push?: PushSettings;
  requireCni?: boolean;
  apiOnly?: boolean;
  /** False runs controllers alone, without deadlines, verdicts or undo. */
  workflows?: boolean;
  behaviour?: BehaviourOptions;
  /** This machine's own cryptography by default. */
  pki?: Pki;
  /** The files of etcd snapshots; in memory by default. */
  files?: ObjectStorage;
  /** The keys beside them, encrypted under a key of their own; in memory by default. */
  keyFiles?: ObjectStorage;
  toScratch?: ToScratch;
  /** Bodies of at least this many bytes are compressed; by default all. */
  packFrom?: number;
  /** What is reconciled: Capstan's own kinds and controllers by default. */
  catalog?: Catalog;
  /** In addition to the ports of the system, or in their place. */
  ports?: Ports;
  /** Opens the queue of wake-up messages; in memory by default. */
  openQueue?: typeof memoryQueue;
}

export interface System {
  server: ApiServer;
  store: Store;
  account: Account;
  guests: SimulatedGuests;
  worker: Worker;
  operations: { workflows: LocalWorkflows; awaits: Awaits; operate(payload: unknown): Promise<void> };
  /** Why the installation is frozen; undefined while it acts. */
  freeze(): Freeze | undefined;
  /** Resolves when requests may be served. */
  start(): Promise<void>;
  /** Resolves when nothing of it uses the ports any more. */
  stop(): Promise<void>;
}

const administrator: User = { username: 'capstan-admin', groups: ['system:masters', 'system:authenticated'] };

const digest = (text: string) => createHash('sha256').update(text).digest();
/** Compares tokens in constant time. */
const bearer = (token: string) => {
  const expected = digest(`Bearer ${token}`);
  return (request: Request): boolean => timingSafeEqual(digest(request.headers.get('authorization') ?? ''), expected);
};

/** Runs tasks periodically until it is stopped. */
const createTimers = (clock: Clock, onError: (error: unknown) => void) => {
  const timers = new Set<Cancel>();
  const running = new Set<Promise<void>>();
  let isStopped = false;
  const every = (ms: number, run: () => Promise<void>): void => {
    if (isStopped) return;
    const cancel = clock.after(ms, () => {
      timers.delete(cancel);
      const ended = run()
        .catch(onError)
        .finally(() => {
          running.delete(ended);
          every(ms, run);
        });
      running.add(ended);
    });
    timers.add(cancel);
  };
  return {
    every,
    /** Resolves when the running tasks have ended. */
    stop: async () => {
      isStopped = true;
      for (const cancel of timers) cancel();
      await Promise.all(running);
    },
  };
};

/** The status of a report of a simulated API server. */
const postedTo = async (webhook: AuditWebhook, url: string, { token, body }: { token: string; body: string }) => {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const response = await webhook.fetch(new Request(url, { method: 'POST', headers, body }));
  return response?.status ?? 404;
};

export const createSystem = (options: SystemOptions): System => {
  const {
    clock,
    random,
    log,
    token,
    speed = 1,
    apiOnly = false,
    catalog = ownCatalog,
    openQueue = memoryQueue,
    audit,
  } = options;
  const report = (error: unknown) => log.error('Work in the background failed', { error });
  const retries = createRetries(clock, report);
  const timers = createTimers(clock, report);
  const queue = openQueue(clock, (message, deliveries) => worker.receive(message, deliveries), { onError: report });
  const files = options.files ?? memoryObjects(clock);
  const links = createLinks({ storage: files, secret: token, clock });
  const guestServices = {
    download: downloadOf(links),
    post: (url: string, sent: { token: string; body: string }) => postedTo(webhook, url, sent),
  };
  const onInstanceChange = (change: InstanceChange) => {
    if (!apiOnly) retries.run(() => wakeInstance(change));
  };
  const onAlarmChange = ({ alarmName }: { alarmName: string }) => {
    if (!apiOnly) retries.run(() => wakeAlarm(alarmName));
  };
  const onGroupChange = ({ detail }: { detail: { AutoScalingGroupName: string } }) => {
    if (!apiOnly) retries.run(() => wakeGroup(detail.AutoScalingGroupName));
  };
  const { account, guests } = simulateAccount(
    { ...options, ...guestServices },
    { onInstanceChange, onAlarmChange, onGroupChange },
  );
  const isThrottling = options.behaviour?.throttling ?? true;
  const workflows = operationWorkflows({ table: options.work, clock, random, log, operations: () => operations });

  const onFreezeChange = (freeze: Freeze | undefined) =>
    retries.run(async () => {
      const { name: controller, for: kind } = installationController;
      const key = { controller, type: foundation.kinds.typeOf(kind), namespace: '', name: installationName };
      await foundation.workItems.request(key, { urgent: true });
      if (freeze) return;
      // Requeues what was deferred during the freeze.
      await worker.sweep();
      await worker.resync();
    });
  const { certificateAuthority } = options;
  const metrics = createMetrics({
    list: (...asked) => foundation.store.list(...asked),
    typeOf: (kind) => foundation.kinds.typeOf(kind),
    families: () => [callsFamily(account.calls()), watchesFamily(processApi.watches())],
  });
  const {
    foundation,
    position,
    operations,
    worker,
    dispatcher,
    wakeInstance,
    wakeAlarm,
    wakeGroup,
    apiOf,
    ensureFirstObjects,
  } = compose(
    {
      ...options,
      ...(certificateAuthority !== undefined && { rootCertificates: () => certificateAuthority }),
      callWebhook: options.callWebhook ?? webhookCaller({ allowsLocal: true }),
      queueOf: () => queue,
      onCommit: (entry) => {
        position.changed();
        retries.run(() => dispatcher.dispatch(entry));
      },
      cloud: isThrottling ? paced(account, createBuckets({ clock, speed })) : account,
      transport: guestTransport(guests),
      pki: options.pki ?? localPki(),
      workflows,
      files,
      keyFiles: options.keyFiles ?? memoryObjects(clock),
      linkTo: links.linkTo,
      toScratch: options.toScratch ?? memoryScratch,
    },
    {
      catalog: { kinds: catalog.kinds, wiring: wiringOf(apiOnly ? [] : catalog.controllers) },
      controllers: apiOnly
        ? {}
        : Object.fromEntries(catalog.controllers.map((controller) => [controller.name, async () => controller])),
      config: { speed, workflows: options.workflows ?? true, ...(options.push && { push: options.push }) },
      positionOf: ({ kinds }) =>
        installationPosition({
          installation: options.installation,
          objects: options.objects,
          storage: options.account,
          account,
          kinds,
          log,
          onChange: onFreezeChange,
        }),
      ports: { sources: sourcesPort({ allowsLocal: true, path: process.env.PATH }), ...options.ports },
      onPass: metrics.countPass,
    },
  );

  const isAdministrator = bearer(token);
  const api = apiOf({
    authenticate: (request) => (isAdministrator(request) ? administrator : undefined),
    certificateAuthority: options.certificateAuthority,
    metrics: metrics.page,
    redact: withoutCredentials,
    ...(audit && {
      audit: (event: AuditEvent) => {
        metrics.countRequest(event);
        audit(event);
      },
    }),
  });
  const processApi = createProcessApi(clock);
  const serveApi = processApi.counting(api.fetch);
  const webhook = createAuditWebhook(foundation);
  const server: ApiServer = {
    fetch: async (request) =>
      (isAdministrator(request)
        ? (processApi.answer(request) ?? snapshotFiles(links, request) ?? accountApi(account, request))
        : undefined) ??
      webhook.fetch(request) ??
      serveApi(request),
  };

  return {
    server,
    store: foundation.store,
    account,
    guests,
    worker,
    operations: { ...operations, workflows },
    freeze: () => position.freeze,
    start: async () => {
      // Checks the position before any controller acts.
      if (!apiOnly) await position.check();
      await ensureFirstObjects(options.newInstallation);
      account.resume();
      await worker.recover();
      if (!apiOnly) await workflows.resume();
      // A resync finds changes whose dispatch was lost in a crash.
      await worker.resync();
      let looked = clock.now();
      let failedSince = new Map<string, number>();
      timers.every(10 * minute, () => worker.sweep());
      timers.every(60 * minute, async () => {
        const now = clock.now();
        // A controller that failed has its objects requested with the next window.
        const failed = await worker.resync((controller) => hoursBetween(failedSince.get(controller) ?? looked, now));
        failedSince = new Map(failed.map((controller) => [controller, failedSince.get(controller) ?? looked]));
        looked = now;
      });
    },
    stop: async () => {
      const running = Promise.all([timers.stop(), queue.stop(), workflows.suspend(), retries.stop()]);
      account.stop();
      guests.stop();
      const ended = new AbortController();
      await Promise.race([running, sleep(clock, stopTimeout, ended.signal)]);
      ended.abort();
    },
  };
};
