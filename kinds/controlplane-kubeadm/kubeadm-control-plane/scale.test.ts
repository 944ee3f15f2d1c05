import { describe, expect, it } from 'vitest';
import {
  a,
  b,
  c,
  context,
  controlPlaneOf,
  creation,
  does,
  type MachineSituation,
  nodeNameOf,
  old,
  type Situation,
  three,
} from './control-plane.fixture.ts';
import { domainForNew, machineToTake } from './failure-domains.ts';
import { annotations } from './names.ts';
import { preflight } from './preflight.ts';
import { scale } from './scale.ts';

describe('scaling', () => {
  it.each<Situation & { rule: string; expected: string[] | undefined }>([
    { rule: 'initialises with the first machine', machines: [], initialized: false, expected: creation('kcp-xxxx0') },
    {
      rule: 'waits for the first machine before it adds a second',
      machines: [{ name: 'a' }],
      initialized: false,
      expected: [],
    },
    { rule: 'adds one machine at a time', machines: [a], expected: creation('kcp-xxxx0') },
    { rule: 'does nothing at the desired number', machines: three, expected: undefined },
    { rule: 'does not add while a machine has no node', machines: [a, { name: 'b', node: false }], expected: [] },
    {
      rule: 'does not add while a component is not healthy',
      machines: [a, { name: 'b', healthy: false }],
      expected: [],
    },
    {
      rule: 'does not add while a machine is being deleted',
      machines: [a, { name: 'b', deleting: true }],
      expected: [],
    },
    { rule: 'does not add without certificates', machines: [a], missing: ['etcd'], expected: [] },
    { rule: 'does not add without a template', machines: [a], template: false, expected: [] },
    { rule: 'takes the oldest machine', machines: three, replicas: 1, expected: ['delete Machine a'] },
    {
      rule: 'moves the leadership away first',
      machines: three,
      replicas: 1,
      leader: 'a',
      expected: [`etcdMoveLeader id-${nodeNameOf('c')}`, 'delete Machine a'],
    },
    {
      rule: 'takes the machine that is marked',
      machines: [a, { ...b, annotations: { 'cluster.x-k8s.io/delete-machine': '' } }, c],
      replicas: 1,
      expected: ['delete Machine b'],
    },
    {
      rule: 'takes an outdated machine before others',
      machines: [a, old(b), c],
      replicas: 1,
      expected: ['delete Machine b'],
    },
    {
      rule: 'takes an unhealthy machine of the outdated first',
      machines: [old(a), { ...old(b), healthy: false }, c],
      replicas: 1,
      expected: ['delete Machine b'],
    },
    {
      rule: 'takes an unhealthy machine before others',
      machines: [a, b, { ...c, healthy: false }],
      replicas: 1,
      expected: ['delete Machine c'],
    },
    {
      rule: 'takes one that has no node before others',
      machines: [a, { ...b, node: false }],
      replicas: 1,
      expected: ['delete Machine b'],
    },
    {
      rule: 'does not take one while another is unhealthy',
      machines: [a, { ...b, healthy: false }, { ...c, healthy: false }],
      replicas: 1,
      expected: [],
    },
    {
      rule: 'does not take an outdated one while that which replaces it has no node',
      machines: [old(a), { ...b, node: false }],
      replicas: 1,
      expected: [],
    },
    { rule: 'takes one at a time', machines: [{ ...a, deleting: true }, b, c], replicas: 1, expected: [] },
  ])('$rule', ({ expected, ...situation }) =>
    expect(does(scale(controlPlaneOf(situation), context()))).toEqual(expected));

  it('initialises nothing that was initialised before, with no machine left of it either', () => {
    const plan = scale(controlPlaneOf({ machines: [], initialized: true }), context());
    const note = plan?.intent?.metadata?.annotations?.[annotations.creating];
    expect(JSON.parse(note!)).toMatchObject({ init: false });
  });
  it('says why it waits', () => {
    const plan = scale(controlPlaneOf({ machines: [a, { name: 'b', node: false }] }), context());
    expect(plan).toMatchObject({ requeueAfter: 300, events: [{ type: 'Warning', reason: 'ControlPlaneUnhealthy' }] });
  });

  it.each<Situation & { rule: string; expected: RegExp | undefined }>([
    {
      rule: 'comes although another one is unhealthy',
      machines: [a, b, { ...c, healthy: false, member: false }],
      replicas: 4,
      expected: undefined,
    },
    {
      rule: 'waits for one that it could join',
      machines: [
        { ...a, healthy: false },
        { ...b, healthy: false },
      ],
      expected: /no Machine with healthy control plane components to join/,
    },
    {
      rule: 'joins none that goes',
      machines: [
        { ...a, healthy: false },
        { ...b, deleting: true },
      ],
      expected: /no Machine with healthy control plane components to join/,
    },
    {
      rule: 'waits until it is known who is in etcd',
      machines: [a, b],
      etcdReadable: false,
      expected: /members of etcd could not be listed/,
    },
    {
      rule: 'waits where etcd would not bear it',
      machines: [a, { ...b, healthy: false }],
      expected: /etcd would lose its quorum with one more member/,
    },
    {
      rule: 'waits for one that goes',
      machines: [a, b, { ...c, deleting: true }],
      replicas: 4,
      expected: /a Machine is being deleted/,
    },
  ])('a replacement $rule', ({ rule: _, expected, ...situation }) => {
    const remediating = { [annotations.remediationInProgress]: '{}' };
    const plan = scale(controlPlaneOf({ replicas: 3, ...situation, annotations: remediating }), context());
    if (expected === undefined) expect(does(plan)).toEqual(creation('kcp-xxxx0'));
    else expect(plan?.events).toMatchObject([{ message: expect.stringMatching(expected) }]);
  });

  it('looks at once at what came of a machine that it took', () => {
    expect(scale(controlPlaneOf({ machines: three, replicas: 1 }), context())).toMatchObject({ again: true });
  });

  it('takes one without certificates, and the second only once the first has initialised the cluster', () => {
    expect(does(scale(controlPlaneOf({ machines: three, replicas: 1, missing: ['sa'] }), context()))).toEqual([
      'delete Machine a',
    ]);
    expect(scale(controlPlaneOf({ machines: [a], initialized: false }), context())).toEqual({});
  });

  it('writes the name down before it creates anything', () => {
    const plan = scale(controlPlaneOf({ machines: [a], domains: ['z2', 'z1'] }), context());
    const note = plan?.intent?.metadata?.annotations?.[annotations.creating];
    expect(JSON.parse(note!)).toEqual({ name: 'kcp-xxxx0', init: false, failureDomain: 'z1' });
  });
  it('holds each machine from the beginning until it is out of etcd', () => {
    const { actions = [] } = scale(controlPlaneOf({ machines: [a] }), context())!;
    const made = actions.flatMap((action) => (action.do === 'create' ? action.object : []));
    const machine = made.find(({ kind }) => kind === 'Machine');
    expect(machine?.metadata.annotations).toHaveProperty([annotations.cleanupHook]);
  });
});

