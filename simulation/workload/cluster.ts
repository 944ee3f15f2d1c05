/** One workload cluster: its objects, its API, and the controllers that run while it has a control plane. */

import { ApiError, unavailable } from '../../machinery/api/errors.ts';
import { groupOf, type KindDefinition, resourceOf, type User } from '../../machinery/api/kind.ts';
import { isNotFound, prepareCreate } from '../../machinery/api/lifecycle.ts';
import { type KubeObject, keyOf } from '../../machinery/api/object.ts';
import type { Cancel, Clock, Log, Notifier, Random, Table } from '../../machinery/ports.ts';
import { createRegistry, type Extension } from '../../machinery/server/registry.ts';
import { type ApiServer, createServer } from '../../machinery/server/server.ts';
import { failureResponse } from '../../machinery/server/status.ts';
import { openStore, type Store } from '../../machinery/store/index.ts';
import { anonymous, certificateUser, tokenUser } from './api/authentication.ts';
import { authorizeBy } from './api/authorization.ts';
import { checkDefinition, definitionType, kindOfDefinition } from './api/custom-resources.ts';
import { evictionOf } from './api/eviction.ts';
import { withJsonBody } from './api/protobuf.ts';
import { tokenOf } from './cluster-info.ts';
import { clusterControllers } from './controllers/index.ts';
import { delays } from './delays.ts';
import { builtInKinds } from './kinds/index.ts';
import { parseVersion } from './kubeadm/version.ts';
import { isMirrorPod, type PodObject, stamp } from './objects.ts';
import type { ClusterRecord } from './records.ts';
import { type Host, Plan, type Step, safeText, type World } from './world.ts';

/** What a cluster needs of the machines it lives on. */
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
  /** Whether an API server answers: a control plane runs and etcd has a quorum. */
  isServing: () => boolean;
}

export interface Cluster {
  record: ClusterRecord;
  store: Store;
  /** One API request. `version` is that of the API server it reached. Never rejects. */
  fetch(request: Request, version: string, peer: { clientCertificate?: string; token?: string }): Promise<Response>;
  /** Already there = done. Keeps the status it is given. */
  create(object: KubeObject): Promise<void>;
  /** Objects of a type as of now. */
  list<T extends KubeObject = KubeObject>(type: string): Promise<T[]>;
  get(type: string, namespace: string, name: string): Promise<KubeObject | undefined>;
  /** Something outside of the objects changed. */
  poke(): void;
  /** Resolves when the controllers have nothing to do at present. */
  quiet(): Promise<void>;
  stop(): void;
}

/** Rounds of one run before something is taken to be wrong. */
const mostRounds = 200;

const graceOfPod = (object: KubeObject, requested: number | undefined): number => {
  const pod = object as PodObject;
  const { phase } = pod.status ?? {};
  if (!pod.spec?.nodeName || isMirrorPod(pod) || phase === 'Succeeded' || phase === 'Failed') return 0;
  return requested ?? pod.spec.terminationGracePeriodSeconds ?? 30;
};

/** Objects by type and key, kept up to date from the changes this process makes: it is the only writer. */
class Mirror {
  private readonly types = new Map<string, Map<string, KubeObject>>();
  private readonly stale = new Map<string, { type: string; namespace: string; name: string }>();
  private readonly sorted = new Map<string, KubeObject[]>();
  private refreshing: Promise<void> = Promise.resolve();

  changed(type: string, namespace: string, name: string): void {
    this.stale.set(`${type} ${namespace}/${name}`, { type, namespace, name });
  }
  get isStale(): boolean {
    return this.stale.size > 0;
  }
  async load(store: Store, type: string): Promise<void> {
    const { objects } = await store.list(type);
    this.types.set(type, new Map(objects.map((object) => [keyOf(object.metadata), object])));
    this.sorted.delete(type);
  }
  /** One after another, so that whoever waits for one has everything that was stale when it asked. */
  refresh(store: Store): Promise<void> {
    this.refreshing = this.refreshing.catch(() => undefined).then(() => this.readStale(store));
    return this.refreshing;
  }
  private async readStale(store: Store): Promise<void> {
    for (const [id, { type, namespace, name }] of [...this.stale]) {
      this.stale.delete(id);
      const object = await store.get(type, { namespace, name });
      const objects = this.types.get(type) ?? new Map<string, KubeObject>();
      if (object) objects.set(keyOf({ namespace, name }), object);
      else objects.delete(keyOf({ namespace, name }));
      this.types.set(type, objects);
      this.sorted.delete(type);
    }
  }
  list<T extends KubeObject>(type: string): T[] {
    const known = this.sorted.get(type);
    if (known) return known as T[];
    const entries = [...(this.types.get(type) ?? new Map<string, KubeObject>())].sort(([a], [b]) => (a < b ? -1 : 1));
    const list = entries.map(([, object]) => object);
    this.sorted.set(type, list);
    return list as T[];
  }
}

