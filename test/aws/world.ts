/**
 * The AWS provider's controllers on a simulated account under a virtual clock: passes as the loop runs them,
 * on objects in a map. The test writes what the core controllers would write.
 */
import { guarded } from '../../adapters/cloud/guarded.ts';
import { seededRandom } from '../../adapters/memory/random.ts';
import { memoryStorage } from '../../adapters/memory/storage.ts';
import { virtualClock } from '../../adapters/memory/virtual-clock.ts';
import { operatedContext, operatedPlan } from '../../kinds/core/contract/operated.fixture.ts';
import { awsClusterController } from '../../kinds/infrastructure-aws/aws-cluster/controller.ts';
import { awsCluster } from '../../kinds/infrastructure-aws/aws-cluster/index.ts';
import { defaultIdentity } from '../../kinds/infrastructure-aws/aws-cluster-controller-identity/index.ts';
import { awsMachineController } from '../../kinds/infrastructure-aws/aws-machine/controller.ts';
import { awsMachine } from '../../kinds/infrastructure-aws/aws-machine/index.ts';
import type { Cloud } from '../../kinds/ports/cloud/index.ts';
import type { LegacyDraft } from '../../machinery/api/conditions.ts';
import { equal, mergePatch } from '../../machinery/api/merge.ts';
import type { JsonValue, KubeObject } from '../../machinery/api/object.ts';
import type {
  Action,
  AnyPlan,
  Context,
  Controller,
  EventDraft,
  Failure,
  Read,
  Reader,
} from '../../machinery/api/reconcile.ts';
import { rounds } from '../../machinery/controller/pass.ts';
import { type Account, type BehaviourOptions, createAccount } from '../../simulation/aws/index.ts';

type AnyController = Controller<KubeObject, unknown>;

export interface World {
  account: Account;
  /** The number of changes that passes made to objects. */
  writes: number;
  passes: number;
  get<T extends KubeObject>(kind: string, name: string): T;
  find(kind: string, name: string): KubeObject | undefined;
  put(object: KubeObject): void;
  /** Deletes as the API does: at once, or when the last finalizer is removed. */
  remove(kind: string, name: string): void;
  /** Enqueues the object, as an event of the account or a sweep does. */
  enqueue(kind: string, name: string): void;
  /** Runs passes until `done`; throws after `seconds` of virtual time. */
  until(done: () => boolean, seconds?: number): Promise<void>;
  /** Runs every controller on every object repeatedly for that long. */
  run(seconds: number): Promise<void>;
  /** Crashes the process after the nth action from now. */
  crashAfter(actions: number): void;
  now(): number;
  live(type?: string): string[];
  /** Conditions and Warnings that call for attention: conditions with a severity above Info, and Warning Events. */
  alarms: string[];
  /** All Events with their reasons. */
  events: string[];
}

class Crash extends Error {}
/** Ends a pass with too many rounds of reads, as in the loop; it runs again, because pages may be arbitrarily short. */
class TooManyRounds extends Error {}

const controllers = [awsClusterController, awsMachineController] as unknown as AnyController[];
const kinds: Record<string, typeof awsCluster> = { AWSCluster: awsCluster, AWSMachine: awsMachine };

