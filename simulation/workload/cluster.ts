/** One workload cluster: its objects, its API, and the controllers that run while it has a control plane. */
import type { KubeObject } from '../../machinery/api/object.ts';
import type { Cancel, Clock, Log, Notifier, Random, Table } from '../../machinery/ports.ts';
import { type AuditEvent, eventOfRequest, eventsOfChange, eventsOfRemoval } from './audit/events.ts';
import { type ClusterFetch, createClusterApi } from './cluster-api.ts';
import { openClusterStore } from './cluster-store.ts';
import { clusterControllers } from './controllers/index.ts';
import { etcdDatabase } from './database/etcd.ts';
import { delays } from './delays.ts';
import type { ClusterRecord } from './records.ts';
import { type Host, Plan, safeText, type World } from './world.ts';

/** A cluster's dependencies on its machines. */
export interface ClusterOptions {
  record: ClusterRecord;
  table: Table;
  clock: Clock;
  random: Random;
  notifier: Notifier;
  log?: Log;
  speed: number;
  requireCni: boolean;
  hosts: () => Host[];
  /** Reports a machine that is down and whose node is deleted: the cluster no longer needs it. */
  forget: (host: Host) => void;
  /** Whether an API server responds: a control plane runs and etcd has a quorum. */
  isServing: () => boolean;
  /** Stores the record. */
  save: () => void;
  /** Takes audit events of its API servers; computes them only for one that logs. */
  audit: (events: () => AuditEvent[]) => void;
}

export interface Cluster {
  record: ClusterRecord;
  fetch: ClusterFetch;
  /** An existing object counts as success. Keeps the given status. */
  create(object: KubeObject): Promise<void>;
  /** Stores the objects as they are, in place of those of the same names. */
  put(objects: readonly KubeObject[]): Promise<void>;
  /** Current objects of a type. */
  list<T extends KubeObject = KubeObject>(type: string): Promise<T[]>;
  /** Objects as the cluster's own controllers last read them. */
  seen<T extends KubeObject = KubeObject>(type: string): readonly T[];
  get(type: string, namespace: string, name: string): Promise<KubeObject | undefined>;
  /** The revision of its etcd: each change of an object adds one. */
  revision(): number;
  /** The database file of an etcd member, with all objects. */
  database(): Promise<Uint8Array>;
  /** Reports a change outside of the objects. */
  poke(): void;
  stop(): void;
}

/** Revisions that one write of the record reserves. */
const reservedAtOnce = 1000;

/** The most rounds of one run before the controllers count as looping. */
const mostRounds = 200;

export const openCluster = (options: ClusterOptions): Cluster => {
  const { record, clock, random, log } = options;
  let isStopped = false;
  let running: Promise<void> = Promise.resolve();
  let settling: Cancel | undefined;
  let alarm: Cancel | undefined;
  let current = record.reservedRevision ?? (record.restoredRevision ?? 0) + 1;

  const runAfter = (delay: number): void => {
    settling = clock.after(delay, () => {
      settling = undefined;
      running = running.then(run);
    });
  };
  const poke = (): void => {
    if (isStopped || settling) return;
    runAfter(delays.settle);
  };
  const isServing = () => !isStopped && options.isServing();

  // Clients compare revisions, and a killed process cannot note the last one.
  const reserve = (): void => {
    if (isStopped || current < (record.reservedRevision ?? 0)) return;
    record.reservedRevision = current + reservedAtOnce;
    options.save();
  };

  const objects = openClusterStore({
    table: options.table,
    clock,
    random,
    notifier: options.notifier,
    changed: () => {
      current += 1;
      reserve();
      poke();
    },
    updated: (...change) => options.audit(() => eventsOfChange(...change)),
    removed: (...removal) => options.audit(() => eventsOfRemoval(...removal)),
    isStopped: () => isStopped,
  });
  const { store, mirror, loaded } = objects;
  const ofEachType = <T>(of: (type: string) => T[]): T[] => objects.types().flatMap(of);
  const revision = (): number => current;
  const database = async (): Promise<Uint8Array> => {
    await loaded;
    await mirror.refresh(store);
    const all = ofEachType((type) => mirror.list(type).map((object) => [type, object] as const));
    return etcdDatabase({ objects: all, revision: revision() });
  };
  const controllers = clusterControllers(objects.types, objects.namespacedTypes);
  /** What a round reads stays the same while it pauses. */
  const seenNow = () => new Map(objects.types().map((type) => [type, mirror.list(type)]));
  const decide = async (): Promise<Plan> => {
    const seen = clock.yield && seenNow();
    const world: World = {
      now: clock.now(),
      requireCni: options.requireCni,
      cluster: record,
      hosts: options.hosts(),
      list: <T extends KubeObject>(type: string) => (seen?.get(type) as T[] | undefined) ?? mirror.list<T>(type),
      ...(clock.yield && { pause: clock.yield }),
      scaled: (ms) => ms / options.speed,
      suffix: () => safeText(Math.floor(random.next() * 2 ** 32), 5),
    };
    const plan = new Plan();
    for (const control of controllers) {
      await control(world, plan);
      await world.pause?.();
    }
    return plan;
  };

  const forgetLost = (): void => {
    const names = new Set(mirror.list('nodes').map(({ metadata }) => metadata.name));
    for (const host of options.hosts())
      if (host.haltedAt !== undefined && !names.has(host.kubelet.nodeName)) options.forget(host);
  };

  const run = async (): Promise<void> => {
    try {
      await loaded;
      for (let round = 0; isServing(); round++) {
        await mirror.refresh(store);
        const plan = await decide();
        alarm?.();
        alarm = undefined;
        if (round === mostRounds) {
          log?.error('Controllers of a workload cluster do not settle', {
            cluster: record.id,
            steps: plan.steps.length,
          });
          // Their own changes would trigger the next run at once.
          settling?.();
          runAfter(delays.unsettled);
          return;
        }
        await objects.apply(plan.steps);
        forgetLost();
        if (!mirror.isStale && plan.wakeAt !== undefined)
          alarm = clock.after(Math.max(1, plan.wakeAt - clock.now()), poke);
        if (!mirror.isStale) return;
      }
    } catch (error) {
      log?.error('Controllers of a workload cluster failed', { cluster: record.id, error });
      if (!isStopped) alarm = clock.after(5_000, poke);
    }
  };

  return {
    record,
    fetch: createClusterApi({
      objects,
      caCertificate: record.caCertificate,
      ...(record.eksName && { eksName: record.eksName }),
      clock,
      random,
      ...(log && { log }),
      isServing,
      answered: (...request) => options.audit(() => [eventOfRequest(...request)]),
    }),
    create: objects.create,
    put: objects.put,
    list: async <T extends KubeObject>(type: string) => {
      await loaded;
      await mirror.refresh(store);
      return mirror.list<T>(type);
    },
    seen: (type) => mirror.list(type),
    get: (type, namespace, name) => store.get(type, { namespace, name }),
    revision,
    database,
    poke,
    stop: () => {
      isStopped = true;
      settling?.();
      alarm?.();
    },
  };
};
