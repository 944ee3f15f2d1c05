import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Action, Context, Read } from '../../../machinery/api/reconcile.ts';
import { operatedContext, operatedPlan } from '../contract/operated.fixture.ts';
import type { Machine } from '../machine/schema.ts';
import { machineSetController } from './controller.ts';
import type { Observed } from './observe.ts';
import type { MachineSet } from './schema.ts';

const found = <T>(value: T): Read<T> => ({ state: 'found', value });
const now = Date.parse('2026-01-01T00:00:00Z');
const infrastructure = 'infrastructure.cluster.x-k8s.io';
const bootstrap = 'bootstrap.cluster.x-k8s.io';
const core = 'cluster.x-k8s.io/v1beta2';

const context = (): Context => {
  let drawn = 0;
  return {
    now,
    random: { suffix: () => `rand${++drawn}`, pick: (from) => from[0]!, token: () => 'token' },
    lastFailure: undefined,
    attempts: 0,
    installation: 'test',
    config: {},
    awaits: [],
  };
};
const owner = { apiVersion: core, kind: 'MachineSet', name: 'set', uid: 'set-uid' };

const machineSet = ({ replicas = 1, annotations = {}, ...spec }: Record<string, unknown> = {}): MachineSet =>
  ({
    apiVersion: core,
    kind: 'MachineSet',
    metadata: {
      name: 'set',
      namespace: 'default',
      uid: 'set-uid',
      resourceVersion: '7',
      labels: { 'cluster.x-k8s.io/cluster-name': 'c' },
      annotations,
      ownerReferences: [{ apiVersion: core, kind: 'Cluster', name: 'c', uid: 'c-uid' }],
    },
    spec: {
      clusterName: 'c',
      replicas,
      selector: { matchLabels: { of: 'set', 'cluster.x-k8s.io/cluster-name': 'c' } },
      template: {
        metadata: { labels: { of: 'set', 'cluster.x-k8s.io/cluster-name': 'c' } },
        spec: {
          clusterName: 'c',
          version: 'v1.35.0',
          bootstrap: { configRef: { apiGroup: bootstrap, kind: 'KubeadmConfigTemplate', name: 'config' } },
          infrastructureRef: { apiGroup: infrastructure, kind: 'AWSMachineTemplate', name: 'hosts' },
        },
      },
      ...spec,
    },
  }) as unknown as MachineSet;
const template = (group: string, kind: string, name: string): KubeObject => ({
  apiVersion: `${group}/v1beta2`,
  kind,
  metadata: {
    name,
    namespace: 'default',
    uid: name,
    ownerReferences: [{ apiVersion: core, kind: 'Cluster', name: 'c', uid: 'c-uid' }],
  },
  spec: { template: { metadata: { labels: { from: name } }, spec: { like: name } } },
});
const machine = (name: string, more: { deleting?: boolean; annotations?: object; orphan?: boolean } = {}): Machine =>
  ({
    apiVersion: core,
    kind: 'Machine',
    metadata: {
      name,
      namespace: 'default',
      uid: `${name}-uid`,
      resourceVersion: '3',
      annotations: more.annotations ?? {},
      ...(more.deleting && { deletionTimestamp: '2026-01-01T00:00:00Z' }),
      ...(!more.orphan && { ownerReferences: [{ ...owner, controller: true }] }),
    },
    spec: {
      clusterName: 'c',
      version: 'v1.35.0',
      bootstrap: { configRef: { apiGroup: bootstrap, kind: 'KubeadmConfig', name } },
      infrastructureRef: { apiGroup: infrastructure, kind: 'AWSMachine', name },
    },
  }) as unknown as Machine;
/** In deletion, because its provider takes the host away, or might. */
const evacuated = (name: string, type = 'HostInterrupted', more: Parameters<typeof machine>[1] = { deleting: true }) =>
  ({ ...machine(name, more), status: { conditions: [{ type, status: 'True', reason: 'x' }] } }) as unknown as Machine;
