import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { found, type Plan, type Withheld } from '../../../machinery/api/reconcile.ts';
import { adoptedAnnotation, claimSecrets } from '../../core/contract/cluster-secrets.ts';
import { operatedPlan } from '../../core/contract/operated.fixture.ts';
import type { Target } from '../../core/contract/target.ts';
import type { Machine } from '../../core/machine/schema.ts';
import {
  a,
  ago,
  b,
  type ControlPlaneState,
  c,
  context,
  controlPlaneOf,
  does,
  gone,
  old,
  three,
} from './control-plane.fixture.ts';
import type { ControlPlane } from './control-plane.ts';
import { kubeadmControlPlaneController } from './controller.ts';
import { annotations } from './names.ts';
import { isCleared } from './release.ts';
import type { Remains } from './remains.ts';
import type { KubeadmControlPlaneStatus } from './schema.ts';
import { settled } from './settled.fixture.ts';
import { createWorld } from './world.fixture.ts';

const conditionsOf = ({ status }: Plan<KubeadmControlPlaneStatus>) =>
  Object.fromEntries((status?.conditions ?? []).map((one) => [one.type, one]));

const whys: Record<Target, string> = {
  Build: '',
  Wait: 'Waiting for ClusterOperation c-create-1 to admit the cluster',
  Hold: 'Held by ClusterOperation c-create-1: nothing new is created',
  Nothing: 'Torn down by ClusterOperation c-create-1',
};
const withheldUnder = (target: Target): Withheld | undefined =>
  target === 'Build' ? undefined : { releases: target === 'Nothing', reason: target, message: whys[target] };
/** A pass over an observed control plane. */
const act = (controlPlane: ControlPlane): Plan<KubeadmControlPlaneStatus> => {
  const { withheld, kcp } = controlPlane;
  const within = { ...context(), ...(withheld && { withheld }) };
  return operatedPlan(kubeadmControlPlaneController, kcp, { controlPlane }, within, (fresh) => ({
    controlPlane: { ...controlPlane, kcp: fresh },
  }));
};
const nothingLeft: Remains = { parts: [{ state: 'found', value: [] }], lock: { state: 'absent' } };
const aimed = (target: Target, state: ControlPlaneState): ControlPlane => ({
  ...controlPlaneOf(state),
  withheld: withheldUnder(target),
  why: whys[target],
  remains: target === 'Nothing' ? nothingLeft : undefined,
});

describe.each<Target>(['Wait', 'Hold'])('a control plane on %s', (target) => {
  it.each<ControlPlaneState & { rule: string; says: [type: string, message: RegExp] }>([
    {
      rule: 'creates no first machine',
      machines: [],
      initialized: false,
      says: ['ScalingUp', /^Scaling up from 0 to 3 replicas is blocked because:\n\* (Waiting for|Held by) ClusterOp/],
    },
    { rule: 'adds no machine', machines: [a], says: ['ScalingUp', /ClusterOperation c-create-1/] },
    { rule: 'removes no machine', machines: three, replicas: 1, says: ['ScalingDown', /ClusterOperation c-create-1/] },
    {
      rule: 'replaces no machine',
      machines: [old(a), old(b), old(c)],
      says: ['RollingOut', /ClusterOperation c-create-1/],
    },
    { rule: 'remediates no machine', machines: [a, b, { ...c, unhealthy: true }], says: ['Remediating', /./] },
    { rule: 'removes no etcd member', machines: three, unknownMembers: ['lost'], says: ['ScalingUp', /^$/] },
    {
      rule: 'completes no partly created machine',
      machines: [a],
      annotations: { [annotations.creating]: JSON.stringify({ name: 'kcp-x', init: false }) },
      says: ['ScalingUp', /ClusterOperation c-create-1/],
    },
  ])('$rule, and reports why', ({ says: [type, message], ...state }) => {
    const controlPlane = settled(aimed(target, state));
    const plan = act(controlPlane);
    expect(does(plan) ?? []).toEqual([]);
    expect(plan.intent).toBeUndefined();
    expect(conditionsOf(plan)[type]?.message).toMatch(message);
    const building = act({ ...controlPlane, withheld: undefined, why: '' });
    expect(does(building)).not.toEqual([]);
  });

  it('completes the deletion of a machine that a user deleted, etcd member first', () => {
    const { members } = settled(aimed(target, { machines: [a, b] }));
    const before = aimed(target, { machines: [a, b, gone(c)] });
    const controlPlane = settled({ ...before, members: [] });
    const leaving = before.members.slice(2);
    const plan = act({ ...controlPlane, members: [...members, ...leaving] });
    expect(does(plan)).toEqual(['etcdRemoveMember id-node-c', 'patch Machine c']);
  });

  it('keeps reporting its state', () => {
    const { status } = act(aimed(target, { machines: three }));
    expect(status).toMatchObject({ replicas: 3, initialization: { controlPlaneInitialized: true } });
    expect(conditionsOf({ status: status! }).Available?.status).toBe('True');
  });
});

