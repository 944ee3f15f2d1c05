import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Action, Context, Failure } from '../../../machinery/api/reconcile.ts';
import { refusalIn } from '../../core/contract/machine-provider.ts';
import type { Machine } from '../../core/machine/index.ts';
import { machineProviders } from '../../machine-providers.ts';
import { minute, now, pending, running } from '../plan/plan.fixture.ts';
import type { Observed } from './observe.ts';
import { ago, moving, object, observed } from './observed.fixture.ts';
import type { PoolObjects } from './pools.ts';
import { reconcile } from './reconcile.ts';
import type { ScalingPlanStatus } from './schema.ts';

const context = (more: Partial<Context> = {}): Context =>
  ({ now, installation: 'one', config: {}, attempts: 0, lastFailure: undefined, ...more }) as Context;
const decide = (of: Observed, more: Partial<Context> = {}) => reconcile(of, context(more));
const writes = (actions: Action[] = []) =>
  actions.flatMap((action) =>
    action.do === 'patch' ? [`${action.kind} ${action.name} ${JSON.stringify(action.patch)}`] : [],
  );
const mark = (name: string, value: string | null) =>
  `Machine ${name} ${JSON.stringify({ metadata: { annotations: { 'cluster.x-k8s.io/delete-machine': value } } })}`;
const scaleTo = (replicas: number) => `MachineDeployment workers ${JSON.stringify({ spec: { replicas } })}`;
const conditionsOf = (status: ScalingPlanStatus | undefined) =>
  Object.fromEntries((status?.conditions ?? []).map(({ type, status: is, reason }) => [type, `${is} ${reason}`]));
const long: ScalingPlanStatus = { history: { unneededSince: { a: now - 11 * minute, b: now - 11 * minute } } };

