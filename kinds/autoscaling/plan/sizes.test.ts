/** Pools outside of their sizes, and sizes that a schedule changes. */
import { describe, expect, it } from 'vitest';
import { plan } from './index.ts';
import { inputs, machines, minute, node, now, pending, pool, running } from './plan.fixture.ts';
import type { Pool } from './types.ts';

const nodes = [node('a'), node('b'), node('c')];
const pods = [...running('a', 3), ...running('b', 1), ...running('c', 2)];
const decided = (more: Partial<Pool>) =>
  plan(inputs({ nodes, pods, pools: [pool('p', { machines: machines('a', 'b', 'c'), ...more })] }));

describe('a pool above its maximum', () => {
  it('loses the nodes with the fewest pods', () => {
    const { scale, remove } = decided({ max: 1 });
    expect(scale).toMatchObject([{ from: 3, to: 1, reason: 'MaxSize' }]);
    expect(remove).toMatchObject([
      { machine: 'machine-b', node: 'b', reason: 'MaxSize' },
      { machine: 'machine-c', node: 'c', reason: 'MaxSize' },
    ]);
  });
  it('loses Machines without a node before any node', () => {
    const coming = { name: 'z', createdAt: now - minute };
    const { remove } = decided({ max: 3, replicas: 4, machines: [...machines('a', 'b', 'c'), coming] });
    expect(remove).toMatchObject([{ machine: 'z' }]);
  });
  it('loses replicas without a Machine before any Machine', () => {
    const { scale, remove } = decided({ max: 5, replicas: 100 });
    expect(scale).toMatchObject([{ from: 100, to: 5, reason: 'MaxSize' }]);
    expect(remove).toEqual([]);
  });
  it.each<{ rule: string; more: Partial<Pool> }>([
    { rule: 'a rollout is in progress', more: { rollingOut: true } },
    { rule: 'it is held', more: { held: 'paused' } },
  ])('keeps its nodes while $rule', ({ more }) => expect(decided({ max: 1, ...more }).scale).toEqual([]));
  const held = { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } };
  const single = { owner: undefined } as never;
  it('loses nodes whose pods object after all others, and none whose pods forbid their eviction', () => {
    const objecting = [...running('a', 5), ...running('b', 1, {}, single), ...running('c', 1, held)];
    const of = (max: number) =>
      plan(inputs({ nodes, pods: objecting, pools: [pool('p', { machines: machines('a', 'b', 'c'), max })] }));
    expect(of(2).remove).toMatchObject([{ node: 'a' }]);
    expect(of(1).remove).toMatchObject([{ node: 'a' }, { node: 'b' }]);
    const none = of(0);
    expect(none.remove).toMatchObject([{ node: 'a' }, { node: 'b' }]);
    expect(none.scale).toMatchObject([{ from: 3, to: 1, reason: 'MaxSize' }]);
    expect(none.aboveMaximum).toMatchObject([{ node: 'c', message: expect.stringContaining('forbids its eviction') }]);
  });
  it('stays above it while a node forbids its removal, without a change', () => {
    const kept = [node('a', { annotations: { 'cluster-autoscaler.kubernetes.io/scale-down-disabled': 'true' } })];
    const of = plan(inputs({ nodes: kept, pods: [], pools: [pool('p', { machines: machines('a'), max: 0 })] }));
    expect([of.scale, of.remove]).toEqual([[], []]);
    expect(of.aboveMaximum).toMatchObject([{ pool: expect.stringContaining('/p'), node: 'a' }]);
  });
  it('loses no Machine that leaves already', () => {
    const [first, ...others] = machines('a', 'b', 'c');
    expect(decided({ max: 2, replicas: 2, machines: [{ ...first!, marked: true }, ...others] }).scale).toEqual([]);
  });
});

describe('a schedule', () => {
  it('wakes the decision when it changes sizes next', () => {
    const changesAt = now + 7 * minute;
    const due = plan(
      inputs({ pods: pending(1), pools: [pool('p', { schedule: { entries: [], changesAt } })] }),
    ).nextDue;
    expect(due).toBe(changesAt);
  });
});
