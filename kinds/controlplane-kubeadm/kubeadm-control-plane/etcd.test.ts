import { describe, expect, it } from 'vitest';
import { found } from '../../../machinery/api/reconcile.ts';
import { holdLeaving, releaseNext, removeUnknownMembers } from './cleanup.ts';
import {
  a,
  b,
  type ControlPlaneState,
  c,
  context,
  controlPlaneOf,
  does,
  gone,
  type MachineState,
  nodeNameOf,
  old,
  three,
} from './control-plane.fixture.ts';
import { forwardLeadership, hasUnknownMembers, keepsQuorum, removableMember, removeMember } from './etcd.ts';
import { annotations } from './names.ts';

describe('an etcd quorum', () => {
  const members = (ill: number, all: number): MachineState[] =>
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
    expect(keepsQuorum(etcd, controlPlane, without)).toBe(kept);
  });

  it('is unknown while a member has not started', () => {
    const controlPlane = controlPlaneOf({ machines: three, unknownMembers: [''] });
    expect(keepsQuorum(found(controlPlane.live.etcd!.status)!, controlPlane, {})).toBe(false);
  });

  const alarm = (name: string) => ({ memberID: `id-${name}`, type: 'NOSPACE' });
  const ill = { ...c, healthy: false };
  const strange: ControlPlaneState = { machines: [a, b, ill], unknownMembers: ['ghost'] };
  it.each<
    ControlPlaneState & { rule: string; answering?: string[]; alarms: ReturnType<typeof alarm>[]; kept: boolean }
  >([
    {
      rule: 'counts a member without a machine that answers',
      ...strange,
      answering: ['ghost'],
      alarms: [],
      kept: true,
    },
    { rule: 'does not count a member without a machine that does not answer', ...strange, alarms: [], kept: false },
    {
      rule: 'counts a member without a machine as unhealthy when it has an alarm',
      ...strange,
      answering: ['ghost'],
      alarms: [alarm('ghost')],
      kept: false,
    },
    {
      rule: 'counts an alarm against one member only',
      ...strange,
      answering: ['ghost'],
      alarms: [alarm('node-a')],
      kept: true,
    },
    {
      rule: 'counts a machine in deletion that answers',
      machines: [gone(a), b, ill],
      alarms: [],
      kept: true,
    },
    {
      rule: 'does not count a machine in deletion that does not answer',
      machines: [{ ...gone(a), healthy: false }, b, ill],
      alarms: [],
      kept: false,
    },
    {
      rule: 'counts an alarm of a machine in deletion',
      machines: [gone(a), b, ill],
      alarms: [alarm('node-a')],
      kept: false,
    },
  ])('$rule', ({ alarms, answering = [], kept, ...state }) => {
    const controlPlane = controlPlaneOf(state);
    const [pod] = controlPlane.workload!.controlPlanePods.filter(({ component }) => component === 'etcd');
    controlPlane.workload!.controlPlanePods.push(...answering.map((node) => ({ ...pod!, node, ready: true })));
    const etcd = { ...found(controlPlane.live.etcd!.status)!, alarms };
    expect(keepsQuorum(etcd, controlPlane, {})).toBe(kept);
  });

  it('is not kept while a learner has not caught up', () => {
    const controlPlane = controlPlaneOf({ machines: three });
    const etcd = found(controlPlane.live.etcd!.status)!;
    const members = etcd.members.map((member, i) => ({ ...member, isLearner: i === 0 }));
    expect(keepsQuorum({ ...etcd, members }, controlPlane, {})).toBe(false);
  });
});

