/**
 * The whole system under a virtual clock: the API, every controller, the simulated account and its clusters. Listeners
 * see every stored state in order.
 */
import { memoryKeys } from '../../adapters/memory/keys.ts';
import { memoryNotifier } from '../../adapters/memory/notifier.ts';
import { memoryObjects } from '../../adapters/memory/object-storage.ts';
import { seededRandom } from '../../adapters/memory/random.ts';
import { virtualClock } from '../../adapters/memory/virtual-clock.ts';
import type { Addon } from '../../kinds/addons/addon/index.ts';
import type { ClusterResourceSet } from '../../kinds/addons/cluster-resource-set/index.ts';
import type { ClusterResourceSetBinding } from '../../kinds/addons/cluster-resource-set-binding/index.ts';
import type { GitOpsTarget } from '../../kinds/addons/gitops-target/index.ts';
import type { ScalingPlan } from '../../kinds/autoscaling/scaling-plan/index.ts';
import type { KubeadmConfig } from '../../kinds/bootstrap-kubeadm/kubeadm-config/index.ts';
import type { EtcdSnapshot } from '../../kinds/capstan/etcd-snapshot/index.ts';
import type { Installation } from '../../kinds/capstan/installation/index.ts';
import type { SnapshotListRequest } from '../../kinds/capstan/snapshot-list-request/index.ts';
import type { AWSManagedControlPlane } from '../../kinds/controlplane-eks/aws-managed-control-plane/index.ts';
import type { AWSManagedMachinePool } from '../../kinds/controlplane-eks/aws-managed-machine-pool/index.ts';
import type { KubeadmControlPlane } from '../../kinds/controlplane-kubeadm/kubeadm-control-plane/index.ts';
import type { Cluster } from '../../kinds/core/cluster/index.ts';
import type { ClusterClass } from '../../kinds/core/cluster-class/index.ts';
import { pushPath } from '../../kinds/core/contract/push/configuration.ts';
import type { Machine } from '../../kinds/core/machine/index.ts';
import type { MachineDeployment } from '../../kinds/core/machine-deployment/index.ts';
import type { MachineHealthCheck } from '../../kinds/core/machine-health-check/index.ts';
import type { MachinePool } from '../../kinds/core/machine-pool/index.ts';
import type { MachineSet } from '../../kinds/core/machine-set/index.ts';
import type { ExtensionConfig } from '../../kinds/extensions/extension-config/index.ts';
import { kinds } from '../../kinds/index.ts';
import type { AWSCluster } from '../../kinds/infrastructure-aws/aws-cluster/index.ts';
import type { AWSMachine } from '../../kinds/infrastructure-aws/aws-machine/index.ts';
import type { AWSMachinePool } from '../../kinds/infrastructure-aws/aws-machine-pool/index.ts';
import type { AWSMachineTemplate } from '../../kinds/infrastructure-aws/aws-machine-template/index.ts';
import type { IPAddress } from '../../kinds/ipam/ip-address/index.ts';
import type { IPAddressClaim } from '../../kinds/ipam/ip-address-claim/index.ts';
import type { Pool } from '../../kinds/ipam/pool/schema.ts';
import type { ConfigMap } from '../../kinds/kubernetes/config-map/index.ts';
import type { Namespace } from '../../kinds/kubernetes/namespace/index.ts';
import type { Secret } from '../../kinds/kubernetes/secret/index.ts';
import type { ClusterOperation } from '../../kinds/operations/cluster-operation/index.ts';
import type { UpgradeCheck } from '../../kinds/operations/upgrade-check/index.ts';
import { entryOf } from '../../local/log.ts';
import { packFrom } from '../../local/start.ts';
import { createSystem, type System } from '../../local/system.ts';
import { apiVersionOf, resourceOf } from '../../machinery/api/kind.ts';
import type { Condition, KubeObject } from '../../machinery/api/object.ts';
import type { CallWebhook } from '../../machinery/api/webhook.ts';
import type { Ports } from '../../machinery/controller/index.ts';
import type { ObjectStorage } from '../../machinery/object-storage.ts';
import { type Table, Throttled } from '../../machinery/ports.ts';
import { openStore } from '../../machinery/store/index.ts';
import { typeOfLogPartition } from '../../machinery/store/items.ts';
import { type BehaviourOptions, type ListedResource, wellBehaved } from '../../simulation/aws/index.ts';
import { type Copy, openDisk } from './disk.ts';
import './loaded.ts';
import { quickPki } from './pki.ts';
import { type Process, startProcess } from './process.ts';

