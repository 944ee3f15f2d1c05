import { describe, expect, it } from 'vitest';
import {
  a,
  b,
  type ControlPlaneState,
  c,
  context,
  controlPlaneOf,
  creation,
  does,
  type MachineState,
  nodeNameOf,
  old,
  three,
} from './control-plane.fixture.ts';
import { domainForNew, machineToTake } from './failure-domains.ts';
import { annotations } from './names.ts';
import { preflight } from './preflight.ts';
import { scale } from './scale.ts';

describe('scaling', () => {
  it.each<ControlPlaneState & { rule: string; expected: string[] | undefined }>([
    { rule: 'initialises with the first machine', machines: [], initialized: false, expected: creation('kcp-xxxx0') },
    {
      rule: 'waits for the first machine before it adds a second',
      machines: [{ name: 'a' }],
      initialized: false,
      expected: [],
    },
    { rule: 'adds one machine at a time', machines: [a], expected: creation('kcp-xxxx0') },
    { rule: 'does nothing at the desired count', machines: three, expected: undefined },
    { rule: 'does not scale up while a machine has no node', machines: [a, { name: 'b', node: false }], expected: [] },
    {
      rule: 'does not scale up while a component is unhealthy',
      machines: [a, { name: 'b', healthy: false }],
      expected: [],
    },
    {
      rule: 'does not scale up while a machine is being deleted',
      machines: [a, { name: 'b', deleting: true }],
      expected: [],
    },
    { rule: 'does not scale up without certificates', machines: [a], missing: ['etcd'], expected: [] },
    { rule: 'does not scale up with damaged ones', machines: [a], faults: { ca: 'tls.crt ended' }, expected: [] },
    { rule: 'does not scale up without a template', machines: [a], template: false, expected: [] },
    { rule: 'removes the oldest machine', machines: three, replicas: 1, expected: ['delete Machine a'] },
    {
      rule: 'moves the leadership away first',
      machines: three,
      replicas: 1,
      leader: 'a',
      expected: [`etcdMoveLeader id-${nodeNameOf('c')}`, 'delete Machine a'],
    },
    {
      rule: 'removes a machine with the delete annotation',
      machines: [a, { ...b, annotations: { 'cluster.x-k8s.io/delete-machine': '' } }, c],
      replicas: 1,
      expected: ['delete Machine b'],
    },
    {
      rule: 'removes an outdated machine first',
      machines: [a, old(b), c],
      replicas: 1,
      expected: ['delete Machine b'],
    },
    {
      rule: 'removes an unhealthy outdated machine first',
      machines: [old(a), { ...old(b), healthy: false }, c],
      replicas: 1,
      expected: ['delete Machine b'],
    },
    {
      rule: 'removes an unhealthy machine first',
      machines: [a, b, { ...c, healthy: false }],
      replicas: 1,
      expected: ['delete Machine c'],
    },
    {
      rule: 'removes a machine without a node first',
      machines: [a, { ...b, node: false }],
      replicas: 1,
      expected: ['delete Machine b'],
    },
    {
      rule: 'does not remove a machine while another is unhealthy',
      machines: [a, { ...b, healthy: false }, { ...c, healthy: false }],
      replicas: 1,
      expected: [],
    },
    {
      rule: 'does not remove an outdated machine while its replacement has no node',
      machines: [old(a), { ...b, node: false }],
      replicas: 1,
      expected: [],
    },
    { rule: 'removes one machine at a time', machines: [{ ...a, deleting: true }, b, c], replicas: 1, expected: [] },
  ])('$rule', ({ expected, ...state }) => expect(does(scale(controlPlaneOf(state), context()))).toEqual(expected));

  it('never initialises twice, even when no machine is left', () => {
    const plan = scale(controlPlaneOf({ machines: [], initialized: true }), context());
    const note = plan?.intent?.metadata?.annotations?.[annotations.creating];
    expect(JSON.parse(note!)).toMatchObject({ init: false });
  });
  it.each([
    {},
    { annotations: { [annotations.remediationInProgress]: '{}' } },
  ])('adds no machine that could not join', (more) => {
    const controlPlane = controlPlaneOf({ machines: [a], ...more });
    const live = { ...controlPlane.live, kubeadmConfig: { state: 'absent' as const } };
    expect(scale({ ...controlPlane, live }, context())).toMatchObject({
      waitsFor: [expect.stringMatching(/kube-system\/kubeadm-config of the workload cluster does not exist/)],
    });
  });
  it('reports why it waits', () => {
    const plan = scale(controlPlaneOf({ machines: [a, { name: 'b', node: false }] }), context());
    expect(plan).toMatchObject({ requeueAfter: 300, events: [{ type: 'Warning', reason: 'ControlPlaneUnhealthy' }] });
  });

  it.each<ControlPlaneState & { rule: string; expected: RegExp | undefined }>([
    {
      rule: 'is created although another machine is unhealthy',
      machines: [a, b, { ...c, healthy: false, member: false }],
      replicas: 4,
      expected: undefined,
    },
    {
      rule: 'waits for a machine that it could join',
      machines: [
        { ...a, healthy: false },
        { ...b, healthy: false },
      ],
      expected: /no Machine with healthy control plane components to join/,
    },
    {
      rule: 'ignores machines in deletion',
      machines: [
        { ...a, healthy: false },
        { ...b, deleting: true },
      ],
      expected: /no Machine with healthy control plane components to join/,
    },
    {
      rule: 'waits until the etcd members are known',
      machines: [a, b],
      etcdReadable: false,
      expected: /members of etcd could not be listed/,
    },
    {
      rule: 'waits while etcd would lose its quorum',
      machines: [a, { ...b, healthy: false }],
      expected: /etcd would lose its quorum with one more member/,
    },
    {
      rule: 'waits for a machine in deletion',
      machines: [a, b, { ...c, deleting: true }],
      replicas: 4,
      expected: /a Machine is being deleted/,
    },
  ])('a replacement $rule', ({ rule: _, expected, ...state }) => {
    const remediating = { [annotations.remediationInProgress]: '{}' };
    const plan = scale(controlPlaneOf({ replicas: 3, ...state, annotations: remediating }), context());
    if (expected === undefined) expect(does(plan)).toEqual(creation('kcp-xxxx0'));
    else expect(plan?.events).toMatchObject([{ message: expect.stringMatching(expected) }]);
  });

  it('reads the result at once after it removed a machine', () => {
    expect(scale(controlPlaneOf({ machines: three, replicas: 1 }), context())).toMatchObject({ again: true });
  });

  it('adds a machine without certificates, and the second only once the first has initialised the cluster', () => {
    expect(does(scale(controlPlaneOf({ machines: three, replicas: 1, missing: ['sa'] }), context()))).toEqual([
      'delete Machine a',
    ]);
    expect(scale(controlPlaneOf({ machines: [a], initialized: false }), context())).toEqual({
      waitsFor: ['Waiting for the first control plane Machine to run kubeadm init'],
    });
  });

  it('records the name before it creates anything', () => {
    const plan = scale(controlPlaneOf({ machines: [a], domains: ['z2', 'z1'] }), context());
    const note = plan?.intent?.metadata?.annotations?.[annotations.creating];
    expect(JSON.parse(note!)).toEqual({ name: 'kcp-xxxx0', init: false, failureDomain: 'z1' });
  });
  it('creates each machine with its pre-terminate hook', () => {
    const { actions = [] } = scale(controlPlaneOf({ machines: [a] }), context())!;
    const made = actions.flatMap((action) => (action.do === 'create' ? action.object : []));
    const machine = made.find(({ kind }) => kind === 'Machine');
    expect(machine?.metadata.annotations).toHaveProperty([annotations.cleanupHook]);
  });
});