/** A health check failed and requests remediation. */
const sick = (one: Machine): Machine => ({
  ...one,
  status: {
    ...one.status,
    conditions: ['HealthCheckSucceeded', 'OwnerRemediated'].map((type) => ({
      type,
      status: 'False',
      reason: 'Waiting',
      message: '',
      lastTransitionTime: '2025-12-31T00:00:00Z',
    })),
  },
});
const part = (kind: string, name: string, of: object = owner): KubeObject => ({
  apiVersion: `${infrastructure}/v1beta2`,
  kind,
  metadata: { name, namespace: 'default', uid: `${kind}-${name}`, ownerReferences: [of as typeof owner] },
});
const controlPlane = (version: string, versions: string[]): KubeObject => ({
  apiVersion: 'controlplane.cluster.x-k8s.io/v1beta2',
  kind: 'KubeadmControlPlane',
  metadata: { name: 'cp', namespace: 'default' },
  spec: { version },
  status: { versions: versions.map((one) => ({ version: one, replicas: 1 })) },
});

const observed = (of: Partial<Observed> & { machineSet: MachineSet }): Observed => ({
  cluster: { apiVersion: core, kind: 'Cluster', metadata: { name: 'c', namespace: 'default', uid: 'c-uid' }, spec: {} },
  machineDeployment: undefined,
  machines: found([]),
  created: [],
  templates: {
    infrastructure: found(template(infrastructure, 'AWSMachineTemplate', 'hosts')),
    bootstrap: found(template(bootstrap, 'KubeadmConfigTemplate', 'config')),
  },
  infraMachines: found([]),
  bootstrapConfigs: found([]),
  controlPlane: controlPlane('v1.35.0', ['v1.35.0']),
  quotas: [],
  ...of,
});

const summaryOf = (action: Action): string => {
  switch (action.do) {
    case 'create':
      return `create ${action.object.kind} ${action.object.metadata.name}`;
    case 'call':
      return `call ${action.operation}`;
    default:
      return `${action.do} ${action.kind} ${action.name}`;
  }
};
const planIn = (seen: Observed, within: Context) =>
  operatedPlan(
    machineSetController,
    seen.machineSet,
    seen,
    operatedContext(machineSetController, seen.machineSet, seen.cluster, within),
  );
const plan = (of: Parameters<typeof observed>[0]) => planIn(observed(of), context());
const does = (of: Parameters<typeof observed>[0], ignoring = /^patch (Machine|AWSMachine|KubeadmConfig) /) =>
  (plan(of).actions ?? []).map(summaryOf).filter((line) => !ignoring.test(line));
const creating = (names: string[]) => ({ 'capstan.dev/creating': JSON.stringify(names) });
const made = (name: string) => [`create KubeadmConfig ${name}`, `create AWSMachine ${name}`, `create Machine ${name}`];

describe('a Machine whose host its provider takes away', () => {
  it.each<{ rule: string; replicas?: number; machines: Machine[]; does: string[] }>([
    { rule: 'is replaced while it is drained', machines: [evacuated('a')], does: made('set-rand1') },
    { rule: 'is replaced when it was only at risk', machines: [evacuated('a', 'HostAtRisk')], does: made('set-rand1') },
    { rule: 'is replaced once', machines: [evacuated('a'), machine('b')], does: [] },
    { rule: 'counts until it is in deletion', machines: [evacuated('a', 'HostInterrupted', {})], does: [] },
    { rule: 'keeps its place while it is deleted otherwise', machines: [machine('a', { deleting: true })], does: [] },
    { rule: 'is not replaced in a set that needs none', replicas: 0, machines: [evacuated('a')], does: [] },
    {
      rule: 'is no Machine that a smaller set saves',
      machines: [evacuated('a'), machine('b'), machine('c')],
      does: ['delete Machine b'],
    },
  ])('$rule', ({ replicas = 1, machines, does: wanted }) =>
    expect(does({ machineSet: machineSet({ replicas }), machines: found(machines) })).toEqual(wanted));
});

describe('a Machine in deletion for whose replica pods wait', () => {
  const annotations = { 'capstan.dev/replaced-while-draining': 'true' };
  const beside = machine('a', { deleting: true, annotations });
  it.each<{ rule: string; machines: Machine[]; does: string[]; replicas: number }>([
    { rule: 'is replaced beside it', machines: [beside], does: made('set-rand1'), replicas: 0 },
    { rule: 'is replaced once', machines: [beside, machine('b')], does: [], replicas: 1 },
    { rule: 'counts until it is in deletion', machines: [machine('a', { annotations })], does: [], replicas: 1 },
  ])('$rule', ({ machines, does: wanted, replicas }) => {
    const of = { machineSet: machineSet({}), machines: found(machines) };
    expect(does(of)).toEqual(wanted);
    expect(plan(of).status?.replicas, 'takes no place of a rollout').toBe(replicas);
  });
});