/** The kinds that tests read. */
export interface Kinds {
  Cluster: Cluster;
  ClusterOperation: ClusterOperation;
  EtcdSnapshot: EtcdSnapshot;
  SnapshotListRequest: SnapshotListRequest;
  ScalingPlan: ScalingPlan;
  UpgradeCheck: UpgradeCheck;
  AWSCluster: AWSCluster;
  AWSManagedControlPlane: AWSManagedControlPlane;
  AWSManagedMachinePool: AWSManagedMachinePool;
  KubeadmControlPlane: KubeadmControlPlane;
  MachineDeployment: MachineDeployment;
  MachineSet: MachineSet;
  Machine: Machine;
  MachineHealthCheck: MachineHealthCheck;
  AWSMachine: AWSMachine;
  AWSMachineTemplate: AWSMachineTemplate;
  AWSMachinePool: AWSMachinePool;
  MachinePool: MachinePool;
  KubeadmConfig: KubeadmConfig;
  KubeadmConfigTemplate: KubeObject;
  ClusterResourceSetBinding: ClusterResourceSetBinding;
  ClusterResourceSet: ClusterResourceSet;
  Secret: Secret;
  ConfigMap: ConfigMap;
  Namespace: Namespace;
  Installation: Installation;
  Addon: Addon;
  GitOpsTarget: GitOpsTarget;
  IPAddress: IPAddress;
  IPAddressClaim: IPAddressClaim;
  InClusterIPPool: Pool;
  GlobalInClusterIPPool: Pool;
  ExtensionConfig: ExtensionConfig;
  ClusterClass: ClusterClass;
}
export type Kind = keyof Kinds;

export interface Answer {
  code: number;
  body: KubeObject & { message?: string };
  /** The Warning headers. */
  warnings: string;
}

export interface Committed {
  type: string;
  event: 'ADDED' | 'MODIFIED' | 'DELETED';
  name: string;
  object: KubeObject | undefined;
}

export interface World {
  readonly system: System;
  now(): number;
  /** The stored object, in its storage version. */
  find<K extends Kind>(kind: K, name: string, namespace?: string): Kinds[K] | undefined;
  all<K extends Kind>(kind: K, namespace?: string): Kinds[K][];
  condition(kind: Kind, name: string, type: string, namespace?: string): Condition | undefined;
  /** Called at each change, with the state right after it. */
  onCommit(listen: (change: Committed) => void): () => void;
  request(method: string, path: string, body?: unknown, contentType?: string): Promise<Answer>;
  /** The path of the object's collection. */
  pathOf(object: KubeObject): string;
  /** Creates the object, or merges it into the existing one, as `kubectl apply` does. */
  apply(object: KubeObject, namespace?: string): Promise<Answer>;
  patch(kind: Kind, name: string, patch: unknown, namespace?: string): Promise<Answer>;
  scale(kind: Kind, name: string, replicas: number, namespace?: string): Promise<Answer>;
  remove(kind: Kind, name: string, namespace?: string): Promise<Answer>;
  /** Advances time until `done`; throws after that many virtual minutes, with the status of every object. */
  until(what: string, done: () => boolean, minutes?: number): Promise<void>;
  pass(minutes: number): Promise<void>;
  /** Stops the process, and starts another one on the same state. */
  restart(): Promise<void>;
  /** Kills the process after that many more durable changes; `until` and `pass` start it again. */
  crashAfter(effects: number): void;
  /** Awaits a promise from outside the API, while time passes. */
  wait<T>(answer: Promise<T>): Promise<T>;
  /** Called when a process took over from a killed one. */
  onRestart(listen: () => void): void;
  /** Work items, executions and waiting tasks; accessed directly, not through the process. */
  readonly work: Table;
  /** The objects; accessed directly, too. */
  readonly objects: Table;
  /** The files of etcd snapshots. */
  readonly files: ObjectStorage;
  /** While true, the tables refuse every call, as DynamoDB does in an outage. */
  darken(isDark: boolean): void;
  /** Makes that many invocations of the workflows' tasks fail, or all of them; by default for an unknown reason. */
  crashTasks(count: number, error?: Error): void;
  /** The number of durable changes so far. */
  readonly effects: number;
  /** The number of passes so far, by controller and type. */
  readonly passes: Record<string, number>;
  live(type?: string): ListedResource[];
  /** The number of calls of each action so far. */
  calls(mutating?: boolean): Record<string, number>;
  errors: string[];
  /** Everything logged, errors included. */
  logs: string[];
  /** Ends the process. */
  moment(): Moment;
  story(): string;
  end(): void;
}