describe('preflight checks', () => {
  it.each<ControlPlaneState & { rule: string; adding?: boolean; expected: RegExp[] }>([
    { rule: 'pass without machines', machines: [], expected: [] },
    { rule: 'pass when all is healthy', machines: three, expected: [] },
    {
      rule: 'name each condition that is not True',
      machines: [{ ...a, healthy: false }],
      expected: [
        /APIServerPodHealthy/,
        /ControllerManagerPodHealthy/,
        /SchedulerPodHealthy/,
        /EtcdPodHealthy/,
        /EtcdMemberHealthy/,
      ],
    },
    {
      rule: 'ignore external etcd',
      machines: [{ ...a, member: false }],
      spec: {
        kubeadmConfigSpec: {
          clusterConfiguration: { etcd: { external: { caFile: 'a', certFile: 'b', keyFile: 'c', endpoints: ['d'] } } },
        },
      },
      expected: [],
    },
    {
      rule: 'need certificates to scale up',
      machines: [a],
      missing: ['sa'],
      expected: [/certificates are not available: Secret c-sa does not exist/],
    },
    { rule: 'need no certificates to scale down', machines: [a], missing: ['sa'], adding: false, expected: [] },
    { rule: 'need no certificates without machines', machines: [], missing: ['sa'], expected: [] },
    {
      rule: 'report only the missing node of a machine without one',
      machines: [a, { ...b, node: false }],
      expected: [/^Machine b does not have a corresponding Node yet$/],
    },
    {
      rule: 'report only machines in deletion, by name',
      machines: [
        { ...c, deleting: true },
        { ...b, healthy: false },
        { ...a, deleting: true },
      ],
      expected: [/^Waiting for Machine a, c to be deleted$/],
    },
  ])('$rule', ({ expected, adding = true, ...state }) => {
    const problems = preflight(controlPlaneOf(state), { adding });
    expect(problems).toHaveLength(expected.length);
    for (const [i, pattern] of expected.entries()) expect(problems[i]).toMatch(pattern);
  });
  it('ignore a taint or label that a user removed from a Node, because its components still run', () => {
    const controlPlane = controlPlaneOf({ machines: [a] });
    const [member] = controlPlane.members;
    const conditions = member!.conditions.map((one) =>
      one.type === 'NodeKubeadmLabelsAndTaintsSet' ? { ...one, status: 'False' as const } : one,
    );
    expect(preflight({ ...controlPlane, members: [{ ...member!, conditions }] }, { adding: true })).toEqual([]);
  });
  it.each([
    { is: { status: 'False' as const, message: 'CrashLoopBackOff' }, says: 'is not true (CrashLoopBackOff)' },
    { is: { status: 'False' as const }, says: 'is not true' },
    { is: { status: 'Unknown' as const, message: 'no answer' }, says: 'is unknown (no answer)' },
    { is: undefined, says: 'is unknown' },
  ])('report a component that $says', ({ is, says }) => {
    const controlPlane = controlPlaneOf({ machines: [a] });
    const [member] = controlPlane.members;
    const type = 'SchedulerPodHealthy';
    const others = member!.conditions.filter((one) => one.type !== type);
    const conditions = is ? [...others, { type, reason: 'Because', ...is }] : others;
    const members = [{ ...member!, conditions }];
    expect(preflight({ ...controlPlane, members }, { adding: true })).toEqual([`Machine a: ${type} ${says}`]);
  });
});