describe('a Machine whose host its provider might take away', () => {
  const minute = 60_000;
  const ago = (ms: number) => new Date(now - ms).toISOString();
  const at = (since: number) => ({ lastTransitionTime: ago(since), reason: 'x', status: 'True' as const, message: '' });
  const risky = (name: string, since = minute, more: Parameters<typeof machine>[1] = {}): Machine => ({
    ...machine(name, more),
    status: {
      conditions: [
        { type: 'HostAtRisk', ...at(since) },
        { type: 'NodeReady', ...at(since) },
      ],
    },
  });
  const ready = (name: string): Machine => ({
    ...machine(name),
    status: { conditions: [{ type: 'NodeReady', ...at(minute) }] },
  });
  const optedIn = { 'capstan.dev/replace-on-rebalance': 'true' };
  const quick = { 'cluster.x-k8s.io/autoscaling-options-maxnodeprovisiontime': '5m' };
  const quota = { most: 1, used: 1, source: 'quota', lock: template(core, 'Namespace', 'default') };
  it.each<{
    rule: string;
    replicas?: number;
    annotations?: object;
    machines: Machine[];
    quotas?: Observed['quotas'];
    does: string[];
    wait?: number;
  }>([
    { rule: 'is kept without the opt-in of its set', annotations: {}, machines: [risky('a')], does: [] },
    { rule: 'gets a replacement first', machines: [risky('a')], does: made('set-rand1'), wait: 14 * 60 },
    {
      rule: 'is kept until the replacement is a ready Node',
      machines: [risky('a'), machine('b')],
      does: [],
      wait: 840,
    },
    { rule: 'goes when the replacement is ready', machines: [risky('a'), ready('b')], does: ['delete Machine a'] },
    {
      rule: 'goes one by one, the first at risk first',
      replicas: 2,
      machines: [risky('a', 1000), risky('b', 2000), ready('c'), machine('d')],
      does: ['delete Machine b'],
    },
    {
      rule: 'waits while another Machine of its set is not ready',
      replicas: 2,
      machines: [risky('a'), ready('b'), machine('c')],
      does: [],
    },
    {
      rule: 'goes after 15 minutes without a replacement',
      machines: [risky('a', 15 * minute), machine('b')],
      does: ['delete Machine a'],
    },
    {
      rule: 'goes after the provision time of its pool',
      annotations: { ...optedIn, ...quick },
      machines: [risky('a', 5 * minute), machine('b')],
      does: ['delete Machine a'],
    },
    { rule: 'gets no replacement beyond a quota', machines: [risky('a')], quotas: [quota], does: [] },
    {
      rule: 'leaves at once a set that needs it no more',
      replicas: 0,
      machines: [risky('a')],
      does: ['delete Machine a'],
    },
    {
      rule: 'stays if its user excludes it from remediation',
      machines: [risky('a', minute, { annotations: { 'cluster.x-k8s.io/skip-remediation': '' } })],
      does: [],
    },
    {
      rule: 'makes room for its replacement when that is one too many already',
      machines: [risky('a'), ready('b'), ready('c')],
      does: ['delete Machine b', 'delete Machine a'],
    },
  ])('$rule', ({ replicas = 1, annotations = optedIn, machines, quotas = [], does: wanted, wait }) => {
    const of = { machineSet: machineSet({ replicas, annotations }), machines: found(machines), quotas };
    expect(does(of)).toEqual(wanted);
    if (wait !== undefined) expect(plan(of).requeueAfter ?? Number.POSITIVE_INFINITY).toBeLessThanOrEqual(wait);
  });

  it('is replaced as its MachineDeployment says, which has the opt-in', () => {
    const machineDeployment = { ...template(core, 'MachineDeployment', 'pool') } as unknown as NonNullable<
      Observed['machineDeployment']
    >;
    const annotated = { ...machineDeployment, metadata: { ...machineDeployment.metadata, annotations: optedIn } };
    const of = { machineSet: machineSet({ annotations: optedIn }), machines: found([risky('a')]) };
    expect(does({ ...of, machineDeployment })).toEqual([]);
    expect(does({ ...of, machineDeployment: annotated })).toEqual(made('set-rand1'));
  });
});

