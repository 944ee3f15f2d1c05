import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Action, Context, Failure, Plan, Read, Reader } from '../../../machinery/api/reconcile.ts';
import type { WorkloadNode } from '../../ports/workload.ts';
import type { Cluster } from '../cluster/schema.ts';
import { poolsAnnotation } from '../contract/pools.ts';
import { ago, cluster as clusterOf, core, healthy, node, now } from '../machine/machine.fixture.ts';
import { type Observed, observe } from './observe.ts';
import { reconcile, release } from './reconcile.ts';
import type { MachinePool, MachinePoolStatus } from './schema.ts';

const is = <T>(value: T): Read<T> => ({ state: 'found', value });
const absent: Read<never> = { state: 'absent' };
const context = { now, attempts: 0, lastFailure: undefined } as unknown as Context;

const owner = { apiVersion: core, kind: 'MachinePool', name: 'p', uid: 'p-uid', controller: true };
const part = (kind: string, of: { spec?: object; status?: object } = {}): KubeObject => ({
  apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
  kind,
  ...of,
  metadata: {
    name: 'p',
    namespace: 'default',
    uid: kind,
    resourceVersion: '1',
    labels: { 'cluster.x-k8s.io/cluster-name': 'c' },
    ownerReferences: [owner],
  },
});
const config = (name?: string) =>
  part('KubeadmConfig', { status: name ? { initialization: { dataSecretCreated: true }, dataSecretName: name } : {} });
const infra = (hosts: string[], status: object = { ready: true, replicas: hosts.length }) =>
  part('ToyMachinePool', { spec: { providerIDList: hosts }, status });

interface Given {
  replicas?: number;
  version?: string;
  minReadySeconds?: number;
  annotations?: Record<string, string>;
  secret?: string;
  hosts?: string[];
  deleting?: boolean;
  status?: MachinePoolStatus;
}
const pool = (given: Given = {}): MachinePool => {
  const { replicas = 2, version = 'v1.35.0', minReadySeconds, annotations, secret, hosts, deleting, status } = given;
  return {
    apiVersion: core,
    kind: 'MachinePool',
    metadata: {
      name: 'p',
      namespace: 'default',
      uid: 'p-uid',
      resourceVersion: '1',
      ...(annotations && { annotations }),
      ...(deleting && { deletionTimestamp: ago(60) }),
    },
    spec: {
      clusterName: 'c',
      replicas,
      ...(hosts && { providerIDList: hosts }),
      template: {
        spec: {
          clusterName: 'c',
          version,
          ...(minReadySeconds !== undefined && { minReadySeconds }),
          deletion: { nodeDeletionTimeoutSeconds: 10 },
          bootstrap: {
            configRef: { apiGroup: 'b', kind: 'KubeadmConfig', name: 'p' },
            ...(secret && { dataSecretName: secret }),
          },
          infrastructureRef: { apiGroup: 'i', kind: 'ToyMachinePool', name: 'p' },
        },
      },
    },
    ...(status && { status }),
  };
};
const cluster = clusterOf({ metadata: { annotations: { [poolsAnnotation]: 'true' } } }) as Cluster;
const observed = (of: Partial<Observed> = {}): Observed => ({
  pool: pool({ secret: 's', hosts: ['toy:///1', 'toy:///2'] }),
  cluster: is(cluster),
  infrastructure: is(infra(['toy:///1', 'toy:///2'])),
  isAnothers: false,
  bootstrapConfig: is(config('s')),
  snapshot: undefined,
  access: { kubeconfig: 'k' },
  nodes: [],
  stale: [],
  machines: is([]),
  infraMachines: is([]),
  withheld: undefined,
  now,
  ...of,
});
const up = (name: string, of: Partial<WorkloadNode> = {}) =>
  node({ name, uid: name, providerID: `toy:///${name}`, ...of });
const two = [up('1'), up('2')];
const story = ({ actions = [] }: Plan<MachinePoolStatus>): string[] =>
  actions.map((action: Action) => {
    if (action.do === 'create') return `create ${action.object.kind} ${action.object.metadata.name}`;
    if (action.do === 'call') return `${action.operation} ${(action.input as { name?: string }).name}`;
    return `${action.do} ${action.kind} ${action.name}`;
  });
const conditionOf = ({ status }: Plan<MachinePoolStatus>, of: string) =>
  status?.conditions?.find(({ type }) => type === of);

