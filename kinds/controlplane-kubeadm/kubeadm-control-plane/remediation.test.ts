import { describe, expect, it } from 'vitest';
import {
  a,
  ago,
  b,
  type ControlPlaneState,
  c,
  context,
  controlPlaneOf,
  creation,
  does,
  gone,
  type MachineState,
  nodeNameOf,
  old,
  three,
} from './control-plane.fixture.ts';
import type { ControlPlane, Member } from './control-plane.ts';
import { annotations } from './names.ts';
import { lastRemediation, parseRemediation, remediate, worstOf } from './remediation.ts';
import { scale } from './scale.ts';

describe('remediation', () => {
  const ill = (machine: MachineState): MachineState => ({ ...machine, healthy: false, unhealthy: true });
  const tried = (retryCount: number, minutes: number) => ({
    [annotations.remediationFor]: JSON.stringify({ machine: 'x', timestamp: ago(minutes), retryCount }),
  });
  it.each<ControlPlaneState & { rule: string; expected: string[] | undefined }>([
    {
      rule: 'replaces an unhealthy machine',
      machines: [ill(a), b, c],
      expected: ['patch Machine a', 'delete Machine a'],
    },
    {
      rule: 'moves the leadership first',
      machines: [ill(a), b, c],
      leader: 'a',
      expected: [`etcdMoveLeader id-${nodeNameOf('c')}`, 'patch Machine a', 'delete Machine a'],
    },
    {
      rule: 'remediates one machine at a time',
      machines: [ill(a), b],
      annotations: { [annotations.remediationInProgress]: '{}' },
      expected: undefined,
    },
    { rule: 'keeps the only machine', machines: [ill(a)], replicas: 1, expected: ['patch Machine a'] },
    {
      rule: 'keeps the only machine while its successor exists',
      machines: [ill(a), b],
      replicas: 1,
      expected: ['patch Machine a'],
    },
    {
      rule: 'replaces the successor of an outdated only machine when it never becomes healthy',
      machines: [old(a), { ...ill(b), node: false }],
      replicas: 1,
      expected: ['patch Machine b', 'delete Machine b'],
    },
    {
      rule: 'waits while another machine is being deleted',
      machines: [ill(a), b, { ...c, deleting: true }],
      expected: ['patch Machine a'],
    },
    {
      rule: 'waits while another machine is provisioning',
      machines: [ill(a), b, { ...c, node: false }],
      expected: ['patch Machine a'],
    },
    {
      rule: 'preserves the quorum',
      machines: [ill(a), { ...b, healthy: false }, c],
      expected: ['patch Machine a'],
    },
    {
      rule: 'may replace the first machine',
      machines: [{ ...ill(a), node: false }],
      initialized: false,
      expected: ['patch Machine a', 'delete Machine a'],
    },
    {
      rule: 'keeps a machine that no other could follow',
      machines: [ill(a), b, c],
      missing: ['sa'],
      expected: ['patch Machine a'],
    },
    {
      rule: 'removes a machine that no other has to follow, without certificates',
      machines: [ill(a), b, c, { name: 'd' }],
      missing: ['sa'],
      expected: ['patch Machine a', 'delete Machine a'],
    },
    { rule: 'has nothing to do when all Machines are healthy', machines: three, expected: undefined },
  ])('$rule', ({ expected, ...state }) => expect(does(remediate(controlPlaneOf(state), context()))).toEqual(expected));

  /** The remediation status of Machine `a`, and whether the control plane requeues itself. */
  const reportOf = (controlPlane: ControlPlane) => {
    const plan = remediate(controlPlane, context());
    const patches = (plan?.actions ?? []).flatMap((action) => (action.do === 'patch' ? [action.patch] : []));
    const [patch] = patches as { status?: { conditions?: { type: string; reason: string; message: string }[] } }[];
    const condition = patch?.status?.conditions?.find(({ type }) => type === 'OwnerRemediated');
    return { reason: condition?.reason, message: condition?.message, requeueAfter: plan?.requeueAfter };
  };
  const external = {
    clusterConfiguration: {
      etcd: { external: { endpoints: ['https://etcd'], caFile: '', certFile: '', keyFile: '' } },
    },
  };
  it.each<ControlPlaneState & { rule: string; reason: string; message: RegExp; requeueAfter?: number }>([
    {
      rule: 'reports that a Machine is being deleted',
      machines: [ill(a), b, c],
      reason: 'MachineDeleting',
      message: /^Machine is deleting$/,
    },
    {
      rule: 'is refused for the only machine',
      machines: [ill(a)],
      replicas: 1,
      reason: 'CannotBeRemediated',
      message: /less or equal to 1/,
      requeueAfter: 30,
    },
    {
      rule: 'is refused for the last of several desired machines',
      machines: [ill(a)],
      reason: 'CannotBeRemediated',
      message: /less or equal to 1/,
      requeueAfter: 30,
    },
    {
      rule: 'is deferred while another machine is provisioning',
      machines: [ill(a), b, { ...c, node: false }],
      reason: 'RemediationDeferred',
      message: /provisioning/,
      requeueAfter: 30,
    },
    {
      rule: 'is deferred while another machine is in deletion',
      machines: [ill(a), b, { ...c, deleting: true }],
      reason: 'RemediationDeferred',
      message: /deletion/,
      requeueAfter: 30,
    },
    {
      rule: 'continues while another machine in deletion waits for it',
      machines: [ill(a), gone(b), c],
      reason: 'MachineDeleting',
      message: /^Machine is deleting$/,
    },
    {
      rule: 'is deferred while a machine in deletion leaves that does not answer either',
      machines: [ill(a), { ...gone(b), healthy: false }, c, { name: 'd' }],
      reason: 'RemediationDeferred',
      message: /deletion/,
      requeueAfter: 30,
    },
    {
      rule: 'is refused when no other machine is healthy',
      machines: [ill(a), { ...b, healthy: false }, { ...c, healthy: false }],
      reason: 'CannotBeRemediated',
      message: /no healthy control plane left/,
      requeueAfter: 30,
    },
    {
      rule: 'is deferred while the etcd members are unknown',
      machines: [ill(a), b, c],
      etcdReadable: false,
      reason: 'RemediationDeferred',
      message: /members of etcd to be known/,
      requeueAfter: 30,
    },
    {
      rule: 'is refused when etcd would lose its quorum',
      machines: [ill(a), { ...b, healthy: false }, c],
      reason: 'CannotBeRemediated',
      message: /quorum/,
      requeueAfter: 30,
    },
    {
      rule: 'continues with a machine that never joined etcd when the remaining members keep the quorum',
      machines: [{ ...ill(a), node: false }, b, c],
      reason: 'MachineDeleting',
      message: /^Machine is deleting$/,
    },
    {
      rule: 'ignores external etcd',
      machines: [ill(a), { ...b, healthy: false }, c],
      spec: { kubeadmConfigSpec: external },
      etcdReadable: false,
      reason: 'MachineDeleting',
      message: /^Machine is deleting$/,
    },
  ])('$rule', ({ rule: _, reason, message, requeueAfter, ...state }) => {
    expect(reportOf(controlPlaneOf(state))).toEqual({ reason, message: expect.stringMatching(message), requeueAfter });
  });

  it.each([
    {
      rule: 'a deferred remediation is requeued, and not reported again',
      etcdReadable: false,
      expected: { waitsFor: ['KubeadmControlPlane waiting for the members of etcd to be known'], requeueAfter: 30 },
    },
    { rule: 'a refused remediation blocks nothing else once it is reported', etcdReadable: true, expected: undefined },
  ])('$rule', ({ etcdReadable, expected }) => {
    const machines = etcdReadable ? [ill(a)] : [ill(a), b, c];
    const controlPlane = controlPlaneOf({ machines, etcdReadable });
    const [member] = controlPlane.members;
    const { reason, message } = reportOf(controlPlane);
    const conditions = member!.machine.status!.conditions!;
    const note = (reported: { reason: string; message: string }) => {
      const one = conditions.find(({ type }) => type === 'OwnerRemediated')!;
      Object.assign(one, reported);
    };
    note({ reason: reason!, message: message! });
    expect(remediate(controlPlane, context())).toEqual(expected);
    note({ reason: reason!, message: 'something else' });
    expect(reportOf(controlPlane)).toMatchObject({ reason, message });
    note({ reason: 'WaitingForRemediation', message: message! });
    expect(reportOf(controlPlane)).toMatchObject({ reason, message });
  });

  it('reads the result at once', () => {
    expect(remediate(controlPlaneOf({ machines: [ill(a), b, c] }), context())).toMatchObject({ again: true });
  });

  it.each<{ rule: string; notes: Record<string, string>; expected: number | undefined }>([
    { rule: 'counts no retry at first', notes: {}, expected: 0 },
    { rule: 'counts retries within the healthy period', notes: tried(1, 10), expected: 2 },
    { rule: 'starts over after a healthy period', notes: tried(1, 90), expected: 0 },
    { rule: 'stops after the last retry', notes: tried(3, 10), expected: undefined },
    { rule: 'waits for the retry period', notes: tried(1, 1), expected: undefined },
    { rule: 'retries after exactly the retry period', notes: tried(1, 5), expected: 2 },
    { rule: 'treats the end of the healthy period as its end', notes: tried(2, 60), expected: 0 },
    { rule: 'allows the last retry', notes: tried(2, 10), expected: 3 },
  ])('$rule', ({ notes, expected }) => {
    const spec = { remediation: { maxRetry: 3, retryPeriodSeconds: 300 } };
    const plan = remediate(controlPlaneOf({ machines: [{ ...ill(a), annotations: notes }, b, c], spec }), context());
    const note = plan?.intent?.metadata?.annotations?.[annotations.remediationInProgress];
    expect(note && JSON.parse(note).retryCount).toBe(expected);
  });

  it('retries forever without a limit', () => {
    const machines = [{ ...ill(a), annotations: tried(9, 0) }, b, c];
    const plan = remediate(controlPlaneOf({ machines }), context());
    const note = plan?.intent?.metadata?.annotations?.[annotations.remediationInProgress];
    expect(JSON.parse(note!)).toMatchObject({ machine: 'a', retryCount: 10 });
  });

  describe('of several unhealthy machines', () => {
    const { members } = controlPlaneOf({ machines: [ill(a), ill(b), ill(c)] });
    const types = [
      'EtcdMemberHealthy',
      'EtcdPodHealthy',
      'APIServerPodHealthy',
      'ControllerManagerPodHealthy',
      'SchedulerPodHealthy',
      'NodeKubeadmLabelsAndTaintsSet',
    ];
    const all = types.map((type) => ({ type, status: 'True' as const, reason: 'Fine' }));
    const withIlls = (member: Member, ...ills: string[]): Member => ({
      ...member,
      conditions: all.map((one) => (ills.includes(one.type) ? { ...one, status: 'False' } : one)),
    });
    const [first, second, third] = members as [Member, Member, Member];
    const marked = (member: Member): Member => {
      const { metadata } = member.machine;
      const notes = { ...metadata.annotations, 'cluster.x-k8s.io/remediate-machine': '' };
      return { ...member, machine: { ...member.machine, metadata: { ...metadata, annotations: notes } } };
    };
    const lost = (member: Member): Member => ({
      ...member,
      machine: { ...member.machine, status: { ...member.machine.status, nodeRef: undefined as never } },
    });
    const going = (member: Member): Member => {
      const metadata = { ...member.machine.metadata, deletionTimestamp: ago(1) };
      return { ...member, machine: { ...member.machine, metadata } };
    };
    const older = (member: Member): Member => {
      const metadata = { ...member.machine.metadata, creationTimestamp: ago(600) };
      return { ...member, machine: { ...member.machine, metadata } };
    };
    const order: [string, (member: Member) => Member][] = [
      ['marked', (member) => marked(withIlls(member))],
      ['without a Node', (member) => lost(withIlls(member))],
      ...types.map((type): [string, (member: Member) => Member] => [type, (member) => withIlls(member, type)]),
      ['well', (member) => withIlls(member)],
    ];
    const pairs = order.slice(1).map(([name, make], index) => ({ name, make, worse: order[index]! }));
    it.each(pairs)('one that is $worse.0 is replaced before one that is $name', ({ make, worse }) => {
      const [, makeWorse] = worse;
      expect(worstOf([older(make(first)), makeWorse(second)])?.machine.metadata.name).toBe('b');
      expect(worstOf([makeWorse(second), older(make(first))])?.machine.metadata.name).toBe('b');
    });
    it('the oldest is replaced among equals', () => {
      const alike = [first, older(second), third].map((member) => withIlls(member, 'EtcdPodHealthy'));
      expect(worstOf(alike)?.machine.metadata.name).toBe('b');
      expect(worstOf(alike.toReversed())?.machine.metadata.name).toBe('b');
    });
    it('one in deletion or without OwnerRemediated is not replaced', () => {
      const well = controlPlaneOf({ machines: [b] }).members;
      expect(worstOf([going(first), ...well])).toBeUndefined();
    });
  });

  it('removes OwnerRemediated from a Machine that is healthy again, and requeues', () => {
    const [first, ...others] = controlPlaneOf({ machines: [ill(a), b, c] }).members;
    const { machine } = first!;
    const conditions = machine.status!.conditions!.map((one) =>
      one.type === 'HealthCheckSucceeded' ? { ...one, status: 'True' as const } : one,
    );
    const well = { ...first!, machine: { ...machine, status: { ...machine.status, conditions } } };
    const plan = remediate({ ...controlPlaneOf({ machines: three }), members: [well, ...others] }, context());
    const [action] = plan!.actions!;
    expect(plan).toMatchObject({ actions: [{ do: 'patch', kind: 'Machine', name: 'a' }], again: true });
    const { status } = (action as unknown as { patch: { status: { conditions: { type: string }[] } } }).patch;
    expect(status.conditions).toEqual(conditions.filter(({ type }) => type !== 'OwnerRemediated'));
  });

  it.each([
    { rule: 'drops the record of a remediation that was not carried out', machines: [ill(a), b, c], forgets: true },
    { rule: 'drops the record when the machine is healthy again', machines: three, forgets: true },
    {
      rule: 'keeps the record while the machine is in deletion',
      machines: [{ ...ill(a), deleting: true }, b, c],
      forgets: false,
    },
    { rule: 'keeps the record until a replacement exists', machines: [b, c], forgets: false },
    {
      rule: 'drops the record when there are enough machines without a replacement',
      machines: [b, c, { ...a, name: 'd' }],
      forgets: true,
    },
    {
      rule: 'keeps the record while one of those must be replaced',
      machines: [b, c, old({ ...a, name: 'd' })],
      forgets: false,
    },
    {
      rule: 'keeps the record while one of those is in deletion',
      machines: [b, c, { ...a, name: 'd', deleting: true }],
      forgets: false,
    },
  ])('$rule', ({ machines, forgets }) => {
    const notes = {
      [annotations.remediationInProgress]: JSON.stringify({ machine: 'a', timestamp: ago(1), retryCount: 0 }),
    };
    const plan = remediate(controlPlaneOf({ machines, annotations: notes }), context());
    const forgotten = { metadata: { annotations: { [annotations.remediationInProgress]: null } } };
    expect(plan).toEqual(forgets ? { intent: forgotten, again: true } : undefined);
  });

  it('replaces a machine even while another is unhealthy, when that one is in deletion', () => {
    const notes = {
      [annotations.remediationInProgress]: JSON.stringify({ machine: 'x', timestamp: ago(1), retryCount: 0 }),
    };
    const plan = scale(controlPlaneOf({ machines: [a, { ...b, healthy: true }], annotations: notes }), context());
    expect(does(plan)).toEqual(creation('kcp-xxxx0'));
    const machine = plan!.actions!.at(-1) as { object: { metadata: { annotations: Record<string, string> } } };
    expect(machine.object.metadata.annotations[annotations.remediationFor]).toBe(
      notes[annotations.remediationInProgress],
    );
  });
});

