import { describe, expect, it } from 'vitest';
import { found } from '../../../machinery/api/reconcile.ts';
import { releaseNext, removeUnknownMembers } from './cleanup.ts';
import {
  a,
  b,
  c,
  context,
  controlPlaneOf,
  does,
  gone,
  type MachineSituation,
  nodeNameOf,
  old,
  type Situation,
  three,
} from './control-plane.fixture.ts';
import { forwardLeadership, hasUnknownMembers, keepsQuorum, removableMember, removeMember } from './etcd.ts';
import { annotations } from './names.ts';

describe('a quorum', () => {
  const members = (ill: number, all: number): MachineSituation[] =>
    Array.from({ length: all }, (_, i) => ({ name: `m${i}`, healthy: i >= ill }));
  it.each([
    { all: 1, ill: 0, change: {}, kept: true },
    { all: 1, ill: 0, change: { plusOne: true }, kept: true },
    { all: 2, ill: 0, change: { plusOne: true }, kept: true },
    { all: 3, ill: 0, change: { plusOne: true }, kept: true },
    { all: 3, ill: 1, change: {}, kept: true },
    { all: 3, ill: 1, change: { plusOne: true }, kept: false },
    { all: 3, ill: 1, change: { without: 'm0' }, kept: true },
    { all: 3, ill: 1, change: { without: 'm1' }, kept: false },
    { all: 3, ill: 2, change: { without: 'm0' }, kept: false },
    { all: 5, ill: 2, change: { without: 'm0' }, kept: true },
    { all: 5, ill: 3, change: { without: 'm0' }, kept: false },
    { all: 7, ill: 3, change: { without: 'm0' }, kept: true },
    { all: 7, ill: 4, change: { without: 'm0' }, kept: false },
  ])('of $all with $ill unhealthy after $change is kept: $kept', ({ all, ill, change, kept }) => {
    const controlPlane = controlPlaneOf({ machines: members(ill, all) });
    const etcd = found(controlPlane.live.etcd!.status)!;
    const without = 'without' in change ? { without: `id-${nodeNameOf(String(change.without))}` } : change;
    expect(keepsQuorum(etcd, controlPlane.members, without)).toBe(kept);
  });

  it('is not judged while a member has not started', () => {
    const controlPlane = controlPlaneOf({ machines: three, unknownMembers: [''] });
    expect(keepsQuorum(found(controlPlane.live.etcd!.status)!, controlPlane.members, {})).toBe(false);
  });

  const alarm = (name: string) => ({ memberID: `id-${name}`, type: 'NOSPACE' });
  const ill = { ...c, healthy: false };
  const strange: Situation = { machines: [a, b, ill], unknownMembers: ['ghost'] };
  it.each<Situation & { rule: string; alarms: ReturnType<typeof alarm>[]; kept: boolean }>([
    { rule: 'a member without a machine counts as well', ...strange, alarms: [], kept: true },
    {
      rule: 'a member without a machine that etcd warns of is unhealthy',
      ...strange,
      alarms: [alarm('ghost')],
      kept: false,
    },
    { rule: 'what etcd warns of is one member', ...strange, alarms: [alarm('node-a')], kept: true },
    {
      rule: 'a machine that goes says nothing of its member any more',
      machines: [{ ...gone(a), healthy: false }, b, ill],
      alarms: [],
      kept: true,
    },
    {
      rule: 'but etcd does',
      machines: [{ ...gone(a), healthy: false }, b, ill],
      alarms: [alarm('node-a')],
      kept: false,
    },
  ])('$rule', ({ alarms, kept, ...situation }) => {
    const controlPlane = controlPlaneOf(situation);
    const etcd = { ...found(controlPlane.live.etcd!.status)!, alarms };
    expect(keepsQuorum(etcd, controlPlane.members, {})).toBe(kept);
  });

  it('is not kept while a learner has not caught up', () => {
    const controlPlane = controlPlaneOf({ machines: three });
    const etcd = found(controlPlane.live.etcd!.status)!;
    const members = etcd.members.map((member, i) => ({ ...member, isLearner: i === 0 }));
    expect(keepsQuorum({ ...etcd, members }, controlPlane.members, {})).toBe(false);
  });
});