describe('a decision', () => {
  it('writes replicas at the observed version, and nothing else in the store', () => {
    const { actions, status, events } = decide(observed({ pods: pending(9) }));
    expect(writes(actions)).toEqual([scaleTo(3)]);
    expect(actions?.find((action) => action.do === 'patch')).toMatchObject({
      resourceVersion: '7',
      uid: 'uid-workers',
    });
    expect(status).toMatchObject({
      pending: 9,
      refused: 0,
      lastDecision: { message: 'workers 0 -> 3' },
      pools: [{ pool: 'MachineDeployment/default/workers', replicas: 3 }],
    });
    expect(events).toMatchObject([
      {
        reason: 'ScaledUpGroup',
        message: 'Scaled up from 0 to 3 replicas for 9 pending pods',
        about: { kind: 'MachineDeployment' },
      },
    ]);
  });
  it('reports that it grows for pods of nodes in deletion, not for headroom', () => {
    const of = (more: object) => {
      const given = observed({ machines: ['a'], pods: running('a', 3), ...more });
      const machines = given.machines.map((one) => ({
        ...one,
        metadata: { ...one.metadata, deletionTimestamp: ago(1) },
      }));
      return { ...given, machines, pools: given.pools!.map((one) => ({ ...one, machines })) };
    };
    const message = (more: object) => decide(of(more)).events?.map((one) => one.message);
    expect(message({ replicas: 0 })).toEqual(['Scaled up from 0 to 1 replicas for 3 pods of nodes in deletion']);
    const pods = [...running('a', 3), ...pending(2)];
    expect(message({ replicas: 0, pods })).toEqual([
      'Scaled up from 0 to 2 replicas for 2 pending pods and 3 pods of nodes in deletion',
    ]);
  });
  it('reports the move that it waits for, until that is withdrawn', () => {
    const since = new Date(now - 1000).toISOString().replace('.000', '');
    const pool = 'MachineDeployment/default/workers';
    const { status } = decide(observed(moving()));
    const move = { since, nodes: ['a', 'b'], pool, saving: '0.20', message: 'waits for the new node' };
    expect(status!.move).toEqual(move);
    const gone = { ...moving(), replicas: 2, status: { ...moving()!.status, move } };
    const { status: after, events, actions = [] } = decide(observed(gone));
    expect([after!.move, writes(actions)]).toEqual([undefined, []]);
    expect(events).toMatchObject([
      { reason: 'ConsolidationWithdrawn', message: 'No longer replaces a, b: the new node does not come' },
    ]);
  });
  it.each([
    {
      rule: 'of any zone',
      price: { dollarsPerHour: '0.2', zones: { 'az-a': '0.125' }, source: 'AWS' },
      shows: { dollarsPerHour: '0.60', price: '0.20', priceSource: 'AWS' },
      total: '0.60',
    },
    { rule: 'that is unknown', price: { source: 'no idea' }, shows: { priceSource: 'no idea' }, total: '0.00' },
    { rule: 'that was not read yet', price: undefined, shows: {}, total: '0.00' },
  ])('reports the cost of its pools, by a price $rule', ({ price, shows, total }) => {
    const { status } = decide(observed({ pods: pending(9), ...(price && { price }) }));
    const { pool: _, min: __, max: ___, replicas, ...cost } = status!.pools![0]!;
    expect([replicas, cost, status!.usage?.dollarsPerHour]).toEqual([3, shows, total]);
  });
  it('counts the Machines that an interrupted pass asked for', () => {
    const { actions, status } = decide(observed({ pods: pending(9), replicas: 3 }));
    expect(writes(actions)).toEqual([]);
    expect(status).toMatchObject({ pending: 9, refused: 0, pods: [{ onUpcoming: 9 }] });
  });
  it('marks exactly the Machine of an unneeded node before it lowers replicas', () => {
    const annotations = { 'capstan.dev/autoscale-min': '1' };
    const { actions, events } = decide(observed({ machines: ['a', 'b'], status: long, annotations }));
    expect(writes(actions)).toEqual([mark('a', 'autoscaler'), scaleTo(1)]);
    const groups = actions?.filter(({ do: is }) => is === 'patch').map(({ group }) => group);
    expect(new Set(groups).size).toBe(1);
    expect(events).toMatchObject([{ reason: 'ScaleDownEmpty', message: 'Removes node a (Machine a): Empty' }]);
  });
  const ownTaint = { key: 'ToBeDeletedByClusterAutoscaler', value: 'capstan', effect: 'NoSchedule' };
  const wait = { key: 'example.com/wait', effect: 'PreferNoSchedule' };
  /** The taints that are written, by node. */
  const tainted = (of: Observed, taints: Record<string, object[]>) => {
    const nodes = of.workload!.objects.nodes.map((node) => {
      const { name } = node.metadata;
      return { ...node, metadata: { ...node.metadata, resourceVersion: '9' }, spec: { taints: taints[name] ?? [] } };
    });
    const { actions = [] } = decide({
      ...of,
      workload: { ...of.workload!, objects: { ...of.workload!.objects, nodes } },
    });
    const first = actions.findIndex(({ do: is }) => is === 'patch');
    return actions.flatMap((action, at) => {
      if (action.do !== 'call' || action.operation !== 'patch') return [];
      expect(action, 'never overwrites what others wrote').toMatchObject({
        optional: true,
        input: { resourceVersion: '9' },
      });
      expect(first === -1 || at < first, 'before the Machine is marked').toBe(true);
      const { name, patch } = action.input as { name: string; patch: { spec: { taints: object[] | null } } };
      return [[name, patch.spec.taints]];
    });
  };
  it.each<{ rule: string; of: object; taints?: Record<string, object[]>; is: unknown[] }>([
    { rule: 'put on the node that it removes', of: { status: long }, is: [['a', [ownTaint]]] },
    {
      rule: 'put beside the taints that it has',
      of: { status: long },
      taints: { a: [wait] },
      is: [['a', [wait, ownTaint]]],
    },
    { rule: 'put there once', of: { status: long }, taints: { a: [ownTaint] }, is: [] },
    {
      rule: "not put beside another autoscaler's",
      of: { status: long },
      taints: { a: [{ ...ownTaint, value: '1796000000' }] },
      is: [],
    },
    { rule: 'taken off a node that stays', of: {}, taints: { a: [wait, ownTaint], b: [wait] }, is: [['a', [wait]]] },
    { rule: 'taken off as the last one', of: {}, taints: { b: [ownTaint] }, is: [['b', null]] },
    {
      rule: "not taken off if it is another autoscaler's",
      of: {},
      taints: { a: [{ ...ownTaint, value: '1796000000' }] },
      is: [],
    },
    {
      rule: 'kept while the Machine leaves',
      of: { replicas: 1, marked: { a: 'autoscaler' } },
      taints: { a: [ownTaint] },
      is: [],
    },
  ])('has a taint of a removal $rule', ({ of, taints = {}, is }) => {
    const annotations = { 'capstan.dev/autoscale-min': '1' };
    expect(tainted(observed({ machines: ['a', 'b'], annotations, ...of }), taints)).toEqual(is);
  });
  it('repeats only what an interrupted pass left out', () => {
    const annotations = { 'capstan.dev/autoscale-min': '1' };
    const of = observed({ machines: ['a', 'b'], status: long, marked: { a: 'autoscaler' }, annotations });
    expect(writes(decide(of).actions)).toEqual([scaleTo(1)]);
  });
  it('takes its mark from a Machine that stays, and never the mark of others', () => {
    const marked = { a: 'autoscaler', b: 'yes' };
    expect(writes(decide(observed({ machines: ['a', 'b'], marked })).actions)).toEqual([mark('a', null)]);
  });
  it('leaves its mark while the Machine leaves', () => {
    const of = observed({ machines: ['a', 'b'], replicas: 1, marked: { a: 'autoscaler' } });
    expect(writes(decide(of).actions)).toEqual([]);
  });
  it('deletes a failed Machine that the minimum keeps, so that its MachineSet creates another', () => {
    const of = observed({ machines: ['a', 'b'], annotations: { 'capstan.dev/autoscale-min': '2' } });
    const status = { deprecated: { v1beta1: { failureReason: 'UpdateError' } }, nodeRef: { name: 'gone' } };
    const machines = of.machines.map((one) => (one.metadata.name === 'a' ? ({ ...one, status } as Machine) : one));
    const failed = { ...of, machines, pools: of.pools!.map((one) => ({ ...one, machines })) };
    const { actions, events, status: after } = decide(failed);
    expect(actions?.[0]).toMatchObject({ do: 'delete', kind: 'Machine', name: 'a', uid: 'uid-a' });
    expect(writes(actions)).toEqual([]);
    expect(events).toMatchObject([{ reason: 'MachineReplaced', message: 'Replaces node gone (Machine a): Failed' }]);
    expect(after?.lastDecision).toMatchObject({
      message: 'workers replaces a',
      scale: [],
      replace: [{ machine: 'a' }],
    });
  });
  it('is the same for the same inputs, after they were stored', () => {
    const of = observed({ pods: pending(9), machines: ['a'], status: long });
    const stored = JSON.parse(JSON.stringify(of)) as Observed;
    expect(decide(stored)).toEqual(decide(of));
    expect(decide(stored).status?.lastDecision?.inputs).toMatch(/^[0-9a-f]{16}$/);
    const other = observed({ pods: pending(10), machines: ['a'], status: long });
    expect(decide(other).status?.lastDecision?.inputs).not.toBe(decide(of).status?.lastDecision?.inputs);
  });
  it('stays unchanged while nothing changes', () => {
    const first = decide(observed({ machines: ['a'] }));
    const second = decide(observed({ machines: ['a'], status: first.status! }), { now: now + 15_000 });
    expect(second).toMatchObject({ status: first.status, events: [] });
    expect(second.actions).toBeUndefined();
  });
  it('did not happen if its writes failed', () => {
    const lastFailure = { port: 'store', operation: 'patch', code: 'Forbidden', message: 'no', at: now } as Failure;
    const before = { lastDecision: { time: ago(5), inputs: 'x', message: 'old' }, history: {} };
    const failed = decide(observed({ pods: pending(9), status: before }), { lastFailure });
    expect(failed.status).toMatchObject(before);
    expect(conditionsOf(failed.status).Ready).toBe('False WriteFailed');
    const later = decide(observed({ pods: pending(9) }), { lastFailure, now: now + 1000 });
    expect(writes(later.actions)).toEqual([scaleTo(3)]);
  });
  it('gives back the replicas of Machines for which the cloud has no capacity', () => {
    const of = observed({ machines: ['a', 'b'], pods: pending(9) });
    const [{ deployment, machineSets, view }] = of.pools as [PoolObjects];
    const machines = of.machines.map((machine) =>
      machine.metadata.name === 'a' ? ({ ...machine, spec: {}, status: {} } as typeof machine) : machine,
    );
    const message = 'RunInstances: InsufficientInstanceCapacity: none left';
    const conditions = [
      { type: 'Ready', status: 'False', message: '0 of 2 completed' },
      { type: 'InstanceReady', status: 'False', message, lastTransitionTime: ago(0) },
    ];
    const host = object('AWSMachine', 'a', { status: { conditions } });
    const refusal = refusalIn(host, machineProviders);
    const pools = [{ deployment, machineSets, view, machines, hostless: { a: { host, refusal } } }];
    const { actions, status } = decide({ ...of, machines, pools });
    expect(writes(actions)).toEqual([mark('a', 'autoscaler'), scaleTo(1)]);
    expect(status?.pools).toMatchObject([
      { blocked: 'no capacity for its instance type', until: ago(-1).replace('.000', '') },
    ]);
  });
  it('remembers what the nodes of a pool were like', () => {
    const { status } = decide(observed({ machines: ['a'] }));
    const template = Object.values(status?.templates ?? {});
    expect(template).toMatchObject([{ allocatable: { cpu: 4000, pods: 110 } }]);
    expect(decide(observed({ status: status! })).status?.templates).toEqual(status?.templates);
  });
  it('does not remember what it expects of a node that is not ready', () => {
    const of = observed({ machines: ['a'] });
    const [unready] = of.workload!.objects.nodes as [KubeObject];
    const nodes = [{ ...unready, status: { ...(unready.status as object), conditions: [] } }];
    const workload = { ...of.workload!, objects: { ...of.workload!.objects, nodes } };
    expect(decide({ ...of, workload }).status?.templates).toEqual({});
  });
  it('says which pools cannot create Machines', () => {
    const of = observed({ pods: pending(1), replicas: 2, price: { dollarsPerHour: '0.2', source: 'test' } });
    const missing = [{ kind: 'KubeadmConfigTemplate', read: { state: 'absent' as const } }];
    const { actions, status, events } = decide({ ...of, pools: of.pools!.map((one) => ({ ...one, missing })) });
    expect(writes(actions)).toEqual([]);
    const why = 'no Machine can be created: KubeadmConfigTemplate does not exist';
    const condition = status?.conditions?.find(({ type }) => type === 'GrowthBlocked');
    expect(condition).toMatchObject({ status: 'True', reason: 'CannotCreateMachines', message: `workers: ${why}` });
    expect(status?.pools).toMatchObject([{ replicas: 2, blocked: why, dollarsPerHour: '0.00' }]);
    expect(status?.usage?.dollarsPerHour).toBe('0.00');
    expect(events).toMatchObject([{ reason: 'NotTriggerScaleUp', message: `Not scaled up for pending pods: ${why}` }]);
    expect(conditionsOf(decide(of).status).GrowthBlocked).toBe('False MachinesCanBeCreated');
  });
  it('says which nodes keep a pool above its maximum', () => {
    const annotations = { 'capstan.dev/autoscale-max': '0' };
    const shape = { annotations: { 'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false' } };
    const { actions, status } = decide(observed({ machines: ['a'], annotations, pods: running('a', 1, shape) }));
    expect(writes(actions)).toEqual([]);
    expect(conditionsOf(status).AboveMaximum).toBe('True NodesKept');
    const messages = status?.conditions?.map(({ message }) => message);
    expect(messages).toContain(
      'workers keeps a: pod default/a-web-0 forbids its eviction. Remove the annotation or delete the pod to shrink the pool',
    );
  });
  it('obeys the limits and expanders of the plan', () => {
    const { actions, status } = decide(observed({ pods: pending(9), spec: { limits: { nodes: 1 } } }));
    expect(writes(actions)).toEqual([scaleTo(1)]);
    expect(conditionsOf(status).LimitReached).toBe('True LimitReached');
  });
});