describe('scaling up', () => {
  it('records the names before it creates anything under them', () => {
    const { intent, actions } = plan({ machineSet: machineSet({ replicas: 2 }) });
    expect(intent?.metadata?.annotations).toEqual(creating(['set-rand1', 'set-rand2']));
    expect(actions?.map(summaryOf)).toEqual([...made('set-rand1'), ...made('set-rand2')]);
  });
  it.each([
    {
      rule: 'completes a Machine after a crash, under the same name',
      of: {
        machineSet: machineSet({ annotations: creating(['set-x']) }),
        bootstrapConfigs: found([part('KubeadmConfig', 'set-x')]),
      },
      does: ['create AWSMachine set-x', 'create Machine set-x'],
    },
    {
      rule: 'creates nothing when the Machine exists',
      of: { machineSet: machineSet({ annotations: creating(['set-x']) }), machines: found([machine('set-x')]) },
      does: [],
    },
    {
      rule: 'deletes parts of a Machine that a smaller set no longer needs',
      of: {
        machineSet: machineSet({ replicas: 0, annotations: creating(['set-x']) }),
        infraMachines: found([part('AWSMachine', 'set-x')]),
        bootstrapConfigs: found([part('KubeadmConfig', 'set-x')]),
      },
      does: ['delete AWSMachine set-x', 'delete KubeadmConfig set-x'],
    },
    {
      rule: 'never deletes a part that a Machine owns',
      of: {
        machineSet: machineSet({ replicas: 0 }),
        infraMachines: found([part('AWSMachine', 'm', { apiVersion: core, kind: 'Machine', name: 'm', uid: 'm-uid' })]),
      },
      does: [],
    },
    {
      rule: 'drops a recorded name that another Machine has',
      of: {
        machineSet: machineSet({ annotations: creating(['set-x']) }),
        created: [machine('set-x', { orphan: true })],
      },
      does: made('set-rand1'),
    },
    {
      rule: 'counts machines in deletion',
      of: { machineSet: machineSet(), machines: found([machine('a', { deleting: true })]) },
      does: [],
    },
    {
      rule: 'waits for a missing template',
      of: {
        machineSet: machineSet(),
        templates: {
          infrastructure: { state: 'absent' as const },
          bootstrap: found(template(bootstrap, 'KubeadmConfigTemplate', 'config')),
        },
      },
      does: [],
    },
    {
      rule: 'creates none for a Cluster in deletion',
      of: {
        machineSet: machineSet(),
        cluster: {
          apiVersion: core,
          kind: 'Cluster',
          metadata: { name: 'c', uid: 'c-uid', deletionTimestamp: '2026-01-01T00:00:00Z' },
        },
      },
      does: [],
    },
    {
      rule: 'creates none where creation is disabled',
      of: { machineSet: machineSet({ annotations: { 'cluster.x-k8s.io/disable-machine-create': 'true' } }) },
      does: [],
    },
  ])('$rule', ({ of, does: actions }) => expect(does(of as Parameters<typeof observed>[0])).toEqual(actions));

  it('removes a recorded name once its Machine exists', () => {
    const of = { machineSet: machineSet({ annotations: creating(['set-x']) }), machines: found([machine('set-x')]) };
    expect(plan(of).intent?.metadata?.annotations).toEqual({ 'capstan.dev/creating': null });
  });
  it('counts a new Machine, whose record is removed, before it scales down', () => {
    const machines = found([machine('set-x')]);
    const first = plan({ machineSet: machineSet({ replicas: 0, annotations: creating(['set-x']) }), machines });
    expect(first).toMatchObject({
      intent: { metadata: { annotations: { 'capstan.dev/creating': null } } },
      status: { replicas: 1 },
      again: true,
    });
    expect(first.actions).toBeUndefined();
    expect(does({ machineSet: machineSet({ replicas: 0 }), machines })).toEqual(['delete Machine set-x']);
  });
  it('clones both templates with their origin, and refers to the clones', () => {
    const objects = (plan({ machineSet: machineSet() }).actions ?? []).flatMap((a) =>
      a.do === 'create' ? a.object : [],
    );
    const [config, host, made_] = objects;
    expect(host?.metadata.labels).toMatchObject({ from: 'hosts', of: 'set', 'cluster.x-k8s.io/set-name': 'set' });
    expect(host?.metadata.annotations).toMatchObject({
      'cluster.x-k8s.io/cloned-from-name': 'hosts',
      'cluster.x-k8s.io/cloned-from-groupkind': `AWSMachineTemplate.${infrastructure}`,
    });
    expect([host?.spec, config?.spec]).toEqual([{ like: 'hosts' }, { like: 'config' }]);
    expect(made_?.spec).toMatchObject({
      infrastructureRef: { apiGroup: infrastructure, kind: 'AWSMachine', name: 'set-rand1' },
      bootstrap: { configRef: { apiGroup: bootstrap, kind: 'KubeadmConfig', name: 'set-rand1' } },
    });
  });
});