describe('the leadership', () => {
  it.each<Situation & { rule: string; to: string | undefined }>([
    { rule: 'goes to the newest machine', machines: [a, b, c], to: 'c' },
    { rule: 'rather to a healthy one', machines: [a, b, { ...c, healthy: false }], to: 'b' },
    {
      rule: 'rather to one that no health check complains of',
      machines: [a, b, { ...c, unhealthy: true }],
      to: 'b',
    },
    { rule: 'rather to one that is up to date', machines: [a, b, old(c)], to: 'b' },
    {
      rule: 'to a healthy one even if that is out of date',
      machines: [a, old(b), { ...c, healthy: false }],
      to: 'b',
    },
    { rule: 'never to one that goes', machines: [a, b, gone(c)], to: 'b' },
    { rule: 'never to one without a node', machines: [a, b, { ...c, node: false }], to: 'b' },
    { rule: 'never to one that is no member', machines: [a, { ...b, member: false }], to: undefined },
    { rule: 'stays when no other member is left', machines: [a, gone(b)], to: undefined },
    { rule: 'stays where it is while it is not known', machines: [a, b], etcdReadable: false, to: undefined },
  ])('$rule', ({ to, ...situation }) => {
    const controlPlane = controlPlaneOf({ leader: 'a', ...situation });
    const [leaving] = controlPlane.members;
    const expected = to === undefined ? [] : [`etcdMoveLeader id-${nodeNameOf(to)}`];
    expect(does({ actions: forwardLeadership(controlPlane, leaving!) })).toEqual(expected);
  });

  it('does not go to the machine that leaves, be it the newest', () => {
    const controlPlane = controlPlaneOf({ machines: [a, b, c], leader: 'c' });
    const actions = forwardLeadership(controlPlane, controlPlane.members[2]!);
    expect(does({ actions })).toEqual([`etcdMoveLeader id-${nodeNameOf('b')}`]);
  });

  it('stays, as the members do, if etcd is external', () => {
    const controlPlane = {
      ...controlPlaneOf({ machines: [a, b], leader: 'a', unknownMembers: ['ghost'] }),
      live: { expiries: new Map() },
    };
    const member = { id: 'id-ghost', name: 'ghost', peerURLs: [], clientURLs: [], isLearner: false };
    expect(forwardLeadership(controlPlane, controlPlane.members[0]!)).toEqual([]);
    expect(removeMember(controlPlane, member)).toEqual([]);
    expect(removableMember(controlPlane)).toBeUndefined();
  });
});

it('a member is taken out through others, and through its own node last', () => {
  const controlPlane = controlPlaneOf({ machines: three });
  const [own, ...others] = found(controlPlane.live.etcd!.status)!.members;
  const nodes = [own!, ...others].map(({ name }) => name);
  const etcd = { ...controlPlane.live.etcd!, access: { ...controlPlane.live.etcd!.access, nodes } };
  const [action] = removeMember({ ...controlPlane, live: { ...controlPlane.live, etcd } }, own!);
  expect(action).toMatchObject({ input: { memberID: own!.id, nodes: [...nodes.slice(1), nodes[0]] } });
});

describe('unknown etcd members', () => {
  it.each<{ rule: string; situation: Situation; seen: boolean }>([
    {
      rule: 'are there when a member has no node',
      situation: { machines: three, unknownMembers: ['ghost'] },
      seen: true,
    },
    { rule: 'are not there when all have', situation: { machines: three }, seen: false },
  ])('$rule', ({ situation, seen }) => expect(hasUnknownMembers(controlPlaneOf(situation))).toBe(seen));
  it('are not seen without a probe', () => {
    expect(hasUnknownMembers({ workload: undefined })).toBe(false);
    const { etcd: _, ...workload } = controlPlaneOf({ machines: three }).workload!;
    expect(hasUnknownMembers({ workload })).toBe(false);
  });
});