describe('Events', () => {
  const names = (actions: Action[] = []) =>
    actions.flatMap((action) => {
      if (action.do !== 'call' || action.port !== 'workload') return [];
      const { object: event } = action.input as { object: { reason: string; involvedObject: { name: string } } };
      return [`${action.operation} ${event.reason} ${event.involvedObject.name} ${action.optional}`];
    });
  it('tell a pod of each owner in the workload cluster, without which the decision stands', () =>
    expect(names(decide(observed({ pods: pending(9) })).actions)).toEqual(['create TriggeredScaleUp web-0 true']));
  it('tell once why no pool is scaled up', () => {
    const huge = pending(2, { requests: { cpu: 64_000 } });
    const first = decide(observed({ pods: huge }));
    expect(names(first.actions)).toEqual(['create NotTriggerScaleUp web-0 true']);
    expect(decide(observed({ pods: huge, status: first.status! })).actions).toBeUndefined();
  });
  it('are found by kubectl: they name the pod with its UID', () => {
    const [action] = decide(observed({ pods: pending(9) })).actions!.filter(({ do: what }) => what === 'call');
    expect(action).toMatchObject({
      input: { object: { involvedObject: { kind: 'Pod', namespace: 'default', name: 'web-0', uid: 'uid-web-0' } } },
    });
  });
  it('explain each of many owners in turn, and each once', () => {
    const huge = { requests: { cpu: 64_000 } };
    const owners = Array.from({ length: 150 }, (_, at) => `web-${at}`);
    const pods = owners.flatMap((name) => pending(2, huge, { owner: { kind: 'ReplicaSet', name }, name }));
    const explained: string[] = [];
    let status: ScalingPlanStatus | undefined;
    for (let pass = 0; pass < 9; pass++) {
      const plan = decide(observed({ pods, ...(status && { status }) }));
      const events = names(plan.actions);
      expect(events.length).toBeLessThanOrEqual(20);
      explained.push(...events);
      status = plan.status!;
    }
    expect(explained).toHaveLength(150);
    expect(new Set(explained)).toEqual(new Set(owners.map((name) => `create NotTriggerScaleUp ${name} true`)));
  });
  it('group the pools of one reason', () => {
    const of = observed({ pods: pending(1, { requests: { cpu: 64_000 } }) });
    const [one] = of.pools!;
    const { deployment } = one!;
    const more = Array.from({ length: 7 }, (_, at) => ({
      ...one!,
      deployment: { ...deployment, metadata: { ...deployment.metadata, name: `pool-${at}` } },
      machineSets: [],
    }));
    const [action] = decide({ ...of, pools: [one!, ...more] }).actions!;
    const { object: event } = (action as unknown as { input: { object: { message: string } } }).input;
    expect(event.message).toBe(
      'No pool is scaled up: pool-0, pool-1, pool-2, pool-3, pool-4 and 3 more pools: Insufficient cpu',
    );
  });
  it('report a reached limit once', () => {
    const first = decide(observed({ pods: pending(40) }));
    const reached = first.events?.filter(({ reason }) => reason === 'LimitReached');
    expect(reached).toMatchObject([{ type: 'Warning', message: 'Pods stay pending: workers has its maximum of 5' }]);
    const again = decide(observed({ pods: pending(40), replicas: 5, status: first.status! }));
    expect(again.events?.filter(({ reason }) => reason === 'LimitReached')).toEqual([]);
  });
});