describe('a pool', () => {
  it.each<{ rule: string; of: Partial<Observed>; phase: string; counts?: MachinePoolStatus }>([
    {
      rule: 'is Pending without bootstrap data',
      of: { pool: pool(), bootstrapConfig: is(config()), infrastructure: is(infra([], {})) },
      phase: 'Pending',
    },
    {
      rule: 'is Provisioning with bootstrap data',
      of: { pool: pool(), infrastructure: is(infra([], {})) },
      phase: 'Provisioning',
    },
    {
      rule: 'is Provisioned with Nodes while its infrastructure is not',
      of: { infrastructure: is(infra(['toy:///1'], {})), nodes: [up('1')] },
      phase: 'Provisioned',
    },
    {
      rule: 'scales up while Nodes are missing',
      of: { nodes: [up('1')] },
      phase: 'ScalingUp',
      counts: { replicas: 2, readyReplicas: 1, availableReplicas: 1, upToDateReplicas: 1 },
    },
    {
      rule: 'runs with as many ready Nodes as replicas',
      of: { nodes: two },
      phase: 'Running',
      counts: { replicas: 2, readyReplicas: 2, availableReplicas: 2, upToDateReplicas: 2 },
    },
    {
      rule: 'scales down while there are more',
      of: { nodes: [...two, up('3')], infrastructure: is(infra(['toy:///1', 'toy:///2', 'toy:///3'])) },
      phase: 'ScalingDown',
    },
    {
      rule: 'is Scaling if another program decides its replicas',
      of: {
        pool: pool({ secret: 's', annotations: { 'cluster.x-k8s.io/replicas-managed-by': 'autoscaler' } }),
        nodes: [up('1')],
      },
      phase: 'Scaling',
    },
    {
      rule: 'scales by itself if the annotation says false',
      of: {
        pool: pool({ secret: 's', annotations: { 'cluster.x-k8s.io/replicas-managed-by': 'false' } }),
        nodes: [up('1')],
      },
      phase: 'ScalingUp',
    },
    {
      rule: 'counts Nodes of another version as outdated',
      of: { nodes: [up('1'), up('2', { nodeInfo: { kubeletVersion: 'v1.34.0' } })] },
      phase: 'Running',
      counts: { readyReplicas: 2, upToDateReplicas: 1 },
    },
    {
      rule: 'has failed if its infrastructure has gone',
      of: {
        pool: pool({ secret: 's', status: { initialization: { infrastructureProvisioned: true } } }),
        infrastructure: absent,
      },
      phase: 'Failed',
    },
    {
      rule: 'waits for infrastructure that was never there',
      of: { pool: pool({ secret: 's' }), infrastructure: absent },
      phase: 'Provisioning',
    },
  ])('$rule', ({ of, phase, counts = {} }) => {
    const { status } = reconcile(observed(of), context);
    expect(status).toMatchObject({ phase, ...counts });
  });

  it('is provisioned only as long as its infrastructure says so', () => {
    const was = pool({ secret: 's', status: { initialization: { infrastructureProvisioned: true } } });
    const { status } = reconcile(observed({ pool: was, infrastructure: is(infra([], {})) }), context);
    expect(status?.initialization).toEqual({ bootstrapDataSecretCreated: true });
  });

  it('reports what it lost, and recovers when that is there again', () => {
    const was = pool({ secret: 's', status: { initialization: { infrastructureProvisioned: true } } });
    const lost = reconcile(observed({ pool: was, infrastructure: absent }), context);
    expect(lost.status?.deprecated?.v1beta1?.failureReason).toBe('InvalidConfiguration');
    expect(conditionOf(lost, 'InfrastructureReady')).toMatchObject({ status: 'False', reason: 'ObjectDeleted' });
    const still = reconcile(observed({ pool: { ...was, status: lost.status! }, infrastructure: absent }), context);
    expect(still.status?.phase).toBe('Failed');
    const again = reconcile(observed({ pool: { ...was, status: lost.status! } }), context);
    expect(again.status?.deprecated?.v1beta1?.failureReason).toBeUndefined();
  });

  it('has failed if its infrastructure was deleted step by step', () => {
    const there = infra(['toy:///1']);
    const going = is({ ...there, metadata: { ...there.metadata, deletionTimestamp: ago(1) } });
    const during = reconcile(observed({ infrastructure: going }), context);
    expect(during.status?.initialization?.infrastructureProvisioned).toBeUndefined();
    const was = pool({ secret: 's', status: during.status! });
    const after = reconcile(observed({ pool: was, infrastructure: absent }), context);
    expect(after.status?.phase).toBe('Failed');
    expect(conditionOf(after, 'InfrastructureReady')).toMatchObject({ status: 'False', reason: 'ObjectDeleted' });
  });

  it('is available once its Nodes have been ready for long enough', () => {
    const ready = { type: 'Ready', status: 'True', lastTransitionTime: ago(20) };
    const nodes = two.map((one) => ({ ...one, conditions: [ready, ...healthy] }));
    const plan = reconcile(observed({ pool: pool({ secret: 's', minReadySeconds: 30 }), nodes }), context);
    expect(plan.status).toMatchObject({ readyReplicas: 2, availableReplicas: 0 });
    expect(conditionOf(plan, 'Available')).toMatchObject({ status: 'False', reason: 'NotAvailable' });
    expect(plan.requeueAfter).toBe(10);
  });

  it.each<{ rule: string; of: Partial<Observed>; fills: object | undefined }>([
    { rule: 'the name of another Secret', of: { bootstrapConfig: is(config('new')) }, fills: { secret: 'new' } },
    { rule: 'no name while the config has none', of: { bootstrapConfig: is(config()) }, fills: undefined },
    {
      rule: 'the hosts, whose order is of no matter',
      of: { infrastructure: is(infra(['toy:///2', 'toy:///1'])) },
      fills: undefined,
    },
    {
      rule: 'hosts that have come and gone',
      of: { infrastructure: is(infra(['toy:///3'])) },
      fills: { hosts: ['toy:///3'] },
    },
    { rule: 'no hosts once the last has gone', of: { infrastructure: is(infra([])) }, fills: { hosts: [] } },
  ])('takes over $rule', ({ of, fills }) => {
    const { intent } = reconcile(observed(of), context);
    const spec = intent?.spec as { template?: { spec: { bootstrap: object } }; providerIDList?: string[] } | undefined;
    const { secret, hosts } = (fills ?? {}) as { secret?: string; hosts?: string[] };
    expect(spec).toEqual(
      fills && {
        ...(secret && { template: { spec: { bootstrap: { dataSecretName: secret } } } }),
        ...(hosts && { providerIDList: hosts }),
      },
    );
  });

  it('tells its Cluster that it has pools, once', () => {
    const plain = clusterOf() as Cluster;
    expect(story(reconcile(observed({ cluster: is(plain) }), context))).toContain('patch Cluster c');
    expect(story(reconcile(observed(), context))).toEqual([]);
  });

  it('makes a Machine for each host that has an object', () => {
    const host = { ...part('ToyMachine'), metadata: { ...part('ToyMachine').metadata, name: 'host' } };
    const infrastructure = is(infra(['toy:///1'], { ready: true, infrastructureMachineKind: 'ToyMachine' }));
    const plan = reconcile(observed({ infrastructure, infraMachines: is([host]) }), context);
    expect(story(plan)).toEqual(['create Machine host']);
  });
});