describe('a control plane that is torn down', () => {
  const holding = (name: string, owners: Machine['metadata']['ownerReferences'] = []): Machine => ({
    ...controlPlaneOf({ machines: [{ name }] }).members[0]!.machine,
    metadata: { name, namespace: 'default', uid: name, ownerReferences: owners },
    status: {},
  });
  const set = [{ apiVersion: 'v1', kind: 'MachineSet', name: 's', uid: 's', controller: true }];
  const filled = (machine: Machine): Machine => ({
    ...machine,
    metadata: { ...machine.metadata, annotations: { 'capstan.dev/filled': '{"providerID":"aws:///z/i-1"}' } },
  });
  const removal = ['patch Machine a', 'delete Machine a', 'patch Machine b', 'delete Machine b'];
  const half: ControlPlaneState = { machines: [a, b], initialized: true };

  it.each<{ rule: string; workers: Machine[]; expected: string[] }>([
    { rule: 'waits for workers of MachineSets', workers: [holding('w', set)], expected: [] },
    { rule: 'waits for the hosts of user-created workers', workers: [filled(holding('w'))], expected: [] },
    {
      rule: 'does not wait for user-created Machines without a host',
      workers: [holding('w')],
      expected: removal,
    },
    { rule: 'then deletes all its machines at once, without etcd removal', workers: [], expected: removal },
  ])('$rule', ({ workers, expected }) => {
    const controlPlane: ControlPlane = { ...aimed('Nothing', half), workers: { state: 'found', value: workers } };
    const plan = act(controlPlane);
    expect(does(plan) ?? []).toEqual(expected);
    expect(conditionsOf(plan).Available).toMatchObject({
      status: 'False',
      message: expect.stringContaining(whys.Nothing),
    });
    expect(plan.requeueAfter).toBe(30);
  });

  const reads = { state: 'unreadable', reason: 'x' } as const;
  it.each<{ rule: string; change: (controlPlane: ControlPlane) => Partial<ControlPlane>; expected: string[] }>([
    { rule: 'an unreadable list of workers', change: () => ({ workers: reads }), expected: [] },
    {
      rule: 'an unreadable list of hosts',
      change: () => ({ members: [], remains: { ...nothingLeft, parts: [reads] } }),
      expected: [],
    },
    { rule: 'an unreadable kubeconfig', change: () => ({ members: [], kubeconfig: reads }), expected: [] },
    {
      rule: 'an unreadable lock',
      change: () => ({ members: [], remains: { ...nothingLeft, lock: reads } }),
      expected: [],
    },
  ])('never treats as absent: $rule', ({ change, expected }) => {
    const before = aimed('Nothing', half);
    const plan = act({ ...before, ...change(before) });
    expect(does(plan) ?? []).toEqual(expected);
    expect(plan.status).toMatchObject({ initialization: { controlPlaneInitialized: true } });
  });

  it('deletes only parts that no Machine has adopted', () => {
    const [one, other] = aimed('Nothing', half).members;
    const owner = { apiVersion: 'v1', kind: 'KubeadmControlPlane', name: 'kcp', uid: 'kcp' };
    const part = { ...one!.infraMachine!, metadata: { ...one!.infraMachine!.metadata, ownerReferences: [owner] } };
    const parts: Remains['parts'] = [{ state: 'found', value: [part, other!.infraMachine!] }];
    const controlPlane = { ...aimed('Nothing', { machines: [] }), remains: { ...nothingLeft, parts } };
    expect(does(act(controlPlane))).toEqual(['delete AWSMachine a']);
  });

  it('deletes the Secrets that it created and keeps those of users', () => {
    const controlPlane = aimed('Nothing', { machines: [] });
    const { ca } = controlPlane.certificates.secrets;
    const own = found(ca)!;
    const users = { ...own, type: 'Opaque', metadata: { ...own.metadata, ownerReferences: [] } };
    const secrets = { ...controlPlane.certificates.secrets, ca: { state: 'found', value: users } as const };
    const plan = act({ ...controlPlane, certificates: { secrets, generated: {}, faults: {} } });
    expect(does(plan)).toEqual([
      'delete Secret c-etcd',
      'delete Secret c-proxy',
      'delete Secret c-sa',
      'delete Secret c-kubeconfig',
    ]);
  });

  it('gives back a Secret that it adopted', () => {
    const controlPlane = aimed('Nothing', { machines: [] });
    const own = found(controlPlane.certificates.secrets.ca)!;
    const before = { ...own, metadata: { ...own.metadata, ownerReferences: [], uid: 'ca', resourceVersion: '1' } };
    const [claim] = claimSecrets([before], { cluster: 'c', owner: own.metadata.ownerReferences![0]!, isNew: true });
    const { metadata } = (claim as unknown as { patch: { metadata: KubeObject['metadata'] } }).patch;
    const adopted = { ...before, metadata: { ...before.metadata, ...metadata } };
    const secrets = { ...controlPlane.certificates.secrets, ca: { state: 'found', value: adopted } as const };
    const { actions } = act({ ...controlPlane, certificates: { secrets, generated: {}, faults: {} } });
    expect(actions?.[0]).toMatchObject({
      do: 'patch',
      name: 'c-ca',
      patch: { metadata: { ownerReferences: [], annotations: { [adoptedAnnotation]: null } } },
    });
  });

  it('is torn down even with unsupported settings', () => {
    const external = { caFile: 'a', certFile: 'b', keyFile: 'c', endpoints: ['https://d'] };
    const spec = { kubeadmConfigSpec: { clusterConfiguration: { etcd: { external } } } };
    expect(does(act(aimed('Nothing', { ...half, spec })))).toEqual(removal);
  });
});