describe('preflight checks', () => {
  const blocked = (of: Partial<Observed>, set = machineSet()) => {
    const { status, actions } = plan({ machineSet: set, ...of });
    const conditions = status?.conditions as { type: string; message: string }[];
    const message = conditions.find(({ type }) => type === 'ScalingUp')?.message.split('\n')[1];
    return { message, creates: actions?.some((action) => action.do === 'create') };
  };
  it.each([
    {
      rule: 'a control plane that does not exist yet',
      plane: controlPlane('v1.35.0', []),
      message: '* KubeadmControlPlane default/cp is provisioning ("ControlPlaneIsStable" preflight check failed)',
    },
    {
      rule: 'a control plane in an upgrade',
      plane: controlPlane('v1.35.0', ['v1.34.2', 'v1.35.0']),
      message: '* KubeadmControlPlane default/cp is upgrading ("ControlPlaneIsStable" preflight check failed)',
    },
    {
      rule: 'another minor version than the control plane',
      plane: controlPlane('v1.36.0', ['v1.36.0']),
      message:
        '* MachineSet version (1.35.0) and ControlPlane version (1.36.0) do not conform to kubeadm version skew policy as kubeadm only supports joining with the same major+minor version as the control plane ("KubeadmVersionSkew" preflight check failed)',
    },
    {
      rule: 'a newer minor version than the control plane',
      plane: controlPlane('v1.34.0', ['v1.34.0']),
      message:
        '* MachineSet version (1.35.0) and ControlPlane version (1.34.0) do not conform to the kubernetes version skew policy as MachineSet version is higher than ControlPlane version ("KubernetesVersionSkew" preflight check failed)',
    },
  ])('$rule stops new machines', ({ plane, message }) => {
    expect(blocked({ controlPlane: plane })).toEqual({ message, creates: false });
  });
  it.each([
    { rule: 'of another minor version', plane: controlPlane('v1.36.0', ['v1.36.0']), lasts: 'KubeadmVersionSkew' },
    { rule: 'of an older version', plane: controlPlane('v1.34.0', ['v1.34.0']), lasts: 'KubernetesVersionSkew' },
    { rule: 'in an upgrade', plane: controlPlane('v1.36.0', ['v1.35.0', 'v1.36.0']), lasts: undefined },
    { rule: 'of the same minor version', plane: controlPlane('v1.35.3', ['v1.35.3']), lasts: undefined },
  ])('last as a condition beside a control plane $rule, whatever the size of the set', ({ plane, lasts }) => {
    const { status } = plan({ machineSet: machineSet({ replicas: 0 }), controlPlane: plane });
    const conditions = status?.conditions as { type: string; reason: string; message: string }[];
    const condition = conditions.find(({ type }) => type === 'CanCreateMachines');
    expect(condition?.reason).toBe(lasts);
    if (lasts) expect(condition?.message).toMatch(/^It can neither grow nor replace Machines: .*run: kubectl patch/);
  });
  it('do not last until an upgrade of the control plane begins', () => {
    const of = { machineSet: machineSet({}), controlPlane: controlPlane('v1.36.0', ['v1.36.0']), awaitsUpgrade: true };
    expect(blocked(of, of.machineSet).creates).toBe(false);
    expect(plan(of).status?.conditions?.some(({ type }) => type === 'CanCreateMachines')).toBe(false);
  });
  it('can be skipped by annotation', () => {
    const skip = machineSet({ annotations: { 'machineset.cluster.x-k8s.io/skip-preflight-checks': 'All' } });
    expect(blocked({ controlPlane: controlPlane('v1.36.0', []) }, skip).creates).toBe(true);
  });
  it('allow different patch versions', () => {
    expect(blocked({ controlPlane: controlPlane('v1.35.3', ['v1.35.3']) }).creates).toBe(true);
  });
});