describe('a deleted machine', () => {
  const memberOf = (name: string) => `id-${nodeNameOf(name)}`;
  it.each<Situation & { rule: string; expected: string[] | undefined }>([
    {
      rule: 'is not touched before it waits for us',
      machines: [{ ...a, deleting: true, stage: 'DrainingNode' }, b, c],
      expected: undefined,
    },
    {
      rule: 'leaves etcd and then goes on',
      machines: [gone(a), b, c],
      leader: 'b',
      expected: [`etcdRemoveMember ${memberOf('a')}`, 'patch Machine a'],
    },
    {
      rule: 'gives the leadership away before',
      machines: [gone(a), b, c],
      leader: 'a',
      expected: [`etcdMoveLeader ${memberOf('c')}`, `etcdRemoveMember ${memberOf('a')}`, 'patch Machine a'],
    },
    { rule: 'stays while etcd would lose its quorum', machines: [gone(a), { ...b, healthy: false }, c], expected: [] },
    { rule: 'stays while the members are not known', machines: [gone(a), b, c], etcdReadable: false, expected: [] },
    {
      rule: 'goes on when its member is gone',
      machines: [{ ...gone(a), member: false }, b, c],
      expected: ['patch Machine a'],
    },
    {
      rule: 'goes on when it never ran',
      machines: [{ ...gone(a), node: false }, b, c],
      expected: ['patch Machine a'],
    },
    {
      rule: 'stays while it may still join',
      machines: [a, b, { ...gone(c), node: false, running: 9 }],
      expected: [],
    },
    {
      rule: 'goes on when it has not joined in time',
      machines: [a, b, { ...gone(c), node: false, running: 10 }],
      expected: ['patch Machine c'],
    },
    {
      rule: 'stays while its instance exists and may join, although it has not been observed running',
      machines: [a, b, { ...gone(c), node: false, launched: true, leaving: 9 }],
      expected: [],
    },
    {
      rule: 'goes on when its instance was never seen to run in time',
      machines: [a, b, { ...gone(c), node: false, launched: true, leaving: 10 }],
      expected: ['patch Machine c'],
    },
    {
      rule: 'stays while a launch is under way, whose instance may join before anybody has seen it',
      machines: [a, b, { ...gone(c), node: false, launch: 'under way', leaving: 9 }],
      expected: [],
    },
    {
      rule: 'goes on when nothing was heard of its launch in time',
      machines: [a, b, { ...gone(c), node: false, launch: 'under way', leaving: 10 }],
      expected: ['patch Machine c'],
    },
    {
      rule: 'goes on when its launch came to nothing',
      machines: [a, b, { ...gone(c), node: false, launch: 'came to nothing' }],
      expected: ['patch Machine c'],
    },
    {
      rule: 'leaves etcd when it has joined and its node is not known',
      machines: [a, b, { ...gone(c), node: false, running: 1, member: true }],
      expected: [`etcdRemoveMember ${memberOf('c')}`, 'patch Machine c'],
    },
    {
      rule: 'stays without a node, too, while the members are not known',
      machines: [a, b, { ...gone(c), node: false, running: 60 }],
      etcdReadable: false,
      expected: [],
    },
    {
      rule: 'goes on when there is no cluster yet that it could join',
      machines: [a, b, { ...gone(c), node: false, running: 1 }],
      initialized: false,
      expected: ['patch Machine c'],
    },
    { rule: 'goes on when it is the last', machines: [gone(a)], replicas: 1, expected: ['patch Machine a'] },
    {
      rule: 'waits for the one deleted before it',
      machines: [{ ...a, deleting: true, stage: 'DrainingNode' }, gone(b), c],
      expected: undefined,
    },
    {
      rule: 'waits for other hooks, which may need its node',
      machines: [{ ...gone(a), annotations: { 'pre-terminate.delete.hook.machine.cluster.x-k8s.io/mine': '' } }, b, c],
      expected: undefined,
    },
    {
      rule: 'waits for no other hooks where its kubelet needs no API server of its own',
      machines: [{ ...gone(a), annotations: { 'pre-terminate.delete.hook.machine.cluster.x-k8s.io/mine': '' } }, b, c],
      spec: { version: 'v1.30.9' },
      expected: [`etcdRemoveMember ${memberOf('a')}`, 'patch Machine a'],
    },
    {
      rule: 'goes first when it was deleted first',
      machines: [
        { ...gone(a), leaving: 2 },
        { ...gone(c), leaving: 5 },
        { ...gone(b), leaving: 3 },
      ],
      expected: [`etcdRemoveMember ${memberOf('c')}`, 'patch Machine c'],
    },
    {
      rule: 'goes by name among those that were deleted at once',
      machines: [gone(b), gone(a), c],
      expected: [`etcdRemoveMember ${memberOf('a')}`, 'patch Machine a'],
    },
    {
      rule: 'does not wait for one that was let go before it',
      machines: [
        { ...gone(a), leaving: 5, annotations: { [annotations.cleanupHook]: undefined as never } },
        gone(b),
        c,
      ],
      expected: [`etcdRemoveMember ${memberOf('b')}`, 'patch Machine b'],
    },
  ])('$rule', ({ expected, ...situation }) => {
    for (const machines of [situation.machines, situation.machines.toReversed()]) {
      const plan = releaseNext(controlPlaneOf({ ...situation, machines }), context());
      expect(does(plan)).toEqual(expected);
      // No event reports a change inside the workload cluster, so the wait must requeue.
      if (expected) expect(plan).toMatchObject(expected.length === 0 ? { requeueAfter: 30 } : { again: true });
    }
  });

  it.each([
    { others: [b, c], ill: ['b', 'c'], expected: [] },
    { others: [b, c], ill: ['b'], expected: [`etcdRemoveMember ${memberOf('a')}`, 'patch Machine a'] },
    { others: [b, gone(c)], ill: ['b'], expected: [`etcdRemoveMember ${memberOf('a')}`, 'patch Machine a'] },
    { others: [b, gone(c)], ill: ['b', 'c'], expected: [] },
  ])('that works stays where no other one has an API server: $ill of $others.length are unhealthy', (given) => {
    const controlPlane = controlPlaneOf({ machines: [{ ...gone(a), leaving: 9 }, ...given.others] });
    const isIll = (node: string) => given.ill.map(nodeNameOf).includes(node);
    const controlPlanePods = controlPlane.workload!.controlPlanePods.map((pod) =>
      pod.component === 'kube-apiserver' && isIll(pod.node) ? { ...pod, ready: false } : pod,
    );
    const plan = releaseNext({ ...controlPlane, workload: { ...controlPlane.workload!, controlPlanePods } }, context());
    expect(does(plan)).toEqual(given.expected);
  });

  it('goes on only as it was seen: what is said of it since may have to do with etcd', () => {
    const plan = releaseNext(controlPlaneOf({ machines: [{ ...gone(a), node: false }, b, c] }), context());
    const patch = { metadata: { annotations: { [annotations.cleanupHook]: null } } };
    expect(plan?.actions).toMatchObject([{ do: 'patch', name: 'a', resourceVersion: '1', patch }]);
  });
});

