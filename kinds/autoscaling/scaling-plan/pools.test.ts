import { describe, expect, it } from 'vitest';
import { rolloutRevision } from '../../core/contract/deployment.ts';
import { refusalIn } from '../../core/contract/machine-provider.ts';
import { operationAnnotations } from '../../core/contract/target.ts';
import type { MachineDeployment } from '../../core/machine-deployment/index.ts';
import { machineProviders } from '../../machine-providers.ts';
import { minute, node, now } from '../plan/plan.fixture.ts';
import type { Node } from '../plan/types.ts';
import { object, observed, view } from './observed.fixture.ts';
import { isPool, type PoolObjects, poolsOf, templateKey } from './pools.ts';

const given = (machines: string[] = ['a'], more: object = {}): PoolObjects =>
  observed({ machines, ...more }).pools![0]!;
const poolOf = (objects: PoolObjects, nodes: Node[] = [], speed = 1) =>
  poolsOf([objects], { nodes, remembered: {}, speed, now })[0]!;
const fallback = { 'capstan.dev/spot-fallback': 'OnDemand' };
const withMachine = (change: object, metadata: object = {}): PoolObjects => {
  const objects = given();
  const [machine] = objects.machines;
  const changed = { ...machine!, ...change, metadata: { ...machine!.metadata, ...metadata } };
  return { ...objects, machines: [changed as typeof machine & object] };
};