const versionInfo = (gitVersion: string) => {
  const { major = 1, minor = 0 } = parseVersion(gitVersion) ?? {};
  return {
    major: String(major),
    minor: String(minor),
    gitVersion,
    gitCommit: '0000000000000000000000000000000000000000',
    gitTreeState: 'clean',
    buildDate: '2026-01-01T00:00:00Z',
    goVersion: 'go1.25.5',
    compiler: 'gc',
    platform: 'linux/amd64',
  };
};

export const openCluster = (options: ClusterOptions): Cluster => {
  const { record, clock, random, log } = options;
  const mirror = new Mirror();
  let isStopped = false;
  let running: Promise<void> | undefined;
  let settling: Cancel | undefined;
  let alarm: Cancel | undefined;

  const poke = (): void => {
    if (isStopped || settling) return;
    settling = clock.after(delays.settle, () => {
      settling = undefined;
      running = (running ?? Promise.resolve()).then(run);
    });
  };

  const serve = (definition: KubeObject): void => {
    const kind = kindOfDefinition(definition);
    if (kind) registry.add(kind);
  };
  const unserve = async (definition: KubeObject): Promise<void> => {
    const kind = kindOfDefinition(definition);
    if (!kind) return;
    const type = resourceOf(kind);
    for (const { metadata } of (await store.list(type)).objects)
      await store.commit(type, { namespace: metadata.namespace ?? '', name: metadata.name }, (current) =>
        current ? { do: 'remove', object: current } : { do: 'nothing', object: definition },
      );
    registry.remove(kind.group, kind.plural);
  };
  const extensions: Record<string, Extension> = {
    pods: { subresources: { eviction: evictionOf() }, graceSeconds: graceOfPod },
    [definitionType]: {
      admit: checkDefinition,
      changed: (event, object) => (event === 'deleted' ? unserve(object) : serve(object)),
    },
  };
  const registry = createRegistry(builtInKinds, extensions);
  const kindOfType = (type: string): KindDefinition | undefined =>
    registry.list().find((resource) => resource.type === type)?.kind;

  const store = openStore({
    table: options.table,
    clock,
    random,
    notifier: options.notifier,
    kinds: kindOfType,
    // No kind of a workload cluster is encrypted at rest: nothing ever asks for a key.
    keys: {
      dataKey: () => Promise.reject(new Error('a workload cluster has no keys')),
      unwrap: () => Promise.reject(new Error('a workload cluster has no keys')),
    },
    onCommit: ({ type, namespace, name }) => {
      mirror.changed(type, namespace, name);
      poke();
    },
  });

  const loaded = (async () => {
    await mirror.load(store, definitionType);
    for (const definition of mirror.list(definitionType)) serve(definition);
    for (const { type } of registry.list()) if (type !== definitionType) await mirror.load(store, type);
  })();

  const create = async (object: KubeObject): Promise<void> => {
    const kind = registry.findKind(groupOf(object.apiVersion), object.kind)?.kind;
    if (!kind) throw new Error(`no kind ${object.kind} in ${object.apiVersion}`);
    const { namespace = '', name } = object.metadata;
    await store.commit(resourceOf(kind), { namespace, name }, (current) => {
      if (current) return { do: 'nothing', object: current };
      const decision = prepareCreate(kind, object, undefined, {
        now: clock.now(),
        uid: () => random.uuid(),
        user: { username: 'system:kube-controller-manager', groups: [] },
      });
      return object.status === undefined
        ? decision
        : { do: 'put', object: { ...decision.object, status: object.status } };
    });
  };

  const apply = async ({ do: verb, type, object }: Step): Promise<void> => {
    if (verb === 'create') return create(object);
    const { namespace = '', name, resourceVersion } = object.metadata;
    await store.commit(type, { namespace, name }, (current) => {
      // It changed since the controllers saw it: they will look again.
      if (!current || current.metadata.resourceVersion !== resourceVersion)
        return { do: 'nothing', object: current ?? object };
      if (verb === 'update') return { do: 'put', object };
      if (!current.metadata.finalizers?.length) return { do: 'remove', object: current };
      const { deletionTimestamp = stamp(clock.now()) } = current.metadata;
      if (current.metadata.deletionTimestamp) return { do: 'nothing', object: current };
      return { do: 'put', object: { ...current, metadata: { ...current.metadata, deletionTimestamp } } };
    });
  };

  const applyAll = async (steps: Step[]): Promise<void> => {
    for (const step of steps) {
      try {
        await apply(step);
      } catch (error) {
        // A lost race or a namespace that went meanwhile: the next look decides anew.
        if (!(error instanceof ApiError) || !(error.code === 409 || isNotFound(error))) throw error;
      }
    }
  };

  const controllers = clusterControllers(
    () => registry.list().map(({ type }) => type),
    () => registry.list().flatMap(({ type, kind }) => (kind.namespaced ? [type] : [])),
  );
  const decide = (): Plan => {
    const world: World = {
      now: clock.now(),
      requireCni: options.requireCni,
      cluster: record,
      hosts: options.hosts(),
      list: (type) => mirror.list(type),
      scaled: (ms) => ms / options.speed,
      suffix: () => safeText(Math.floor(random.next() * 2 ** 32), 5),
    };
    const plan = new Plan();
    for (const control of controllers) control(world, plan);
    return plan;
  };

  const run = async (): Promise<void> => {
    try {
      await loaded;
      for (let round = 0; !isStopped && options.isServing(); round++) {
        await mirror.refresh(store);
        const plan = decide();
        alarm?.();
        alarm = undefined;
        if (round === mostRounds) {
          log?.error('Controllers of a workload cluster do not settle', {
            cluster: record.id,
            steps: plan.steps.length,
          });
          alarm = clock.after(60_000, poke);
          return;
        }
        await applyAll(plan.steps);
        if (!mirror.isStale && plan.wakeAt !== undefined)
          alarm = clock.after(Math.max(1, plan.wakeAt - clock.now()), poke);
        if (!mirror.isStale) return;
      }
    } catch (error) {
      log?.error('Controllers of a workload cluster failed', { cluster: record.id, error });
      if (!isStopped) alarm = clock.after(5_000, poke);
    }
  };

  const users = new WeakMap<Request, User>();
  const servers = new Map<string, ApiServer>();
  const serverOf = (version: string): ApiServer => {
    const known = servers.get(version);
    if (known) return known;
    const server = createServer({
      kinds: registry,
      store,
      clock,
      random,
      authenticate: (request) => users.get(request),
      authorize: authorizeBy({ list: (type) => mirror.list(type) }),
      version: versionInfo(version),
      ...(log && { log }),
    });
    servers.set(version, server);
    return server;
  };

  /** Anonymous requests reach nothing but what a joining machine has to read before it trusts anybody. */
  const isForAnybody = (request: Request): boolean =>
    request.method === 'GET' &&
    new URL(request.url).pathname === '/api/v1/namespaces/kube-public/configmaps/cluster-info';

  const userOf = (request: Request, peer: { clientCertificate?: string; token?: string }): User | undefined => {
    if (peer.clientCertificate) return certificateUser(peer.clientCertificate, record.caCertificate, clock.now());
    const bearer = /^Bearer (.+)$/.exec(request.headers.get('Authorization') ?? '')?.[1] ?? peer.token;
    if (bearer === undefined) return isForAnybody(request) ? anonymous : undefined;
    const secrets = mirror.list('secrets').filter(({ metadata }) => metadata.namespace === 'kube-system');
    return tokenUser(
      bearer,
      secrets.flatMap((secret) => tokenOf(secret) ?? []),
      clock.now(),
    );
  };

  return {
    record,
    store,
    fetch: async (sent, version, peer) => {
      try {
        const request = await withJsonBody(sent);
        if (request instanceof Response) return request;
        await loaded;
        await mirror.refresh(store);
        if (isStopped || !options.isServing()) throw unavailable('etcdserver: no leader');
        const user = userOf(request, peer);
        if (user) users.set(request, user);
        return await serverOf(version).fetch(request);
      } catch (error) {
        return failureResponse(error);
      }
    },
    create,
    list: async <T extends KubeObject>(type: string) => {
      await loaded;
      await mirror.refresh(store);
      return mirror.list<T>(type);
    },
    get: (type, namespace, name) => store.get(type, { namespace, name }),
    poke,
    quiet: async () => {
      await loaded;
      await running;
    },
    stop: () => {
      isStopped = true;
      settling?.();
      alarm?.();
    },
  };
};