describe('a recorded remediation', () => {
  const text = (data: object) => JSON.stringify(data);
  it.each([
    { rule: 'nothing', of: undefined, is: undefined },
    { rule: 'text that is not JSON', of: 'yes', is: undefined },
    { rule: 'null', of: 'null', is: undefined },
    { rule: 'a record without a machine', of: text({ timestamp: ago(1) }), is: undefined },
    { rule: 'a record without a time', of: text({ machine: 'a' }), is: undefined },
    {
      rule: 'a record without a retry count',
      of: text({ machine: 'a', timestamp: ago(1) }),
      is: { machine: 'a', timestamp: ago(1), retryCount: 0 },
    },
  ])('$rule', ({ of, is }) => expect(parseRemediation(of)).toEqual(is));

  it('may be recorded on the control plane, next to invalid records', () => {
    const noted = text({ machine: 'noted', timestamp: ago(1), retryCount: 0 });
    const carried = text({ machine: 'carried', timestamp: ago(5), retryCount: 0 });
    const machines = [
      { ...a, annotations: { [annotations.remediationFor]: carried } },
      { ...b, annotations: { [annotations.remediationFor]: 'yes' } },
    ];
    const controlPlane = controlPlaneOf({ machines, annotations: { [annotations.remediationInProgress]: noted } });
    expect(lastRemediation(controlPlane)?.machine).toBe('noted');
    expect(lastRemediation(controlPlaneOf({ machines }))?.machine).toBe('carried');
    expect(lastRemediation(controlPlaneOf({ machines: [a, b] }))).toBeUndefined();
  });
});

it('reads the latest recorded remediation, whichever object records it', () => {
  const carried = (name: string, minutes: number) => ({
    [annotations.remediationFor]: JSON.stringify({ machine: name, timestamp: ago(minutes), retryCount: 0 }),
  });
  const machines = [
    { ...a, annotations: carried('first', 30) },
    { ...b, annotations: carried('last', 5) },
    { ...c, annotations: carried('second', 20) },
  ];
  expect(lastRemediation(controlPlaneOf({ machines }))?.machine).toBe('last');
});