describe('nothing is written', () => {
  const renewed = object('Lease', 'cluster-autoscaler', { spec: { renewTime: new Date(now - 1000).toISOString() } });
  const withheld = { releases: false, reason: 'OnHold', message: 'Held' };
  const without = (more: Partial<Observed>): Observed => {
    const { workload: _, ...others } = observed({ pods: pending(9) });
    return { ...others, ...more };
  };
  it.each<{ rule: string; of: Observed; more?: Partial<Context>; is: Record<string, string> }>([
    {
      rule: 'while cluster-autoscaler acts on the cluster',
      of: observed({ pods: pending(9), traces: { lease: { state: 'found', value: renewed } } }),
      is: { AutoscalerConflict: 'True OtherAutoscaler' },
    },
    {
      rule: 'while the pool is paused',
      of: observed({ pods: pending(9), paused: true }),
      is: { Ready: 'True Deciding' },
    },
    { rule: 'while the cluster is held back', of: without({}), more: { withheld }, is: { Ready: 'False OnHold' } },
    { rule: 'without a pool', of: without({ pools: [] }), is: { Ready: 'False NoPool' } },
    {
      rule: 'while the cluster does not answer',
      of: without({ unreadable: 'timeout' }),
      is: { Ready: 'False ClusterUnreachable' },
    },
    { rule: 'without its Cluster', of: without({ cluster: undefined }), is: { Ready: 'False NoCluster' } },
  ])('$rule', ({ of, more, is }) => {
    const decided = decide(of, more);
    expect(writes(decided.actions)).toEqual([]);
    expect(conditionsOf(decided.status)).toMatchObject(is);
  });
});

