import { describe, expect, it } from 'vitest';
import { found } from '../../machinery/api/reconcile.ts';
import { letGo, removeStrangers } from './cleanup.ts';
import {
  a,
  b,
  c,
  controlPlaneOf,
  does,
  gone,
  type MachineSituation,
  nodeNameOf,
  type Situation,
  three,
} from './control-plane.fixture.ts';
import { keepsQuorum } from './etcd.ts';

describe('a quorum', () => {
  const members = (ill: number, all: number): MachineSituation[] =>
    Array.from({ length: all }, (_, i) => ({ name: `m${i}`, healthy: i >= ill }));
  it.each([
    { all: 1, ill: 0, change: {}, kept: true },
    { all: 1, ill: 0, change: { plusOne: true }, kept: true },
    { all: 2, ill: 0, change: { plusOne: true }, kept: true },
    { all: 3, ill: 0, change: { plusOne: true }, kept: true },
    { all: 3, ill: 1, change: { without: 'm0' }, kept: true },
    { all: 3, ill: 1, change: { without: 'm1' }, kept: false },
    { all: 3, ill: 2, change: { without: 'm0' }, kept: false },
    { all: 5, ill: 2, change: { without: 'm0' }, kept: true },
    { all: 5, ill: 3, change: { without: 'm0' }, kept: false },
    { all: 7, ill: 3, change: { without: 'm0' }, kept: true },
    { all: 7, ill: 4, change: { without: 'm0' }, kept: false },
  ])('of $all with $ill ill after $change is kept: $kept', ({ all, ill, change, kept }) => {
    const controlPlane = controlPlaneOf({ machines: members(ill, all) });
    const etcd = found(controlPlane.live.etcd!.status)!;
    const without = 'without' in change ? { without: `id-${nodeNameOf(String(change.without))}` } : change;
    expect(keepsQuorum(etcd, controlPlane.members, without)).toBe(kept);
  });

  it('is not judged while a member has not started', () => {
    const controlPlane = controlPlaneOf({ machines: three, strangers: [''] });
    expect(keepsQuorum(found(controlPlane.live.etcd!.status)!, controlPlane.members, {})).toBe(false);
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
      rule: 'goes on when it never had a node',
      machines: [{ ...gone(a), node: false }, b, c],
      expected: ['patch Machine a'],
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
  ])('$rule', ({ expected, ...situation }) => expect(does(letGo(controlPlaneOf(situation)))).toEqual(expected));
});

describe('a member of etcd without a machine', () => {
  it.each<Situation & { rule: string; expected: string[] | undefined }>([
    { rule: 'is taken out', machines: three, strangers: ['ghost'], expected: ['etcdRemoveMember id-ghost'] },
    {
      rule: 'stays while a machine has no node, which may be its own',
      machines: [a, b, { ...c, node: false }],
      strangers: ['ghost'],
      expected: undefined,
    },
    {
      rule: 'stays while etcd would lose its quorum',
      machines: [a, { ...b, healthy: false }, { ...c, healthy: false }],
      strangers: ['ghost'],
      expected: undefined,
    },
    { rule: 'is not looked for when there is none', machines: three, expected: undefined },
  ])('$rule', ({ expected, ...situation }) =>
    expect(does(removeStrangers(controlPlaneOf(situation)))).toEqual(expected));
});