describe('a part that another object controls', () => {
  const hosts = ['toy:///1'];
  const shared = (one: KubeObject): KubeObject => ({
    ...one,
    metadata: { ...one.metadata, ownerReferences: [{ ...owner, name: 'first', uid: 'first-uid' }] },
  });
  const planOf = (of: MachinePool, parts: KubeObject[]) => {
    const all = [cluster, ...parts];
    const get = (kind: string): Read<unknown> => {
      const there = all.find((one) => one.kind === kind);
      return there ? is(there) : absent;
    };
    const list = (_: unknown, where: { namespace?: string }) => {
      expect(where.namespace).toBe('default');
      return is([]);
    };
    const reader = { get, list, ask: () => absent } as unknown as Reader;
    return reconcile(observe(of, reader, context), context);
  };
  const provisioned = { initialization: { infrastructureProvisioned: true, bootstrapDataSecretCreated: true } };
  it.each<{ rule: string; of: Given; parts: KubeObject[]; says: [string, string]; does?: string[]; spec?: object }>([
    {
      rule: 'is no infrastructure of this pool',
      of: { secret: 's' },
      parts: [shared(infra(hosts)), config('s')],
      says: ['InfrastructureReady', 'ToyMachinePool p'],
    },
    {
      rule: 'has no hosts for this pool, even if it named them',
      of: { secret: 's', hosts, status: provisioned },
      parts: [shared(infra(hosts)), config('s')],
      says: ['InfrastructureReady', 'ToyMachinePool p'],
      spec: { providerIDList: [] },
    },
    {
      rule: 'gives no bootstrap data to this pool',
      of: {},
      parts: [infra([]), shared(config('s'))],
      says: ['BootstrapConfigReady', 'KubeadmConfig p'],
    },
    {
      rule: 'stays, as infrastructure, when this pool goes',
      of: { secret: 's', hosts, deleting: true, status: provisioned },
      parts: [shared(infra(hosts)), config('s')],
      says: ['InfrastructureReady', 'ToyMachinePool p'],
      does: ['delete KubeadmConfig p'],
    },
    {
      rule: 'stays, as bootstrap config, when this pool goes',
      of: { secret: 's', deleting: true, status: provisioned },
      parts: [shared(config('s'))],
      says: ['BootstrapConfigReady', 'KubeadmConfig p'],
    },
  ])('$rule', ({ of, parts, says: [condition, name], does = [], spec }) => {
    const plan = planOf(pool(of), parts);
    expect(story(plan)).toEqual(does);
    expect(conditionOf(plan, condition)).toMatchObject({
      status: 'False',
      reason: 'ObjectDoesNotExist',
      message: `${name} is controlled by MachinePool first: name another one, which this MachinePool has for itself`,
    });
    expect(plan.intent?.spec).toEqual(spec);
    expect(plan.status?.phase).not.toBe('Failed');
  });
});