export const createWorld = ({
  seed = 1,
  behaviour,
  speed = 1,
  workflows = false,
  cloud: other,
}: {
  seed?: number;
  /** Replaces the simulated account. */
  cloud?: Cloud;
  /** Whether the targets of operations apply. */
  workflows?: boolean;
  behaviour?: BehaviourOptions;
  speed?: number;
} = {}): World => {
  const clock = virtualClock(Date.UTC(2026, 0, 1));
  const random = seededRandom(seed);
  const account = createAccount({
    clock,
    random,
    storage: memoryStorage(clock),
    network: { listen: () => {}, close: () => {}, reserve: () => 30_000 + Math.floor(random.next() * 10_000) },
    guests: {
      boot: () => {},
      halt: () => {},
      forget: () => {},
      answers: () => true,
      console: () => '',
      onChange: () => {},
      listen: () => {},
      close: () => {},
    },
    speed,
    ...(behaviour && { behaviour }),
  });
  const cloud = guarded(other ?? account);
  const objects = new Map<string, KubeObject>();
  const due = new Map<string, { at: number; failure?: Failure; attempts: number }>();
  let version = 0;
  let crash = Number.POSITIVE_INFINITY;
  const idOf = (kind: string, name: string) => `${kind}/${name}`;
  const world: World = {
    account,
    writes: 0,
    passes: 0,
    alarms: [],
    events: [],
    get: <T extends KubeObject>(kind: string, name: string) => objects.get(idOf(kind, name)) as T,
    find: (kind, name) => objects.get(idOf(kind, name)),
    put: (object) => store(object),
    remove: (kind, name) => {
      const object = objects.get(idOf(kind, name));
      if (!object) return;
      if (!object.metadata.finalizers?.length) {
        objects.delete(idOf(kind, name));
        wake('', kind);
      } else
        store({
          ...object,
          metadata: { ...object.metadata, deletionTimestamp: new Date(clock.now()).toISOString() },
        });
    },
    enqueue: (kind, name) => {
      const id = idOf(kind, name);
      due.set(id, { ...(due.get(id) ?? { attempts: 0 }), at: clock.now() });
    },
    until: async (done, seconds = 3600) => {
      const end = clock.now() + seconds * 1000;
      while (!done()) {
        if (clock.now() >= end) throw new Error(`not within ${seconds} s: ${story()}`);
        await step();
      }
    },
    run: async (seconds) => {
      const end = clock.now() + seconds * 1000;
      while (clock.now() < end) await step();
    },
    crashAfter: (actions) => {
      crash = actions;
    },
    now: () => clock.now(),
    live: (type) =>
      account
        .list()
        .filter((one) => !type || one.type === type)
        .map(({ id }) => id),
  };

  const story = () =>
    [...objects.values()]
      .filter(({ kind }) => kind in kinds)
      .map(({ kind, status }) => `${kind} ${JSON.stringify((status as { conditions?: unknown })?.conditions)}`)
      .join('\n');

  const store = (object: KubeObject) => {
    const id = idOf(object.kind, object.metadata.name);
    const before = objects.get(id);
    const definition = kinds[object.kind];
    const admission = {
      operation: before ? 'update' : 'create',
      old: before,
      user: { username: 't', groups: [] },
      dryRun: false,
    } as const;
    const admitted = definition?.default?.(object, admission as never) ?? object;
    const faults = definition?.validate?.(admitted, admission as never) ?? [];
    if (faults.length) throw new Error(`invalid ${id}: ${JSON.stringify(faults)}`);
    if (
      before &&
      equal(
        { ...before, metadata: { ...before.metadata, resourceVersion: '' } },
        { ...admitted, metadata: { ...admitted.metadata, resourceVersion: '' } },
      )
    )
      return;
    version += 1;
    world.writes += 1;
    const next = { ...admitted, metadata: { ...admitted.metadata, resourceVersion: String(version) } };
    if (next.metadata.deletionTimestamp && !next.metadata.finalizers?.length) objects.delete(id);
    else objects.set(id, next);
    wake(id, object.kind);
  };

  /** As in wiring.ts: own changes enqueue unless in backoff, and machines of a cluster do not enqueue each other. */
  const wake = (id: string, kind: string) => {
    for (const [key, item] of due) {
      const own = key === id;
      const foreign = !own && kind !== 'AWSMachine';
      if (foreign || (own && item.attempts === 0)) due.set(key, { ...item, at: Math.min(item.at, clock.now()) });
    }
  };

  const step = async () => {
    for (const controller of controllers)
      for (const object of [...objects.values()].filter(({ kind }) => kind === controller.for)) {
        const id = idOf(object.kind, object.metadata.name);
        if ((due.get(id)?.at ?? 0) > clock.now()) continue;
        due.set(id, { ...(due.get(id) ?? { attempts: 0 }), at: Number.POSITIVE_INFINITY });
        try {
          await pass(controller, id);
        } catch (error) {
          if (error instanceof TooManyRounds) {
            const attempts = (due.get(id)?.attempts ?? 0) + 1;
            due.set(id, { at: clock.now() + 1000 * attempts, attempts });
            continue;
          }
          if (!(error instanceof Crash)) throw error;
          // A new process starts with only what was written.
          for (const key of due.keys()) due.set(key, { at: clock.now(), attempts: 0 });
        }
      }
    const next = Math.min(...[...due.values()].map(({ at }) => at), clock.now() + 30_000);
    await clock.advance(Math.max(next - clock.now(), 10));
  };

  /** The withheld target, as the loop derives it from the object's Cluster. */
  const withinCluster = (controller: AnyController, object: KubeObject, context: Context): Context => {
    const name = controller.clusterOf?.(object);
    return operatedContext(
      controller,
      object,
      name === undefined ? undefined : objects.get(idOf('Cluster', name)),
      context,
    );
  };

  const contextOf = (id: string, failure?: Failure): Context => ({
    now: clock.now(),
    random: {
      suffix: (length = 5) => Buffer.from(random.bytes(length)).toString('hex').slice(0, length),
      pick: (from) => from[Math.floor(random.next() * from.length)]!,
      token: () => random.uuid(),
    },
    lastFailure: failure ?? due.get(id)?.failure,
    attempts: due.get(id)?.attempts ?? 0,
    installation: 'here',
    config: { workflows },
    awaits: [],
  });

  const observeAll = async (
    controller: AnyController,
    object: KubeObject,
    context: Context,
    answers = new Map<string, Read<unknown>>(),
  ) => {
    for (let round = 0; round <= rounds; round += 1) {
      const wanted = new Map<string, () => Promise<Read<unknown>>>();
      const need = <T>(key: string, make: () => Promise<Read<unknown>>): Read<T> => {
        if (answers.has(key)) return answers.get(key) as Read<T>;
        wanted.set(key, make);
        return { state: 'unread' };
      };
      const reader: Reader = {
        get: <T extends KubeObject>(kind: string, { name }: { name: string }) =>
          need<T>(`get ${kind} ${name}`, async () => {
            const value = objects.get(idOf(kind, name));
            return value ? { state: 'found', value } : { state: 'absent' };
          }),
        list: <T extends KubeObject>(kind: string) =>
          need<T[]>(`list ${kind}`, async () => ({
            state: 'found',
            value: [...objects.values()].filter((one) => one.kind === kind),
          })),
        tombstone: () => ({ state: 'absent' }),
        facts: () => ({ state: 'found', value: [] }),
        ask: <T>(_: string, operation: string, input: JsonValue) =>
          need<T>(`${operation} ${JSON.stringify(input)}`, async () => {
            try {
              const value = await cloud.read(operation, input);
              return value === undefined ? { state: 'absent' } : { state: 'found', value };
            } catch (error) {
              return { state: 'unreadable', reason: (error as Error).message };
            }
          }),
      };
      const snapshot = controller.observe(object, reader, context);
      if (wanted.size === 0) return snapshot;
      for (const [key, make] of wanted) answers.set(key, await make());
    }
    throw new TooManyRounds();
  };

  const pass = async (controller: AnyController, id: string) => {
    world.passes += 1;
    const object = objects.get(id)!;
    const { finalizers = [], deletionTimestamp } = object.metadata;
    if (!finalizers.includes(controller.finalizer!)) {
      if (!deletionTimestamp)
        store({ ...object, metadata: { ...object.metadata, finalizers: [...finalizers, controller.finalizer!] } });
      return;
    }
    const context = withinCluster(controller, object, contextOf(id));
    const observed = await observeAll(controller, object, context);
    const plan = operatedPlan(controller, object, observed, context);
    if (plan.intent) store(mergePatch(object, plan.intent));
    const { failed: failure, forgone } = await perform(plan.actions ?? []);
    const answers = new Map<string, Read<unknown>>();
    const knowing = async (failed: Failure) => {
      const within = withinCluster(controller, object, contextOf(id, failed));
      return operatedPlan(controller, object, await observeAll(controller, object, within, answers), within);
    };
    const executed = failure ? await knowing(failure) : plan;
    const warnings: EventDraft[] = [];
    for (const one of forgone) warnings.push(...((await knowing(one)).events ?? []));
    const current = objects.get(id)!;
    world.events.push(
      ...[...(executed.events ?? []), ...warnings].map(({ reason, message }) => `${reason}: ${message}`),
    );
    if (current.kind === 'AWSCluster') world.alarms.push(...alarmsIn(executed));
    if (executed.status) store({ ...current, status: stamp(executed.status, current) });
    if (!failure && plan.finished) {
      const last = objects.get(id)!;
      store({
        ...last,
        metadata: { ...last.metadata, finalizers: finalizers.filter((one) => one !== controller.finalizer) },
      });
    }
    const attempts = failure ? (due.get(id)?.attempts ?? 0) + 1 : 0;
    const wait =
      plan.again && !failure ? 0 : failure ? Math.min(executed.requeueAfter ?? 30, 2 ** attempts) : plan.requeueAfter;
    const at = wait === undefined ? due.get(id)!.at : clock.now() + wait * 1000;
    due.set(id, { at: Math.min(at, due.get(id)!.at), attempts, ...(failure && { failure }) });
  };

  const alarmsIn = ({ status, events = [] }: AnyPlan): string[] => {
    const conditions = (status?.conditions ?? []) as unknown as LegacyDraft[];
    const calm = ({ status: is, severity }: LegacyDraft) => is === 'True' || severity === 'Info';
    return [
      ...conditions.filter((one) => !calm(one)).map(({ type, reason, message }) => `${type}: ${reason}: ${message}`),
      ...events.filter(({ type }) => type === 'Warning').map(({ reason, message }) => `${reason}: ${message}`),
    ];
  };

  const stamp = (status: Record<string, unknown>, { status: before }: KubeObject) => ({
    ...status,
    conditions: (status.conditions as { type: string; status: string }[] | undefined)?.map((condition) => {
      const old = (
        before as { conditions?: { type: string; status: string; lastTransitionTime: string }[] }
      )?.conditions?.find(({ type }) => type === condition.type);
      return {
        ...condition,
        lastTransitionTime:
          old?.status === condition.status ? old.lastTransitionTime : new Date(clock.now()).toISOString(),
      };
    }),
  });

  const expectNoCrash = () => {
    if (crash > 0) return;
    crash = Number.POSITIVE_INFINITY;
    throw new Crash();
  };

  const perform = async (actions: Action[]): Promise<{ failed: Failure | undefined; forgone: Failure[] }> => {
    const stopped = new Set<string | undefined>();
    const forgone: Failure[] = [];
    let failed: Failure | undefined;
    for (const action of actions) {
      if (stopped.has(action.group)) continue;
      expectNoCrash();
      try {
        if (action.do === 'call') await cloud.call(action.operation, action.input);
        else if (action.do === 'patch') {
          const object = objects.get(idOf(action.kind, action.name));
          if (object) store(mergePatch(object, action.patch));
        } else throw new Error(`no ${action.do} here`);
      } catch (error) {
        const { code = 'Error', message } = error as Error & { code?: string };
        stopped.add(action.group);
        const failure: Failure = {
          port: 'cloud',
          operation: action.do === 'call' ? action.operation : action.do,
          code,
          message,
          at: clock.now(),
          ...(action.group && { group: action.group }),
        };
        if (action.optional) forgone.push(failure);
        else failed ??= failure;
      }
      crash -= 1;
      expectNoCrash();
    }
    return { failed, forgone };
  };

  world.put(defaultIdentity);
  world.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default' } });
  return world;
};