describe('preflight', () => {
  it.each<Situation & { rule: string; adding?: boolean; expected: RegExp[] }>([
    { rule: 'passes without machines', machines: [], expected: [] },
    { rule: 'passes in good health', machines: three, expected: [] },
    {
      rule: 'names each condition that is not good',
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
      rule: 'does not need etcd members of a foreign etcd',
      machines: [{ ...a, member: false }],
      spec: {
        kubeadmConfigSpec: {
          clusterConfiguration: { etcd: { external: { caFile: 'a', certFile: 'b', keyFile: 'c', endpoints: ['d'] } } },
        },
      },
      expected: [],
    },
    {
      rule: 'needs certificates to add',
      machines: [a],
      missing: ['sa'],
      expected: [/Certificates are not available: sa/],
    },
    { rule: 'needs no certificates to take', machines: [a], missing: ['sa'], adding: false, expected: [] },
    { rule: 'needs none without machines', machines: [], missing: ['sa'], expected: [] },
    {
      rule: 'says of one without a Node nothing else',
      machines: [a, { ...b, node: false }],
      expected: [/^Machine b does not have a corresponding Node yet$/],
    },
    {
      rule: 'waits for all that go, by name, and for nothing else',
      machines: [
        { ...c, deleting: true },
        { ...b, healthy: false },
        { ...a, deleting: true },
      ],
      expected: [/^Waiting for Machine a, c to be deleted$/],
    },
  ])('$rule', ({ expected, adding = true, ...situation }) => {
    const problems = preflight(controlPlaneOf(situation), { adding });
    expect(problems).toHaveLength(expected.length);
    for (const [i, pattern] of expected.entries()) expect(problems[i]).toMatch(pattern);
  });
  it('ignores a taint or a label that a user removed from a Node: its components still run', () => {
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
  ])('says that a component $says', ({ is, says }) => {
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
  it.each<{ rule: string; machines: MachineSituation[]; expected: string | undefined }>([
    { rule: 'the first by name when all are empty', machines: [], expected: 'z1' },
    {
      rule: 'the emptiest',
      machines: [
        { name: 'a', domain: 'z1' },
        { name: 'b', domain: 'z2' },
      ],
      expected: 'z3',
    },
    {
      rule: 'outdated machines do not count',
      machines: [
        { name: 'a', domain: 'z1' },
        { ...old(b), domain: 'z2' },
        { name: 'c', domain: 'z3' },
      ],
      expected: 'z2',
    },
    {
      rule: 'of the emptiest the one with fewest outdated machines',
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
  it('none when there are none', () => {
    const { cluster, members } = controlPlaneOf({ machines: three });
    expect(domainForNew(cluster, members)).toBeUndefined();
  });
  it.each<{ rule: string; machines: MachineSituation[]; expected: string }>([
    {
      rule: 'the oldest of the fullest',
      machines: [
        { name: 'a', domain: 'z1', age: 90 },
        { name: 'b', domain: 'z2', age: 20 },
        { name: 'c', domain: 'z2', age: 30 },
      ],
      expected: 'c',
    },
    {
      rule: 'one in no known domain first',
      machines: [
        { name: 'a', domain: 'z1', age: 90 },
        { name: 'b', domain: 'elsewhere', age: 1 },
      ],
      expected: 'b',
    },
    {
      rule: 'the one of the domain with most machines, of those with as many that may go',
      machines: [
        { name: 'a', domain: 'z1', age: 90 },
        { name: 'b', domain: 'z2', age: 20 },
        { name: 'stays', domain: 'z2', age: 99 },
      ],
      expected: 'b',
    },
    {
      rule: 'one of the domain with most that may go, however many stay elsewhere',
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
      rule: 'one of a domain for workers alone first',
      machines: [
        { name: 'a', domain: 'z1', age: 90 },
        { name: 'b', domain: 'workers', age: 1 },
      ],
      expected: 'b',
    },
  ])('$rule goes', ({ machines, expected }) => {
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