/** A world at one moment, from which others can start. */
export interface Moment {
  now: number;
  objects: Copy;
  account: Copy;
}

export interface WorldOptions {
  seed?: number;
  /** Defaults to the environment: the spine must pass without workflows, too. */
  workflows?: boolean;
  behaviour?: BehaviourOptions;
  from?: Moment;
  /** The installation, where several share one account. */
  installation?: string;
  /** API servers of clusters report to the installation. */
  reports?: boolean;
  /** How many times faster than AWS the account runs. */
  speed?: number;
  /** Nodes become Ready only with a network add-on. */
  requireCni?: boolean;
  /** Answers the calls of webhooks and extensions of users. */
  callWebhook?: CallWebhook;
  /** Ports of controllers, in addition or in their place. */
  ports?: Ports;
}

const conditionsOf = (object: KubeObject | undefined): Condition[] =>
  (object?.status as { conditions?: Condition[] } | undefined)?.conditions ?? [];

const token = 'a-token';
const withWorkflows = process.env.CAPSTAN_WORKFLOWS !== 'off';
const clusterScoped = new Set(kinds.filter(({ namespaced }) => !namespaced).map(({ kind }) => kind));
export const minute = 60_000;
const typeOf = new Map(kinds.map((kind) => [kind.kind, resourceOf(kind)]));

const pathOf = ({ apiVersion, kind: name }: { apiVersion: string; kind: string }, namespace: string): string => {
  const kind = kinds.find((one) => one.kind === name && apiVersion.split('/').at(-2) === (one.group || undefined));
  if (!kind) throw new Error(`no kind ${apiVersion} ${name}`);
  const root = kind.group ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  return kind.namespaced ? `${root}/namespaces/${namespace}/${kind.plural}` : `${root}/${kind.plural}`;
};
const pathOfKind = (name: string, namespace: string): string => {
  const kind = kinds.find((one) => one.kind === name)!;
  return pathOf({ apiVersion: apiVersionOf(kind.group, kind.versions[0]!.name), kind: name }, namespace);
};