describe('a pool', () => {
  it('is identified and bounded as cluster-autoscaler does it', () =>
    expect(poolOf(given())).toMatchObject({ id: 'MachineDeployment/default/workers', min: 0, max: 5, replicas: 1 }));
  it('has the Machines that its MachineSets control, and no others', () => {
    const objects = given(['a', 'b']);
    const unowned = { ...objects.machines[0]!, metadata: { name: 'x', namespace: 'default', ownerReferences: [] } };
    const machines = [...objects.machines, unowned as (typeof objects.machines)[number]];
    expect(poolOf({ ...objects, machines }).machines.map(({ name }) => name)).toEqual(['a', 'b']);
  });
  it('shares no memory of failed launches while its instance type is unknown', () =>
    expect(poolOf(given()).instanceType).toBe('MachineDeployment/default/workers'));
  it('has the sizes of its schedule while an entry is active', () => {
    const entry = '0 12 * * * duration=1h min=3';
    const annotations = { 'capstan.dev/autoscale-schedule': entry };
    expect(poolOf(given([], { annotations }))).toMatchObject({
      min: 3,
      max: 5,
      schedule: { entries: [entry], changesAt: now + 60 * minute },
    });
  });
  it.each<{ rule: string; alarming: string[]; schedule?: string; is: object }>([
    { rule: 'of its own without an active entry', alarming: [], is: { min: 0, max: 5 } },
    { rule: 'of its alarm', alarming: ['a'], is: { min: 2, max: 5, alarms: ['a min=2'] } },
    {
      rule: 'that are the largest of its schedule and its alarm',
      alarming: ['a'],
      schedule: '0 12 * * * duration=1h min=1 max=9',
      is: { min: 2, max: 9 },
    },
    {
      rule: 'of its alarm while its schedule has no active entry',
      alarming: ['a'],
      schedule: '0 11 * * * duration=1h min=4 max=9',
      is: { min: 2, max: 5 },
    },
    {
      rule: 'that an alarm keeps up although a schedule lowers them',
      alarming: ['a'],
      schedule: '0 12 * * * duration=1h max=0',
      is: { min: 2, max: 5 },
    },
  ])('has the sizes $rule', ({ alarming, schedule, is }) => {
    const annotations = {
      'capstan.dev/autoscale-alarms': 'a min=2',
      ...(schedule && { 'capstan.dev/autoscale-schedule': schedule }),
    };
    const facts = { alarming: new Set(alarming), nodes: [], remembered: {}, speed: 1, now };
    expect(poolsOf([given([], { annotations })], facts)[0]).toMatchObject(is);
  });
  it.each([
    { rule: 'by its market', spec: { marketType: 'Spot' }, market: 'spot' },
    { rule: 'by its spot options', spec: { spotMarketOptions: {} }, market: 'spot' },
    { rule: 'by no market', spec: {}, market: undefined },
    { rule: 'by the on-demand market', spec: { marketType: 'OnDemand' }, market: undefined },
  ])('has the memory of failed launches of its market, which its template chooses $rule', ({ spec, market }) => {
    const objects = given();
    expect(poolOf({ ...objects, view: view({ template: { spec } }) }).market).toBe(market);
  });
  it.each([
    { rule: 'of its template', marketType: 'Spot', onTemplate: fallback, fallback: true },
    { rule: 'that its Machines propagate', marketType: 'Spot', onMachines: fallback, fallback: true },
    { rule: 'of another market', marketType: 'OnDemand', onTemplate: fallback, fallback: undefined },
    { rule: 'that it does not have', marketType: 'Spot', fallback: undefined },
  ])('has the fallback $rule', ({ marketType, onTemplate, onMachines, fallback: expected }) => {
    const objects = given();
    const template = { spec: { marketType }, metadata: { annotations: onTemplate } };
    const { spec } = objects.deployment;
    const machines = { ...spec!.template, metadata: { ...(onMachines && { annotations: onMachines }) } };
    const deployment = { ...objects.deployment, spec: { ...spec!, template: machines } };
    expect(poolOf({ ...objects, deployment, view: view({ template }) }).fallback).toBe(expected);
  });
  it('has the start-up taints of its user', () => {
    const annotations = { 'capstan.dev/autoscale-startup-taints': 'example.com/a, b' };
    expect(poolOf(given([], { annotations })).startupTaints).toEqual(['example.com/a', 'b']);
  });
  it('is held while it is paused', () =>
    expect(poolOf(given([], { paused: true })).held).toBe('the MachineDeployment is paused'));
  describe('cannot create Machines', () => {
    const conditions = (kind: 'deployment' | 'machineSets', type: string) => {
      const objects = given();
      const condition = { type, status: 'False', reason: 'KubeadmVersionSkew', message: 'set its version' };
      const status = { conditions: [condition] } as unknown as MachineDeployment['status'];
      return kind === 'deployment'
        ? { ...objects, deployment: { ...objects.deployment, status } }
        : {
            ...objects,
            machineSets: objects.machineSets.map((set) => ({ ...set, status: status as typeof set.status })),
          };
    };
    const template = { kind: 'KubeadmConfigTemplate', read: { state: 'absent' as const } };
    const pausedSet = () => {
      const objects = given();
      const machineSets = objects.machineSets.map((set) => ({
        ...set,
        metadata: { ...set.metadata, annotations: { 'cluster.x-k8s.io/paused': '' } },
      }));
      return { ...objects, machineSets };
    };
    it.each<{ rule: string; of: PoolObjects; is: string | undefined }>([
      {
        rule: 'while its MachineDeployment says so',
        of: conditions('deployment', 'CanCreateMachines'),
        is: 'no Machine can be created: set its version',
      },
      {
        rule: 'while a template is missing',
        of: { ...given(), missing: [template] },
        is: 'no Machine can be created: KubeadmConfigTemplate does not exist',
      },
      {
        rule: 'while it is paused',
        of: given([], { annotations: { 'cluster.x-k8s.io/paused': '' } }),
        is: 'the MachineDeployment is paused',
      },
      { rule: 'not while its rollouts are paused only', of: given([], { paused: true }), is: undefined },
      { rule: 'while its MachineSet is paused', of: pausedSet(), is: 'MachineSet workers-1 is paused' },
      { rule: 'not because of an old MachineSet', of: conditions('machineSets', 'CanCreateMachines'), is: undefined },
      { rule: 'not because of other conditions', of: conditions('deployment', 'Available'), is: undefined },
    ])('$rule', ({ of, is }) => expect(poolOf(of).cannotCreate).toBe(is));
  });
  it('shortens the waits of its user in a faster account, and never those for machines', () => {
    const annotations = { 'cluster.x-k8s.io/autoscaling-options-maxnodeprovisiontime': '5m' };
    expect(poolOf(given([], { annotations }), [], 60).options).toEqual({
      unneededTime: 10_000,
      unreadyTime: 20_000,
      provisionTime: 5 * minute,
    });
  });
  /** With an old MachineSet, and a current one of one replica unless the rollout has not begun. */
  const rolling = (replicas: number, hasBegun = true): PoolObjects => {
    const objects = given();
    const [set] = objects.machineSets;
    const template = { spec: { ...set!.spec!.template.spec, version: 'v1.34.0' } };
    const metadata = { ...set!.metadata, name: 'old', uid: 'uid-old' };
    const old = { ...set!, metadata, spec: { ...set!.spec!, replicas, template } } as typeof set & object;
    return { ...objects, machineSets: hasBegun ? [set!, old] : [old] };
  };
  it('is rolling out while an old MachineSet has replicas', () => {
    expect(poolOf(rolling(1)).rollingOut).toBe(true);
    expect(poolOf(rolling(1, false)).rollingOut, 'before the current one exists').toBe(true);
    expect(poolOf(rolling(0)).rollingOut).toBeUndefined();
  });

  const first = 'the upgrade of the cluster tries the first new Machine';
  it.each<{ rule: string; target?: object; stopped?: boolean; workflows?: boolean; old?: number; is?: string }>([
    { rule: 'its upgrade admits it', is: 'an upgrade of the cluster has not admitted the rollout yet' },
    { rule: 'its upgrade has tried it', target: { target: 'Build', most: 1 }, is: first },
    { rule: 'nothing, once it is admitted', target: { target: 'Build' } },
    { rule: 'nothing while the upgrade is held', target: { target: 'Build', most: 1, held: true } },
    { rule: 'nothing after a rollback', target: { target: 'RollBack' } },
    { rule: 'nothing if the upgrade was refused', stopped: true },
    { rule: 'nothing without operations', workflows: false },
    { rule: 'nothing without old Machines', old: 0 },
  ])('waits with new Machines of a rollout for $rule', ({ target, stopped, workflows = true, old = 1, is }) => {
    const objects = rolling(old);
    const revision = rolloutRevision(objects.deployment);
    const targets = JSON.stringify(target ? { 'MachineDeployment/workers': { revision, ...target } } : {});
    const conditions = stopped ? [{ type: 'OperationStopped', status: 'True', message: 'refused' }] : [];
    const annotations = {
      [operationAnnotations.wasAvailable]: 'true',
      [operationAnnotations.objectTargets]: targets,
    };
    const cluster = object('Cluster', 'c', { status: { conditions } }, { annotations });
    const facts = { nodes: [], remembered: {}, speed: 1, now, config: { workflows } };
    expect(poolsOf([{ ...objects, cluster }], facts)[0]!.rolloutWaits).toBe(is);
  });
  it('has the template of its ready nodes only', () => {
    const live = node('a', { allocatable: { cpu: 1000, memory: 1, pods: 9 } });
    expect(poolOf(given(), [live]).template?.allocatable).toEqual(live.allocatable);
    expect(poolOf(given(), [{ ...live, ready: false }]).template?.allocatable.cpu).toBe(4000);
    const objects = given();
    const template = { spec: { ...objects.deployment.spec!.template.spec, version: 'v2' } };
    const deployment = { ...objects.deployment, spec: { ...objects.deployment.spec!, template } };
    expect(poolOf({ ...objects, deployment }, [live]).template?.allocatable.cpu, 'of an older template').toBe(4000);
  });
});