describe('a member of etcd without a machine', () => {
  it.each<Situation & { rule: string; expected: string[] | undefined }>([
    { rule: 'is taken out', machines: three, unknownMembers: ['ghost'], expected: ['etcdRemoveMember id-ghost'] },
    {
      rule: 'stays while a machine has no node, which may be its own',
      machines: [a, b, { ...c, node: false }],
      unknownMembers: ['ghost'],
      expected: undefined,
    },
    {
      rule: 'stays while etcd would lose its quorum',
      machines: [a, { ...b, healthy: false }, { ...c, healthy: false }],
      unknownMembers: ['ghost'],
      expected: undefined,
    },
    {
      rule: 'goes whatever the quorum when it never started',
      machines: [a, { ...b, healthy: false }, { ...c, healthy: false }],
      unknownMembers: [''],
      expected: ['etcdRemoveMember id-'],
    },
    {
      rule: 'stays when it never started while a machine has no member, which may be its own',
      machines: [a, b, { ...c, member: false }],
      unknownMembers: [''],
      expected: undefined,
    },
    {
      rule: 'goes when it never started and the machine without one goes, too',
      machines: [a, b, { ...gone(c), member: false }],
      unknownMembers: [''],
      expected: ['etcdRemoveMember id-'],
    },
    { rule: 'is not looked for when there is none', machines: three, expected: undefined },
  ])('$rule', ({ expected, ...situation }) =>
    expect(does(removeUnknownMembers(controlPlaneOf(situation)))).toEqual(expected));

  it('stays when the last probe did not see it: its machine may be newer than those that were listed', () => {
    const { live } = controlPlaneOf({ machines: three, unknownMembers: ['ghost', 'joined'] });
    const controlPlane = controlPlaneOf({ machines: three, unknownMembers: ['ghost'] });
    expect(does(removeUnknownMembers({ ...controlPlane, live }))).toEqual(['etcdRemoveMember id-ghost']);
    expect(does(removeUnknownMembers({ ...controlPlaneOf({ machines: three }), live }))).toBeUndefined();
  });
});