describe('scaling down', () => {
  const healthy = (name: string, created: string, annotations = {}): Machine => {
    const one = machine(name, { annotations });
    return {
      ...one,
      metadata: { ...one.metadata, creationTimestamp: created },
      status: { nodeRef: { name } },
    };
  };
  const old = healthy('old', '2025-12-01T00:00:00Z');
  const young = healthy('young', '2025-12-31T00:00:00Z');
  const marked = healthy('marked', '2025-12-20T00:00:00Z', { 'cluster.x-k8s.io/delete-machine': 'yes' });
  const ill = machine('ill');
  const waiting = {
    type: 'Available',
    status: 'False' as const,
    reason: 'WaitingForMinReadySeconds',
    message: '',
    lastTransitionTime: '2025-12-31T00:00:00Z',
  };
  it.each([
    {
      rule: 'removes a machine with the delete annotation first',
      order: 'Oldest',
      machines: [old, marked, ill],
      gone: 'marked',
    },
    { rule: 'then removes an unhealthy machine', order: 'Oldest', machines: [old, young, ill], gone: 'ill' },
    {
      rule: 'removes the oldest under the order Oldest',
      order: 'Oldest',
      machines: [old, young, healthy('z', '2025-12-30T00:00:00Z')],
      gone: 'old',
    },
    {
      rule: 'removes the newest under the order Newest',
      order: 'Newest',
      machines: [old, young, healthy('z', '2025-12-30T00:00:00Z')],
      gone: 'young',
    },
    {
      rule: 'prefers a machine that is not available yet under the order Random',
      order: 'Random',
      machines: [
        old,
        { ...young, status: { ...young.status, conditions: [waiting] } },
        healthy('a', '2025-12-30T00:00:00Z'),
      ],
      gone: 'young',
    },
    {
      rule: 'removes by name under the order Random',
      order: 'Random',
      machines: [young, old, healthy('a', '2025-12-30T00:00:00Z')],
      gone: 'a',
    },
    {
      rule: 'treats a machine with a creation time in the future as the newest',
      order: 'Newest',
      machines: [old, ill, healthy('z', '2026-01-02T00:00:00Z')],
      gone: 'ill',
    },
  ])('$rule', ({ order, machines, gone }) => {
    const set = machineSet({ replicas: 2, deletion: { order } });
    for (const listed of [machines, machines.toReversed()])
      expect(does({ machineSet: set, machines: found(listed) })).toEqual([`delete Machine ${gone}`]);
  });
  it.each([
    {
      rule: 'replaces a machine that its health check found unhealthy',
      replicas: 2,
      gone: ['delete Machine young'],
    },
    { rule: 'deletes it once when it is also a surplus', replicas: 1, gone: ['delete Machine young'] },
  ])('$rule', ({ replicas, gone }) =>
    expect(does({ machineSet: machineSet({ replicas }), machines: found([old, sick(young)]) })).toEqual(gone));
  it('counts a machine in deletion before one with the annotation', () => {
    const machines = found([marked, old, machine('z', { deleting: true })]);
    expect(does({ machineSet: machineSet({ replicas: 2 }), machines })).toEqual([]);
  });
  it('ignores machines of another controller', () => {
    const foreign = machine('a');
    foreign.metadata.ownerReferences = [{ ...owner, uid: 'other', controller: true }];
    expect(does({ machineSet: machineSet({ replicas: 0 }), machines: found([foreign]) }, /nothing/)).toEqual([]);
  });
});

describe('in-place updates', () => {
  it('adopts selected Machines without a controller', () => {
    const lines = does({ machineSet: machineSet(), machines: found([machine('a', { orphan: true })]) }, /nothing/);
    expect(lines).toContain('patch Machine a');
  });
  it('propagate changed labels, timeouts and gates, and remove labels that the template lost', () => {
    const set = machineSet();
    set.spec!.template.metadata = { labels: { of: 'set', team: 'b', 'cluster.x-k8s.io/cluster-name': 'c' } };
    set.spec!.template.spec.deletion = { nodeDrainTimeoutSeconds: 60 };
    const one = machine('a', { annotations: { 'capstan.dev/from-template': 'of,old;' } });
    one.metadata.labels = { of: 'set', old: 'x', mine: 'y' };
    const [action] = plan({ machineSet: set, machines: found([one]) }).actions ?? [];
    expect(action).toMatchObject({
      do: 'patch',
      patch: {
        metadata: { labels: { team: 'b', old: null } },
        spec: { deletion: { nodeDrainTimeoutSeconds: 60, nodeDeletionTimeoutSeconds: 10 } },
      },
    });
    expect((action as { patch: { metadata: { labels: object } } }).patch.metadata.labels).not.toHaveProperty('mine');
  });
  it('propagate changed labels to the parts of machines', () => {
    const set = machineSet();
    set.spec!.template.metadata = { labels: { team: 'b' } };
    const parts = ['AWSMachine', 'KubeadmConfig'].map((kind) => part(kind, 'a'));
    const { actions = [] } = plan({
      machineSet: set,
      machines: found([machine('a')]),
      infraMachines: found([parts[0]!]),
      bootstrapConfigs: found([parts[1]!]),
    });
    for (const kind of ['AWSMachine', 'KubeadmConfig'])
      expect(actions.find((action) => action.do === 'patch' && action.kind === kind)).toMatchObject({
        patch: { metadata: { labels: { team: 'b' } } },
      });
  });
});