describe('a Machine of a pool', () => {
  const asked = (change: object = {}) => ({
    ...(part('Machine') as object),
    status: {
      conditions: [
        { type: 'HealthCheckSucceeded', status: 'False', reason: 'UnhealthyNode', message: '' },
        { type: 'OwnerRemediated', status: 'False', reason: 'WaitingForRemediation', message: '' },
      ],
    },
    ...change,
  });
  it.each([
    {
      rule: 'is deleted when a health check asks for it',
      machine: asked(),
      does: ['patch Machine p', 'delete Machine p'],
    },
    { rule: 'stays while it is healthy', machine: part('Machine'), does: [] },
    {
      rule: 'stays where its user takes care of it',
      machine: asked({ metadata: { name: 'p', uid: 'p', annotations: { 'cluster.x-k8s.io/skip-remediation': '' } } }),
      does: [],
    },
  ])('$rule', ({ machine, does }) =>
    expect(story(reconcile(observed({ machines: is([machine as never]) }), context))).toEqual(does));
});

describe('the deletion of a pool', () => {
  const deleting = pool({ deleting: true, secret: 's', hosts: ['toy:///1'] });
  const machine = part('Machine') as never;
  const refused = { port: 'workload', operation: 'delete', code: 'Unreachable', message: '', at: now } as Failure;
  const gone = { infrastructure: absent, bootstrapConfig: absent };
  it.each<{
    rule: string;
    of: Partial<Observed>;
    with?: Partial<Context>;
    does: string[];
    reason: string;
    ends?: boolean;
  }>([
    {
      rule: 'begins with its Machines, which are drained',
      of: { machines: is([machine]) },
      does: ['delete Machine p'],
      reason: 'WaitingForMachinesDeletion',
    },
    {
      rule: 'goes on with its hosts',
      of: {},
      does: ['delete ToyMachinePool p'],
      reason: 'WaitingForInfrastructureDeletion',
    },
    {
      rule: 'then removes the bootstrap config',
      of: { infrastructure: absent },
      does: ['delete KubeadmConfig p'],
      reason: 'WaitingForBootstrapDeletion',
    },
    {
      rule: 'ends with its Nodes',
      of: { ...gone, nodes: [up('1')] },
      does: ['delete 1'],
      reason: 'DeletingNodes',
      ends: true,
    },
    {
      rule: 'leaves its Nodes to the deletion of the cluster',
      of: {
        ...gone,
        nodes: [up('1')],
        cluster: is({ ...cluster, metadata: { ...cluster.metadata, deletionTimestamp: ago(1) } }),
      },
      does: [],
      reason: 'DeletionCompleted',
      ends: true,
    },
    {
      rule: 'gives up on Nodes after the timeout',
      of: { ...gone, nodes: [up('1')] },
      with: { lastFailure: refused, attempts: 3 },
      does: [],
      reason: 'DeletionCompleted',
      ends: true,
    },
    {
      rule: 'never goes on while a part cannot be read',
      of: { infrastructure: { state: 'unreadable', reason: 'why' } },
      does: [],
      reason: 'InternalError',
    },
  ])('$rule', ({ of, with: more = {}, does, reason, ends = false }) => {
    const plan = reconcile(observed({ pool: deleting, ...of }), { ...context, ...more });
    expect(story(plan)).toEqual(does);
    expect(conditionOf(plan, 'Deleting')?.reason).toBe(reason);
    expect(plan.finished ?? false).toBe(ends);
  });
});

describe('a pool whose cluster is torn down', () => {
  const withheld = { releases: true, reason: 'TornDown', message: 'torn down' };
  it.each([
    { rule: 'waits for its hosts to go', infrastructure: is(infra(['toy:///1'])), released: false },
    { rule: 'waits for its infrastructure to go', infrastructure: is(infra([])), released: false },
    { rule: 'starts over once nothing is left', infrastructure: is(infra([], {})), released: true },
  ])('$rule', ({ infrastructure, released }) => {
    const plan = release(observed({ infrastructure, withheld }), context);
    expect(plan.released !== undefined).toBe(released);
    expect(plan.intent?.spec).toBeUndefined();
  });
});