describe('etcd leadership', () => {
  it.each<ControlPlaneState & { rule: string; to: string | undefined }>([
    { rule: 'moves to the newest machine', machines: [a, b, c], to: 'c' },
    { rule: 'prefers a healthy machine', machines: [a, b, { ...c, healthy: false }], to: 'b' },
    {
      rule: 'prefers a machine that passes its health check',
      machines: [a, b, { ...c, unhealthy: true }],
      to: 'b',
    },
    { rule: 'prefers an up-to-date machine', machines: [a, b, old(c)], to: 'b' },
    {
      rule: 'prefers a healthy machine to an up-to-date one',
      machines: [a, old(b), { ...c, healthy: false }],
      to: 'b',
    },
    { rule: 'never moves to a machine in deletion', machines: [a, b, gone(c)], to: 'b' },
    { rule: 'never moves to a machine without a node', machines: [a, b, { ...c, node: false }], to: 'b' },
    { rule: 'never moves to a machine that is not a member', machines: [a, { ...b, member: false }], to: undefined },
    { rule: 'stays when no other member is left', machines: [a, gone(b)], to: undefined },
    { rule: 'stays while the members are unknown', machines: [a, b], etcdReadable: false, to: undefined },
  ])('$rule', ({ to, ...state }) => {
    const controlPlane = controlPlaneOf({ leader: 'a', ...state });
    const [leaving] = controlPlane.members;
    const expected = to === undefined ? [] : [`etcdMoveLeader id-${nodeNameOf(to)}`];
    expect(does({ actions: forwardLeadership(controlPlane, leaving!) })).toEqual(expected);
  });

  it('does not move to the machine that leaves, even if it is the newest', () => {
    const controlPlane = controlPlaneOf({ machines: [a, b, c], leader: 'c' });
    const actions = forwardLeadership(controlPlane, controlPlane.members[2]!);
    expect(does({ actions })).toEqual([`etcdMoveLeader id-${nodeNameOf('b')}`]);
  });

  it('stays with external etcd, as the members do', () => {
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

it('a member is removed through other nodes, and through its own node last', () => {
  const controlPlane = controlPlaneOf({ machines: three });
  const [own, ...others] = found(controlPlane.live.etcd!.status)!.members;
  const nodes = [own!, ...others].map(({ name }) => name);
  const etcd = { ...controlPlane.live.etcd!, access: { ...controlPlane.live.etcd!.access, nodes } };
  const [action] = removeMember({ ...controlPlane, live: { ...controlPlane.live, etcd } }, own!);
  expect(action).toMatchObject({ input: { memberID: own!.id, nodes: [...nodes.slice(1), nodes[0]] } });
});

describe('unknown etcd members', () => {
  it.each<{ rule: string; state: ControlPlaneState; seen: boolean }>([
    {
      rule: 'exist when a member has no node',
      state: { machines: three, unknownMembers: ['ghost'] },
      seen: true,
    },
    { rule: 'do not exist when every member has a machine', state: { machines: three }, seen: false },
  ])('$rule', ({ state, seen }) => expect(hasUnknownMembers(controlPlaneOf(state))).toBe(seen));
  it('are not detected without a probe', () => {
    expect(hasUnknownMembers({ workload: undefined })).toBe(false);
    const { etcd: _, ...workload } = controlPlaneOf({ machines: three }).workload!;
    expect(hasUnknownMembers({ workload })).toBe(false);
  });
});

describe('a deleted machine', () => {
  const memberOf = (name: string) => `id-${nodeNameOf(name)}`;
  it.each<ControlPlaneState & { rule: string; expected: string[] | undefined }>([
    {
      rule: 'is left alone before it waits for the control plane’s hook',
      machines: [{ ...a, deleting: true, stage: 'DrainingNode' }, b, c],
      expected: undefined,
    },
    {
      rule: 'leaves etcd and then continues',
      machines: [gone(a), b, c],
      leader: 'b',
      expected: [`etcdRemoveMember ${memberOf('a')}`, 'patch Machine a'],
    },
    {
      rule: 'hands over leadership first',
      machines: [gone(a), b, c],
      leader: 'a',
      expected: [`etcdMoveLeader ${memberOf('c')}`, `etcdRemoveMember ${memberOf('a')}`, 'patch Machine a'],
    },
    {
      rule: 'waits while etcd would lose its quorum',
      machines: [gone(a), { ...b, healthy: false }, c],
      expected: undefined,
    },
    {
      rule: 'waits while the members are unknown',
      machines: [gone(a), b, c],
      etcdReadable: false,
      expected: undefined,
    },
    {
      rule: 'continues when its member is gone',
      machines: [{ ...gone(a), member: false }, b, c],
      expected: ['patch Machine a'],
    },
    {
      rule: 'continues when it never ran',
      machines: [{ ...gone(a), node: false }, b, c],
      expected: ['patch Machine a'],
    },
    {
      rule: 'waits while it may still join',
      machines: [a, b, { ...gone(c), node: false, running: 9 }],
      expected: undefined,
    },
    {
      rule: 'continues when it has not joined in time',
      machines: [a, b, { ...gone(c), node: false, running: 10 }],
      expected: ['patch Machine c'],
    },
    {
      rule: 'waits while its instance exists and may join, although it was never observed running',
      machines: [a, b, { ...gone(c), node: false, launched: true, leaving: 9 }],
      expected: undefined,
    },
    {
      rule: 'continues when its instance was not observed running in time',
      machines: [a, b, { ...gone(c), node: false, launched: true, leaving: 10 }],
      expected: ['patch Machine c'],
    },
    {
      rule: 'waits while a launch is in progress, because its instance may join unobserved',
      machines: [a, b, { ...gone(c), node: false, launch: 'under way', leaving: 9 }],
      expected: undefined,
    },
    {
      rule: 'continues when its launch had no result in time',
      machines: [a, b, { ...gone(c), node: false, launch: 'under way', leaving: 10 }],
      expected: ['patch Machine c'],
    },
    {
      rule: 'continues when its launch failed',
      machines: [a, b, { ...gone(c), node: false, launch: 'came to nothing' }],
      expected: ['patch Machine c'],
    },
    {
      rule: 'leaves etcd when it has joined without a known node',
      machines: [a, b, { ...gone(c), node: false, running: 1, member: true }],
      expected: [`etcdRemoveMember ${memberOf('c')}`, 'patch Machine c'],
    },
    {
      rule: 'waits without a node while the members are unknown',
      machines: [a, b, { ...gone(c), node: false, running: 60 }],
      etcdReadable: false,
      expected: undefined,
    },
    {
      rule: 'continues when no cluster exists that it could join',
      machines: [a, b, { ...gone(c), node: false, running: 1 }],
      initialized: false,
      expected: ['patch Machine c'],
    },
    { rule: 'continues when it is the last machine', machines: [gone(a)], replicas: 1, expected: ['patch Machine a'] },
    {
      rule: 'does not wait for one that was deleted earlier and is still drained',
      machines: [{ ...a, deleting: true, stage: 'DrainingNode', leaving: 5 }, gone(b), c],
      expected: [`etcdRemoveMember ${memberOf('b')}`, 'patch Machine b'],
    },
    {
      rule: 'leaves first when its etcd does not answer, although others were deleted earlier',
      machines: [{ ...gone(a), leaving: 5 }, { ...gone(b), healthy: false }, c],
      expected: [`etcdRemoveMember ${memberOf('b')}`, 'patch Machine b'],
    },
    {
      rule: 'stays when it answers, and one that does not answer is still drained',
      machines: [gone(a), { ...b, deleting: true, stage: 'DrainingNode', healthy: false }, c],
      expected: undefined,
    },
    {
      rule: 'does not wait for one that may still join',
      machines: [{ ...gone(a), leaving: 5, node: false, running: 9 }, gone(b), c],
      expected: [`etcdRemoveMember ${memberOf('b')}`, 'patch Machine b'],
    },
    {
      rule: 'waits for other hooks, which may need its node',
      machines: [{ ...gone(a), annotations: { 'pre-terminate.delete.hook.machine.cluster.x-k8s.io/mine': '' } }, b, c],
      expected: undefined,
    },
    {
      rule: 'ignores other hooks when its kubelet does not use its own API server',
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
      rule: 'is ordered by name among machines deleted at the same time',
      machines: [gone(b), gone(a), c],
      expected: [`etcdRemoveMember ${memberOf('a')}`, 'patch Machine a'],
    },
    {
      rule: 'does not wait for a machine that was released earlier',
      machines: [
        { ...gone(a), leaving: 5, annotations: { [annotations.cleanupHook]: undefined as never } },
        gone(b),
        c,
      ],
      expected: [`etcdRemoveMember ${memberOf('b')}`, 'patch Machine b'],
    },
  ])('$rule', ({ expected, ...state }) => {
    for (const machines of [state.machines, state.machines.toReversed()]) {
      const plan = releaseNext(controlPlaneOf({ ...state, machines }), context());
      expect(does(plan)).toEqual(expected);
      if (expected) expect(plan).toMatchObject({ again: true });
    }
  });

  it.each([
    { others: [b, c], ill: ['b', 'c'], expected: undefined },
    { others: [b, c], ill: ['b'], expected: [`etcdRemoveMember ${memberOf('a')}`, 'patch Machine a'] },
    { others: [b, gone(c)], ill: ['b'], expected: [`etcdRemoveMember ${memberOf('a')}`, 'patch Machine a'] },
    { others: [b, gone(c)], ill: ['b', 'c'], expected: [`etcdRemoveMember ${memberOf('c')}`, 'patch Machine c'] },
  ])('that is healthy stays while no other machine has an API server: $ill of $others.length are unhealthy', (given) => {
    const controlPlane = controlPlaneOf({ machines: [{ ...gone(a), leaving: 9 }, ...given.others] });
    const isIll = (node: string) => given.ill.map(nodeNameOf).includes(node);
    const controlPlanePods = controlPlane.workload!.controlPlanePods.map((pod) =>
      pod.component === 'kube-apiserver' && isIll(pod.node) ? { ...pod, ready: false } : pod,
    );
    const plan = releaseNext({ ...controlPlane, workload: { ...controlPlane.workload!, controlPlanePods } }, context());
    expect(does(plan)).toEqual(given.expected);
  });

  it('continues only at the observed version, because later changes may concern etcd', () => {
    const plan = releaseNext(controlPlaneOf({ machines: [{ ...gone(a), node: false }, b, c] }), context());
    const patch = { metadata: { annotations: { [annotations.cleanupHook]: null } } };
    expect(plan?.actions).toMatchObject([{ do: 'patch', name: 'a', resourceVersion: '1', patch }]);
  });
});

describe('a deleted machine that etcd still needs', () => {
  const dead: MachineState = { ...a, healthy: false };
  const quorum = (who: string) => `etcd would lose its quorum without its member: repair or delete first ${who}`;
  it.each<ControlPlaneState & { rule: string; heldBy: string }>([
    { rule: 'names the machine that must go first', machines: [dead, gone(b), c], heldBy: quorum('Machine a') },
    {
      rule: 'names a member without a machine',
      machines: [gone(b), c],
      unknownMembers: ['ghost'],
      heldBy: quorum('etcd member ghost'),
    },
    {
      rule: 'reports that the members are unknown',
      machines: [a, gone(b), c],
      etcdReadable: false,
      heldBy: 'the members of etcd could not be listed: no answer',
    },
  ])('$rule', ({ heldBy, ...state }) => {
    const plan = holdLeaving(controlPlaneOf(state), context());
    const patch = { metadata: { annotations: { [annotations.cleanupHook]: heldBy } } };
    // No event reports a change inside the workload cluster, so the wait must requeue.
    expect(plan).toMatchObject({
      waitsFor: [`Machine b cannot be terminated: ${heldBy}`],
      actions: [{ do: 'patch', name: 'b', resourceVersion: '1', patch }],
      requeueAfter: 30,
    });
    const machines = state.machines.map((one) =>
      one.name === 'b' ? { ...one, annotations: { [annotations.cleanupHook]: heldBy } } : one,
    );
    expect(does(holdLeaving(controlPlaneOf({ ...state, machines }), context()))).toEqual([]);
  });

  it.each<{ rule: string; of: Partial<MachineState>; requeueAfter: number }>([
    { rule: 'soon, whether its launch came to nothing', of: { launch: 'under way' }, requeueAfter: 5 },
    { rule: 'later, whether its host has joined', of: { launched: true }, requeueAfter: 30 },
  ])('is judged again $rule', ({ of, requeueAfter }) => {
    const machines = [a, { ...gone(b), node: false, leaving: 2, ...of }, c];
    const waits = controlPlaneOf({ machines });
    expect(releaseNext(waits, context())).toBeUndefined();
    expect(holdLeaving(waits, context())?.requeueAfter).toBe(requeueAfter);
    const faster = context({ config: { speed: 60 } });
    expect(does(releaseNext(waits, faster)), 'a faster account starts hosts sooner').toEqual(['patch Machine b']);
  });

  it('is not reported while it is drained', () => {
    const machines = [dead, { ...b, deleting: true, stage: 'DrainingNode' }, c];
    expect(holdLeaving(controlPlaneOf({ machines }), context())).toBeUndefined();
  });
});

describe('an etcd member without a machine', () => {
  it.each<ControlPlaneState & { rule: string; expected: string[] | undefined }>([
    { rule: 'is removed', machines: three, unknownMembers: ['ghost'], expected: ['etcdRemoveMember id-ghost'] },
    {
      rule: 'is kept while a machine has no node, because the member may be its own',
      machines: [a, b, { ...c, node: false }],
      unknownMembers: ['ghost'],
      expected: undefined,
    },
    {
      rule: 'is kept while etcd would lose its quorum',
      machines: [a, { ...b, healthy: false }, { ...c, healthy: false }],
      unknownMembers: ['ghost'],
      expected: undefined,
    },
    {
      rule: 'is removed whatever the quorum when it never started',
      machines: [a, { ...b, healthy: false }, { ...c, healthy: false }],
      unknownMembers: [''],
      expected: ['etcdRemoveMember id-'],
    },
    {
      rule: 'is kept when it never started while a machine has no member, because the member may be its own',
      machines: [a, b, { ...c, member: false }],
      unknownMembers: [''],
      expected: undefined,
    },
    {
      rule: 'is removed when it never started and the only machine without a member is in deletion',
      machines: [a, b, { ...gone(c), member: false }],
      unknownMembers: [''],
      expected: ['etcdRemoveMember id-'],
    },
    { rule: 'needs no action when none exists', machines: three, expected: undefined },
  ])('$rule', ({ expected, ...state }) => expect(does(removeUnknownMembers(controlPlaneOf(state)))).toEqual(expected));

  it('is kept when the last probe missed it, because its machine may be newer than the list', () => {
    const { live } = controlPlaneOf({ machines: three, unknownMembers: ['ghost', 'joined'] });
    const controlPlane = controlPlaneOf({ machines: three, unknownMembers: ['ghost'] });
    expect(does(removeUnknownMembers({ ...controlPlane, live }))).toEqual(['etcdRemoveMember id-ghost']);
    expect(does(removeUnknownMembers({ ...controlPlaneOf({ machines: three }), live }))).toBeUndefined();
  });
});