describe('a partly created control plane', () => {
  const operation = { 'capstan.dev/operation': 'c-create-1' };

  const started = async () => {
    const world = createWorld({ workflows: true });
    const cluster = () => world.all('Cluster')[0]!;
    const aim = (target: Target) =>
      world.replace(cluster(), {
        metadata: { annotations: { ...operation, 'capstan.dev/target': target === 'Wait' ? null : target } },
      });
    const passes = async (count = 12): Promise<Plan<KubeadmControlPlaneStatus>> => {
      let last: Plan<KubeadmControlPlaneStatus> = {};
      for (let i = 0; i < count; i++) last = (await world.pass(Number.POSITIVE_INFINITY))!;
      return last;
    };
    return { world, aim, passes };
  };

  /** Finishes the deletion of Machines without hooks, as the Machine controller does. */
  const leave = ({ all, remove }: ReturnType<typeof createWorld>) => {
    for (const machine of all('Machine')) {
      if (!machine.metadata.deletionTimestamp || machine.metadata.annotations?.[annotations.cleanupHook] !== undefined)
        continue;
      for (const kind of ['AWSMachine', 'KubeadmConfig'])
        for (const part of all(kind)) if (part.metadata.name === machine.metadata.name) remove(part);
      remove(machine);
    }
  };
  const probe = (reachable: boolean) => ({
    apiVersion: 'capstan.dev/v1alpha1',
    kind: 'WorkloadSnapshot',
    metadata: {
      name: 'c',
      namespace: 'default',
      uid: 'probe',
      ownerReferences: [{ apiVersion: 'v1', kind: 'Cluster', name: 'c', uid: 'cluster' }],
    },
    spec: {
      reachable,
      failures: 0,
      ...(reachable ? { reachableSince: ago(10) } : { unreachableSince: ago(1) }),
      initialized: true,
      nodes: [],
      controlPlanePods: [],
    },
  });
  const lock = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'c-lock', namespace: 'default', uid: 'lock' },
    data: { 'lock-information': JSON.stringify({ machineName: 'whoever' }) },
  };

  it.each<Target>(['Wait', 'Hold'])('creates nothing on %s', async (target) => {
    const { world, aim, passes } = await started();
    aim(target);
    await passes();
    for (const kind of ['Machine', 'AWSMachine', 'KubeadmConfig', 'Secret']) expect(world.all(kind)).toEqual([]);
    expect(world.asked).toEqual([]);
    expect(world.current().status?.conditions?.find(({ type }) => type === 'Available')?.message).toContain(
      whys[target],
    );
  });

  it.each([
    { rule: '1 of 3, before its API server answers', machines: 1, api: undefined },
    { rule: '1 of 3, while its API server answers', machines: 1, api: true },
    { rule: '2 of 3, the second one being provisioned', machines: 2, api: true },
    { rule: '2 of 3, when its API server no longer answers', machines: 2, api: false },
    { rule: '1 of 3, and a second one that was only begun', machines: 1, api: true, begun: true },
  ])('$rule: leaves nothing, sends no request, and starts over', async ({ machines, api, begun = false }) => {
    const { world, aim, passes } = await started();
    world.replace(world.current(), { spec: { replicas: 3 } });
    aim('Build');
    await passes();
    expect(world.all('Machine')).toHaveLength(1);
    expect(world.all('Secret')).toHaveLength(5);
    world.add(lock);
    if (api !== undefined) {
      world.add(probe(api));
      world.replace(world.current(), { status: { initialization: { controlPlaneInitialized: true } } });
    }
    if (machines === 2) {
      const first = world.all('Machine')[0]!;
      world.add({ ...first, metadata: { ...first.metadata, name: 'second', uid: 'second' } });
    }
    if (begun) {
      const note = { [annotations.creating]: JSON.stringify({ name: 'begun', init: false }) };
      world.replace(world.current(), { metadata: { annotations: note } });
      const first = world.all('AWSMachine')[0]!;
      world.add({ ...first, metadata: { ...first.metadata, name: 'begun', uid: 'begun' } });
    }
    const before = new Set(world.all('Secret').map(({ metadata }) => metadata.uid));
    world.asked.splice(0);

    aim('Nothing');
    await passes(2);
    leave(world);
    const last = await passes(4);
    for (const kind of ['Machine', 'AWSMachine', 'KubeadmConfig', 'Secret', 'ConfigMap'])
      expect(world.all(kind)).toEqual([]);
    expect(world.asked).toEqual([]);
    expect(isCleared(world.current())).toBe(true);
    expect(world.current().metadata.annotations ?? {}).toEqual({});
    expect(world.current().spec).toMatchObject({ replicas: 3 });
    expect(Object.keys(world.current().status!).sort()).toEqual(
      [
        'availableReplicas',
        'conditions',
        'deprecated',
        'readyReplicas',
        'replicas',
        'selector',
        'upToDateReplicas',
      ].sort(),
    );
    expect(conditionsOf(last)).toMatchObject({
      Available: { status: 'False', message: whys.Nothing },
      Initialized: { status: 'False', message: whys.Nothing },
      Deleting: { status: 'False' },
    });
    expect(last.requeueAfter).toBeUndefined();
    const quiet = world.objects();
    await passes(2);
    expect(world.objects()).toBe(quiet);

    for (const snapshot of world.all('WorkloadSnapshot')) world.remove(snapshot);
    aim('Build');
    await passes();
    const [machine, ...more] = world.all('Machine');
    expect(more).toEqual([]);
    const config = world.all('KubeadmConfig').find(({ metadata }) => metadata.name === machine!.metadata.name);
    expect(config).toBeDefined();
    expect(config?.spec).not.toHaveProperty('joinConfiguration');
    expect(world.all('Secret').filter(({ metadata }) => !before.has(metadata.uid))).toHaveLength(5);
  });

  it('keeps on Hold what it has created, and creates no more', async () => {
    const { world, aim, passes } = await started();
    world.replace(world.current(), { spec: { replicas: 3 } });
    aim('Build');
    await passes();
    const before = world.all('Secret');
    aim('Hold');
    await passes();
    expect(world.all('Machine')).toHaveLength(1);
    expect(world.all('Secret')).toEqual(before);
    const kcp = world.current();
    expect(kcp.status?.conditions?.find(({ type }) => type === 'Available')?.message).toContain(whys.Hold);
  });
});