describe('in deletion', () => {
  const gone = () => {
    const set = machineSet({ replicas: 2 });
    set.metadata.deletionTimestamp = '2026-01-01T00:00:00Z';
    return set;
  };
  it('deletes all machines and waits for them', () => {
    const result = plan({ machineSet: gone(), machines: found([machine('a'), machine('b', { deleting: true })]) });
    expect(result.actions?.map(summaryOf)).toEqual(['delete Machine a']);
    expect(result.finished).toBe(false);
  });
  it('finishes when none is left, and creates no new ones', () => {
    const result = plan({ machineSet: gone() });
    expect([result.actions, result.finished]).toEqual([[], true]);
  });
});

it('counts machines by their conditions', () => {
  const ready = (name: string, types: string[]) => ({
    ...machine(name),
    status: {
      conditions: types.map((type) => ({ type, status: 'True', reason: 'Good', message: '', lastTransitionTime: '' })),
    },
  });
  const machines = found([ready('a', ['Ready', 'Available', 'UpToDate']), ready('b', ['Ready'])] as Machine[]);
  expect(plan({ machineSet: machineSet({ replicas: 2 }), machines }).status).toMatchObject({
    replicas: 2,
    readyReplicas: 2,
    availableReplicas: 1,
    upToDateReplicas: 1,
    versions: [{ version: 'v1.35.0', replicas: 2 }],
    selector: 'cluster.x-k8s.io/cluster-name=c,of=set',
  });
});