describe('a Machine', () => {
  const at = new Date(now - minute).toISOString();
  const conditions = [{ type: 'InfrastructureReady', status: 'True', reason: 'x', lastTransitionTime: at }];
  const withRefusal = (message: string, metadata: object = {}, ...more: object[]): PoolObjects => {
    const refused = { type: 'InstanceReady', status: 'False', message, lastTransitionTime: at };
    const host = object('AWSMachine', 'a', { status: { conditions: [refused, ...more] } }, metadata);
    return { ...given(), hostless: { a: { host, refusal: refusalIn(host, machineProviders) } } };
  };
  const noCapacity = 'RunInstances: InsufficientInstanceCapacity: none left';
  const withFallback = { annotations: { 'capstan.dev/spot-fallback': 'OnDemand' } };
  const fellBack = { type: 'SpotFallback', status: 'True', reason: 'SpotMaxPriceTooLow', lastTransitionTime: at };
  const shortage = { code: 'InsufficientInstanceCapacity', at: now - minute };
  it.each<{ rule: string; of: PoolObjects; is: object }>([
    { rule: 'has the node of its status', of: given(), is: { node: 'a' } },
    { rule: 'has a zone', of: withMachine({ status: { failureDomain: 'az-b' } }), is: { zone: 'az-b' } },
    {
      rule: 'is launched when its host exists',
      of: withMachine({ status: { conditions } }),
      is: { launchedAt: now - minute },
    },
    { rule: 'is in deletion', of: withMachine({}, { deletionTimestamp: at }), is: { deleting: true } },
    {
      rule: 'is marked, whatever the mark says',
      of: withMachine({}, { annotations: { 'cluster.x-k8s.io/delete-machine': '' } }),
      is: { marked: true },
    },
    {
      rule: 'lacks capacity at the maximum price of its user',
      of: withRefusal('RunInstances: SpotMaxPriceTooLow: Your Spot request price of 0.01 is lower'),
      is: { capacityError: { code: 'SpotMaxPriceTooLow', at: now - minute } },
    },
    {
      rule: 'was interrupted',
      of: withMachine({
        status: { conditions: [{ type: 'HostInterrupted', status: 'True', reason: 'x', lastTransitionTime: at }] },
      }),
      is: { interruptedAt: now - minute },
    },
  ])('$rule', ({ of, is }) => expect(poolOf(of).machines[0]).toMatchObject(is));

  const lost = { deprecated: { v1beta1: { failureReason: 'UpdateError' } } };
  const since = { conditions: [{ ...conditions[0]!, status: 'False' }] };
  it.each<{ rule: string; status: object; nodes?: Node[]; is: number | undefined }>([
    { rule: 'without a node failed when it lost its host', status: { ...lost, ...since }, is: now - minute },
    { rule: 'failed at the latest when it was created', status: { phase: 'Failed' }, is: now - 120 * minute },
    {
      rule: 'failed with a node that does not run',
      status: { ...lost, ...since },
      nodes: [node('a', { ready: false })],
      is: now - minute,
    },
    { rule: 'works while its node is ready', status: { ...lost, ...since }, nodes: [node('a')], is: undefined },
    { rule: 'works while its provider reports no failure', status: since, is: undefined },
  ])('$rule', ({ status, nodes, is }) => {
    const nodeRef = nodes && { nodeRef: { name: 'a' } };
    expect(poolOf(withMachine({ status: { ...status, ...nodeRef } }), nodes).machines[0]!.failedAt).toBe(is);
  });

  it.each<{ rule: string; of: PoolObjects; is: object }>([
    {
      rule: 'is not refused before it was tried on demand',
      of: withRefusal(noCapacity, withFallback),
      is: { fallback: shortage },
    },
    {
      rule: 'is refused by both markets',
      of: withRefusal(noCapacity, withFallback, fellBack),
      is: { fallback: { code: 'SpotMaxPriceTooLow', at: now - minute }, capacityError: shortage },
    },
    {
      rule: 'is refused where no fallback helps',
      of: withRefusal('RunInstances: AuthFailure.ServiceLinkedRoleCreationNotPermitted: no', withFallback),
      is: { capacityError: { code: 'ServiceLinkedRoleCreationNotPermitted', at: now - minute } },
    },
    {
      rule: 'with a host reports why that is on demand',
      of: withMachine({ status: { conditions: [fellBack] } }),
      is: { fallback: { code: 'SpotMaxPriceTooLow', at: now - minute } },
    },
  ])('with a fallback $rule', ({ of, is }) => {
    const { capacityError, fallback } = poolOf(of).machines[0]!;
    expect({ ...(capacityError && { capacityError }), ...(fallback && { fallback }) }).toEqual(is);
  });
});

it('a MachineDeployment in deletion is no pool', () => {
  const { deployment } = given();
  expect(isPool(deployment)).toBe(true);
  expect(isPool({ ...deployment, metadata: { ...deployment.metadata, deletionTimestamp: 'x' } })).toBe(false);
});

it('nodes are remembered for one template of a pool', () => {
  const { deployment } = given();
  const other = { ...deployment, spec: { ...deployment.spec!, template: { spec: { version: 'v2' } } } };
  expect(templateKey(other as unknown as MachineDeployment)).not.toBe(templateKey(deployment));
  expect(templateKey({ ...deployment, spec: { ...deployment.spec!, replicas: 9 } })).toBe(templateKey(deployment));
});

it('pools are in the order of their ids', () => {
  const first = given();
  const deployment = object('MachineDeployment', 'another', { spec: first.deployment.spec }, first.deployment.metadata);
  const second = { ...first, deployment: { ...deployment, metadata: { ...deployment.metadata, name: 'another' } } };
  const facts = { nodes: [], remembered: {}, speed: 1, now };
  const ids = poolsOf([first, second as PoolObjects], facts).map(({ id }) => id);
  expect(ids).toEqual(['MachineDeployment/default/another', 'MachineDeployment/default/workers']);
});
