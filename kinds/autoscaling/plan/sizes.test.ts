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