describe('under a ClusterOperation', () => {
  const operated = (target: string | undefined): Observed['cluster'] => ({
    apiVersion: core,
    kind: 'Cluster',
    metadata: {
      name: 'c',
      namespace: 'default',
      uid: 'c-uid',
      annotations: {
        'capstan.dev/operation': 'c-create-1',
        ...(target !== undefined && { 'capstan.dev/target': target }),
      },
    },
    spec: {},
  });
  const run = (of: Parameters<typeof observed>[0], target: string | undefined, workflows = true) =>
    planIn(observed({ ...of, cluster: operated(target) }), { ...context(), config: { workflows } });
  const acts = (...of: Parameters<typeof run>) =>
    (run(...of).actions ?? []).map(summaryOf).filter((line) => !line.startsWith('patch '));
  const halfMade = {
    machineSet: machineSet({ annotations: creating(['set-x']) }),
    bootstrapConfigs: found([part('KubeadmConfig', 'set-x')]),
  };
  it.each([
    { rule: 'creates no machine before admission', target: undefined, of: { machineSet: machineSet() }, does: [] },
    {
      rule: 'creates machines once admitted',
      target: 'Build',
      of: { machineSet: machineSet() },
      does: made('set-rand1'),
    },
    { rule: 'creates none while held', target: 'Hold', of: { machineSet: machineSet() }, does: [] },
    {
      rule: 'deletes no surplus while held',
      target: 'Hold',
      of: { machineSet: machineSet({ replicas: 1 }), machines: found([machine('a'), machine('b')]) },
      does: [],
    },
    {
      rule: 'replaces no unhealthy machine while held',
      target: 'Hold',
      of: { machineSet: machineSet(), machines: found([sick(machine('a'))]) },
      does: [],
    },
    { rule: 'leaves a partly created machine as it is while held', target: 'Hold', of: halfMade, does: [] },
    {
      rule: 'deletes all machines in a teardown, each once',
      target: 'Nothing',
      of: {
        machineSet: machineSet({ replicas: 3 }),
        machines: found([machine('a'), machine('b', { deleting: true }), machine('c')]),
      },
      does: ['delete Machine a', 'delete Machine c'],
    },
    {
      rule: 'leaves a Machine without a controller to its user in a teardown',
      target: 'Nothing',
      of: { machineSet: machineSet(), machines: found([machine('a', { orphan: true })]) },
      does: [],
    },
    {
      rule: 'deletes a partly created machine in a teardown',
      target: 'Nothing',
      of: halfMade,
      does: ['delete KubeadmConfig set-x'],
    },
  ])('$rule', ({ target, of, does: actions }) => expect(acts(of, target)).toEqual(actions));

  it('keeps recorded names while held, and removes them in a teardown', () => {
    expect(run(halfMade, 'Hold').intent?.metadata).not.toHaveProperty('annotations');
    expect(run(halfMade, 'Nothing').intent?.metadata?.annotations).toEqual({ 'capstan.dev/creating': null });
  });
  it('adopts no Machine unless its target is Build', () => {
    const of = { machineSet: machineSet(), machines: found([machine('a', { orphan: true })]) };
    const adopts = (target: string) => JSON.stringify(run(of, target).actions).includes('"controller":true');
    expect(['Build', 'Hold', 'Nothing'].map(adopts)).toEqual([true, false, false]);
  });
  it.each(['Hold', 'Nothing', undefined])('ignores the target %s without workflows', (target) =>
    expect(acts({ machineSet: machineSet() }, target, false)).toEqual(made('set-rand1')));
  it('continues its deletion whatever the target is', () => {
    const set = machineSet();
    set.metadata.deletionTimestamp = '2026-01-01T00:00:00Z';
    expect(acts({ machineSet: set, machines: found([machine('a')]) }, 'Hold')).toEqual(['delete Machine a']);
  });
  it('reports why it does not scale up, without polling', () => {
    const { status, requeueAfter } = run({ machineSet: machineSet() }, 'Hold');
    const conditions = status?.conditions as { type: string; status: string; message: string }[];
    expect(conditions.find(({ type }) => type === 'ScalingUp')).toMatchObject({
      status: 'True',
      message:
        'Scaling up from 0 to 1 replicas is blocked because:\n* Held by ClusterOperation c-create-1: nothing new is created',
    });
    expect(requeueAfter).toBeUndefined();
  });
  it('scales to zero in a teardown', () => {
    const { status, intent } = run(
      { machineSet: machineSet({ replicas: 2 }), machines: found([machine('a')]) },
      'Nothing',
    );
    const conditions = status?.conditions as { type: string; status: string; message: string }[];
    expect(conditions.find(({ type }) => type === 'ScalingDown')?.message).toBe('Scaling down from 1 to 0 replicas');
    expect(conditions.find(({ type }) => type === 'ScalingUp')?.status).toBe('False');
    expect(intent).not.toHaveProperty('spec');
  });
});

describe('UpToDate of new machines', () => {
  const young = ({ metadata, ...rest }: Machine, seconds: number): Machine =>
    ({
      ...rest,
      metadata: { ...metadata, creationTimestamp: new Date(now - seconds * 1000).toISOString() },
    }) as unknown as Machine;
  const upToDate = (of: Parameters<typeof plan>[0]) => {
    const { status, requeueAfter } = plan(of);
    const conditions = status?.conditions ?? [];
    return { is: conditions.find(({ type }) => type === 'MachinesUpToDate')?.status, requeueAfter };
  };
  it.each([
    {
      rule: 'is requeued for the time when a Machine without the condition starts to count',
      age: 4,
      is: 'True',
      requeueAfter: 7,
    },
    { rule: 'is Unknown from then on', age: 11, is: 'Unknown', requeueAfter: undefined },
  ])('$rule', ({ age, is, requeueAfter }) => {
    const machines = found([young(machine('set-a'), age)]);
    expect(upToDate({ machineSet: machineSet(), machines })).toEqual({ is, requeueAfter });
  });
  it('needs no timer under a MachineDeployment, which sets UpToDate', () => {
    const machineDeployment = { metadata: { name: 'deployment' } } as unknown as Observed['machineDeployment'];
    const machines = found([young(machine('set-a'), 4)]);
    expect(upToDate({ machineSet: machineSet(), machineDeployment, machines }).requeueAfter).toBeUndefined();
  });
});