export const createWorld = async ({
  seed = 1,
  behaviour = wellBehaved,
  workflows = withWorkflows,
  from,
  installation = 'here',
  reports = false,
  speed = 1,
  requireCni = false,
  callWebhook,
  ports,
}: WorldOptions = {}): Promise<World> => {
  const clock = virtualClock(from?.now ?? Date.UTC(2026, 0, 1));
  const random = seededRandom(seed);
  const objects = openDisk(clock, from?.objects);
  const account = openDisk(clock, from?.account);
  const objectsTable = objects.storage.table('objects');
  const workTable = objects.storage.table('work');
  const keys = memoryKeys(random, new Uint8Array(32));
  const states = new Map<string, Map<string, KubeObject>>();
  const listeners = new Set<(change: Committed) => void>();
  const errors: string[] = [];
  const logs: string[] = [];
  // A copy continues where its original may have reserved some.
  let lastPort = 30_000 + (from ? seed * 100 : 0);
  const network = { listen: () => {}, close: () => {}, reserve: () => ++lastPort };
  const reader = openStore({ table: objectsTable, clock, random, keys, kinds, notifier: memoryNotifier(clock) });
  /** The first error of a listener: it fails the test, not the pass that wrote. */
  let broken: unknown;
  let effects = 0;
  let crashAt = Number.POSITIVE_INFINITY;
  let process: Process;
  let system: System;

  const see = async (type: string, key: { namespace: string; name: string }, event: Committed['event']) => {
    const object = event === 'DELETED' ? undefined : await reader.get(type, key);
    const known = states.get(type) ?? new Map<string, KubeObject>();
    states.set(type, known);
    const id = `${key.namespace}/${key.name}`;
    if (object) known.set(id, object);
    else known.delete(id);
    for (const listen of listeners) {
      try {
        listen({ type, event, name: id, object });
      } catch (error) {
        broken ??= error;
      }
    }
  };
  let isDark = false;
  const unlessDark = (table: Table): Table => {
    const refused = () => Promise.reject(new Throttled('the table does not answer'));
    return {
      ...table,
      get: (...args) => (isDark ? refused() : table.get(...args)),
      query: (...args) => (isDark ? refused() : table.query(...args)),
      write: (...args) => (isDark ? refused() : table.write(...args)),
      transact: (...args) => (isDark ? refused() : table.transact(...args)),
    };
  };
  const watched: Table = {
    ...objectsTable,
    transact: async (id, writes) => {
      await objectsTable.transact(id, writes);
      for (const write of writes) {
        const type = 'put' in write ? typeOfLogPartition(write.put.pk) : undefined;
        if (!('put' in write) || type === undefined || write.put.event === 'SEAL') continue;
        const { namespace, name, event } = write.put;
        await see(type, { namespace: String(namespace), name: String(name) }, event as Committed['event']);
      }
    },
  };
  const passes: Record<string, number> = {};
  let crashingTasks = 0;
  let crash = new Error();
  const counted: Table = {
    ...workTable,
    write: (write) => {
      if (crashingTasks > 0 && 'put' in write && write.put.pk.startsWith('await#')) {
        crashingTasks -= 1;
        return Promise.reject(crash);
      }
      if ('update' in write && write.set?.holder !== undefined) {
        const controller = write.update.pk;
        passes[controller] = (passes[controller] ?? 0) + 1;
      }
      return workTable.write(write);
    },
  };

  const files = memoryObjects(clock);
  const launch = async () => {
    const current = startProcess(clock, () => {
      effects += 1;
      if (effects >= crashAt && current.alive) current.kill();
    });
    process = current;
    system = createSystem({
      clock: current.clock,
      speed,
      random,
      keys,
      objects: current.table(unlessDark(watched)),
      work: current.table(unlessDark(counted)),
      account: current.storage(account.storage),
      network,
      pki: quickPki(),
      log: {
        info: (message, facts) => logs.push(entryOf('info', message, facts)),
        error: (message, facts) => {
          const entry = entryOf('error', message, facts);
          logs.push(entry);
          if (current.alive) errors.push(entry);
        },
      },
      files,
      packFrom,
      installation,
      token,
      behaviour,
      workflows,
      requireCni,
      ...(callWebhook && { callWebhook }),
      ...(ports && { ports }),
      ...(reports && { push: { url: `https://capstan.example${pushPath}` } }),
    });
    let isStarted = false;
    void system.start().then(() => {
      isStarted = true;
    });
    await clock.run(() => isStarted || !current.alive);
  };

  /** Serves requests before any process runs. */
  const settledBefore = async <T>(promise: Promise<T>): Promise<T> => {
    let isOver = false;
    void promise.then(() => {
      isOver = true;
    });
    await clock.run(() => isOver);
    return promise;
  };

  /** First waits for what needs no virtual time; then advances the clock. */
  const settled = async <T>(promise: Promise<T>): Promise<T> => {
    let isOver = false;
    const over = () => {
      isOver = true;
    };
    promise.then(over, over);
    for (let turn = 0; turn < 20 && !isOver; turn++) await new Promise((resolve) => setImmediate(resolve));
    if (!isOver) await clock.run(() => isOver || !process.alive);
    if (!isOver) throw new Error('the process died under a request');
    return promise;
  };

  let restarted = () => {};
  const revive = async () => {
    if (broken) throw broken;
    while (!process.alive) {
      crashAt = Number.POSITIVE_INFINITY;
      system.stop();
      await launch();
      restarted();
    }
  };

  const all = <K extends Kind>(kind: K, namespace?: string): Kinds[K][] =>
    [...(states.get(typeOf.get(kind)!)?.values() ?? [])].filter(
      ({ metadata }) => namespace === undefined || metadata.namespace === namespace,
    ) as Kinds[K][];

  const story = () => {
    const kinds: Kind[] = [
      'Cluster',
      'ClusterOperation',
      'AWSCluster',
      'KubeadmControlPlane',
      'MachineDeployment',
      'MachineSet',
      'Machine',
      'AWSMachine',
    ];
    const lines = kinds.flatMap((kind) =>
      all(kind).map((object) => {
        const { metadata } = object;
        const conditions = conditionsOf(object)
          .filter((one) => one.status !== 'True' || one.type === 'Deleting')
          .map((one) => `\n    ${one.type}=${one.status} ${one.reason}: ${one.message ?? ''}`);
        const { name, namespace, deletionTimestamp, finalizers } = metadata;
        const { phase, step, message } = (object.status ?? {}) as Record<string, string | undefined>;
        if (kind === 'ClusterOperation') return `  ${kind} ${namespace}/${name} ${phase} at ${step}: ${message}`;
        return `  ${kind} ${namespace}/${name}${deletionTimestamp ? ` deleting ${finalizers}` : ''}${conditions.join('')}`;
      }),
    );
    return [
      ...lines,
      ...errors.slice(-5),
      `  ${world
        .live()
        .map(({ type, id }) => `${type} ${id}`)
        .join(', ')}`,
    ].join('\n');
  };

  const world: World = {
    get system() {
      return system;
    },
    files,
    now: () => clock.now(),
    find: <K extends Kind>(kind: K, name: string, namespace = 'default') =>
      states.get(typeOf.get(kind)!)?.get(`${clusterScoped.has(kind) ? '' : namespace}/${name}`) as Kinds[K] | undefined,
    all,
    condition: (kind, name, type, namespace) =>
      conditionsOf(world.find(kind, name, namespace)).find((one) => one.type === type),
    onCommit: (listen) => {
      listeners.add(listen);
      return () => listeners.delete(listen);
    },
    request: async (method, path, body, contentType = 'application/json') => {
      await revive();
      const response = await settled(
        system.server.fetch(
          new Request(`https://127.0.0.1${path}`, {
            method,
            headers: { authorization: `Bearer ${token}`, 'content-type': contentType },
            ...(body !== undefined && { body: JSON.stringify(body) }),
          }),
        ),
      );
      const warnings = response.headers.get('warning') ?? '';
      return { code: response.status, body: JSON.parse(await response.text()) as Answer['body'], warnings };
    },
    pathOf: (object) => pathOf(object, object.metadata.namespace ?? 'default'),
    apply: async (object, namespace = 'default') => {
      const path = pathOf(object, object.metadata.namespace ?? namespace);
      const applied = {
        ...object,
        metadata: {
          ...object.metadata,
          annotations: {
            ...object.metadata.annotations,
            'kubectl.kubernetes.io/last-applied-configuration': `${JSON.stringify(object)}\n`,
          },
        },
      };
      const found = await world.request('GET', `${path}/${object.metadata.name}`);
      const answer =
        found.code === 404
          ? await world.request('POST', path, applied)
          : await world.request('PATCH', `${path}/${object.metadata.name}`, applied, 'application/merge-patch+json');
      if (answer.code >= 300) throw new Error(`${object.kind} ${object.metadata.name}: ${JSON.stringify(answer.body)}`);
      return answer;
    },
    patch: (kind, name, patch, namespace = 'default') =>
      world.request('PATCH', `${pathOfKind(kind, namespace)}/${name}`, patch, 'application/merge-patch+json'),
    scale: (kind, name, replicas, namespace = 'default') =>
      world.request(
        'PATCH',
        `${pathOfKind(kind, namespace)}/${name}/scale`,
        { spec: { replicas } },
        'application/merge-patch+json',
      ),
    remove: (kind, name, namespace = 'default') =>
      world.request('DELETE', `${pathOfKind(kind, namespace)}/${name}`, { propagationPolicy: 'Background' }),
    until: async (what, done, minutes = 60) => {
      const deadline = clock.now() + minutes * minute;
      for (;;) {
        await revive();
        if (await clock.run(() => !!broken || done() || !process.alive, deadline)) {
          if (process.alive && !broken) return;
          continue;
        }
        throw new Error(`not within ${minutes} minutes: ${what}\n${story()}`);
      }
    },
    pass: async (minutes) => {
      const end = clock.now() + minutes * minute;
      for (;;) {
        await revive();
        await clock.run(() => !!broken || !process.alive, end);
        if (broken || !process.alive) continue;
        await clock.advance(end - clock.now());
        return;
      }
    },
    wait: settled,
    restart: async () => {
      process.kill();
      await revive();
    },
    onRestart: (listen) => {
      restarted = listen;
    },
    crashAfter: (more) => {
      crashAt = effects + more;
    },
    work: workTable,
    objects: objectsTable,
    darken: (dark) => {
      isDark = dark;
    },
    crashTasks: (count, error = new Error('the function crashed')) => {
      crashingTasks = count;
      crash = error;
    },
    get effects() {
      return effects;
    },
    passes,
    live: (type) => system.account.list().filter((one) => type === undefined || one.type === type),
    calls: (mutating) =>
      Object.fromEntries(
        system.account
          .calls()
          .filter((one) => mutating === undefined || one.mutating === mutating)
          .map(({ action, calls }) => [action, calls]),
      ),
    errors,
    logs,
    moment: () => {
      world.end();
      return { now: clock.now(), objects: objects.copy(), account: account.copy() };
    },
    story,
    end: () => {
      process.kill();
      system.stop();
    },
  };
  for (const kind of kinds.filter(({ storedAs }) => storedAs === undefined)) {
    const { objects: listed } = await settledBefore(reader.list(resourceOf(kind)));
    states.set(
      resourceOf(kind),
      new Map(listed.map((object) => [`${object.metadata.namespace ?? ''}/${object.metadata.name}`, object])),
    );
  }
  await launch();
  return world;
};