/** A Cluster and its AWSCluster, as core leaves them. */
export const addCluster = (world: World, spec: Record<string, unknown> = {}, name = 'demo'): void => {
  world.put({
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'Cluster',
    metadata: { name, namespace: 'default', uid: `uid-of-${name}` },
    spec: { infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'AWSCluster', name } },
    status: { initialization: { infrastructureProvisioned: true } },
  });
  world.put({
    apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
    kind: 'AWSCluster',
    metadata: {
      name,
      namespace: 'default',
      uid: `uid-of-aws-${name}`,
      labels: { 'cluster.x-k8s.io/cluster-name': name },
      ownerReferences: [{ apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', name, uid: `uid-of-${name}` }],
    },
    spec: {
      region: 'eu-west-1',
      controlPlaneLoadBalancer: { loadBalancerType: 'nlb', healthCheckProtocol: 'HTTPS' },
      ...spec,
    },
  });
};

/** The host of a Machine has joined its cluster. */
export const join = (world: World, name: string): void =>
  world.put({ ...world.get('Machine', name), status: { nodeRef: { name } } });

/** A Machine with its bootstrap data and its AWSMachine. */
export const addMachine = (
  world: World,
  name: string,
  {
    spec = {},
    controlPlane = true,
    machine = {},
    annotations,
  }: {
    spec?: Record<string, unknown>;
    controlPlane?: boolean;
    machine?: Record<string, unknown>;
    annotations?: Record<string, string>;
  } = {},
): void => {
  const labels = {
    'cluster.x-k8s.io/cluster-name': 'demo',
    ...(controlPlane && { 'cluster.x-k8s.io/control-plane': '' }),
  };
  world.put({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace: 'default' },
    data: { value: Buffer.from(`## template: jinja\n#cloud-config\n# ${name}\n`).toString('base64') },
  });
  world.put({
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'Machine',
    metadata: { name, namespace: 'default', uid: `uid-of-${name}`, labels },
    spec: { clusterName: 'demo', version: 'v1.35.0', bootstrap: { dataSecretName: name }, ...machine },
  });
  world.put({
    apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
    kind: 'AWSMachine',
    metadata: {
      name,
      namespace: 'default',
      uid: `uid-of-aws-${name}`,
      labels,
      ...(annotations && { annotations }),
      ownerReferences: [
        { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Machine', name, uid: `uid-of-${name}`, controller: true },
      ],
    },
    spec: {
      instanceType: 't3.large',
      iamInstanceProfile: 'control-plane.cluster-api-provider-aws.sigs.k8s.io',
      ...spec,
    },
  });
};