it('reports nothing of the pools that opted out', () => {
  const reached = (type: string) => ({ type, status: 'True' as const, reason: type, lastTransitionTime: ago(1) });
  const { status } = decide({
    ...observed({
      pods: pending(9),
      status: {
        ...long,
        conditions: [reached('AutoscalerConflict'), reached('LimitReached'), reached('PrioritiesRead')],
        move: { since: ago(1), nodes: ['a'], pool: 'p', saving: '1.00', message: 'waits for the new node' },
        usage: { nodes: 3, vCPU: 12, dollarsPerHour: '4.00' },
        purchases: [],
        templates: { a: {} },
      },
    }),
    pools: [],
  });
  expect(conditionsOf(status)).toEqual({
    Ready: 'False NoPool',
    AutoscalerConflict: 'False NoOtherAutoscaler',
    LimitReached: 'False WithinLimits',
    AboveMaximum: 'False WithinSizes',
    RemovalsHeld: 'False EnoughNodesReady',
    HeadroomMissing: 'False HeadroomKept',
    GrowthBlocked: 'False MachinesCanBeCreated',
  });
  expect(Object.keys(status!).sort()).toEqual([
    'conditions',
    'nodes',
    'pending',
    'pods',
    'pools',
    'refused',
    'templates',
  ]);
});