describe('failure domains', () => {
  const domains = ['z1', 'z2', 'z3'];
  it.each<{ rule: string; machines: MachineState[]; expected: string | undefined }>([
    { rule: 'the first domain by name when all are empty', machines: [], expected: 'z1' },
    {
      rule: 'the domain with the fewest machines',
      machines: [
        { name: 'a', domain: 'z1' },
        { name: 'b', domain: 'z2' },
      ],
      expected: 'z3',
    },
    {
      rule: 'the domain with the fewest up-to-date machines',
      machines: [
        { name: 'a', domain: 'z1' },
        { ...old(b), domain: 'z2' },
        { name: 'c', domain: 'z3' },
      ],
      expected: 'z2',
    },
    {
      rule: 'among equals, the domain with the fewest outdated machines',
      machines: [
        { name: 'a', domain: 'z3' },
        { ...old(b), domain: 'z1' },
      ],
      expected: 'z2',
    },
  ])('$rule gets a new machine', ({ machines, expected }) => {
    const { cluster, members } = controlPlaneOf({ machines, domains });
    expect(domainForNew(cluster, members)).toBe(expected);
  });
  it('chooses no domain when none exists', () => {
    const { cluster, members } = controlPlaneOf({ machines: three });
    expect(domainForNew(cluster, members)).toBeUndefined();
  });
  it.each<{ rule: string; machines: MachineState[]; expected: string }>([
    {
      rule: 'the oldest machine of the fullest domain',
      machines: [
        { name: 'a', domain: 'z1', age: 90 },
        { name: 'b', domain: 'z2', age: 20 },
        { name: 'c', domain: 'z2', age: 30 },
      ],
      expected: 'c',
    },
    {
      rule: 'a machine in no known domain',
      machines: [
        { name: 'a', domain: 'z1', age: 90 },
        { name: 'b', domain: 'elsewhere', age: 1 },
      ],
      expected: 'b',
    },
    {
      rule: 'among domains with as many eligible machines, a machine of the fullest domain',
      machines: [
        { name: 'a', domain: 'z1', age: 90 },
        { name: 'b', domain: 'z2', age: 20 },
        { name: 'stays', domain: 'z2', age: 99 },
      ],
      expected: 'b',
    },
    {
      rule: 'a machine of the domain with most eligible machines, however many others it has',
      machines: [
        { name: 'a', domain: 'z1', age: 20 },
        { name: 'b', domain: 'z1', age: 30 },
        { name: 'c', domain: 'z2', age: 90 },
        { name: 'stays', domain: 'z2' },
        { name: 'stays-too', domain: 'z2' },
      ],
      expected: 'b',
    },
    {
      rule: 'a machine in a domain reserved for workers',
      machines: [
        { name: 'a', domain: 'z1', age: 90 },
        { name: 'b', domain: 'workers', age: 1 },
      ],
      expected: 'b',
    },
  ])('$rule is removed', ({ machines, expected }) => {
    for (const order of [domains, domains.toReversed()]) {
      const { cluster, members } = controlPlaneOf({ machines, domains: order });
      cluster.status!.failureDomains!.push({ name: 'workers', controlPlane: false });
      const eligible = members.filter(({ machine }) => !machine.metadata.name.startsWith('stays'));
      expect(machineToTake(cluster, members, eligible)?.machine.metadata.name).toBe(expected);
    }
  });
  it('picks no Machine if none is eligible', () => {
    const { cluster, members } = controlPlaneOf({ machines: three, domains });
    expect(machineToTake(cluster, members, [])).toBeUndefined();
  });
});
