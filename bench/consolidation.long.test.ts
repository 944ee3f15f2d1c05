/** A day of mixed load: moves to cheaper nodes save money, evict few pods, and never go back and forth. */
import { beforeAll, describe, expect, it } from 'vitest';
import { type Result, runDay } from './consolidation/day.ts';

const minute = 60_000;
const hour = 60 * minute;
const hours = 24;

describe.each([1, 2])('a day of seed %i', (seed) => {
  let without: Result;
  let result: Result;
  beforeAll(() => {
    const options = { seed, hours, workloads: 60 };
    without = runDay({ ...options, evictions: undefined });
    result = runDay({ ...options, evictions: 0.01 });
  });

  it('costs less, and no pod waits for a node longer', () => {
    expect(result.dollars).toBeLessThan(without.dollars);
    expect(result.moves).toBeGreaterThan(0);
    // Of the pods that move some wait until their old node has gone.
    expect(result.pending / result.pods).toBeLessThan(without.pending / without.pods + 0.02);
  });
  it('evicts at most one percent of the pods an hour', () => {
    expect(result.evictions.length / result.pods / hours).toBeLessThanOrEqual(0.01);
  });
  it('moves no pod twice within an hour, and none from a young node', () => {
    const again = result.evictions.filter(({ at, before }) => before !== undefined && at - before < hour);
    const young = result.evictions.filter(({ age }) => age < 10 * minute);
    expect([again, young]).toEqual([[], []]);
  });
  it('moves one node at a time', () => {
    let open = 0;
    for (const { move, scale } of result.decisions) {
      const bought = scale.filter(({ reason }) => reason === 'Consolidation');
      if (move?.state === 'Started') open++;
      expect(bought.length).toBe(move?.state === 'Started' ? 1 : 0);
      expect(open).toBeLessThanOrEqual(1);
      if (move?.pool !== undefined && (move.state === 'Draining' || move.state === 'Withdrawn')) open = 0;
    }
  });
});

describe('with more evictions', () => {
  it('saves more, and still moves no pod twice within an hour', () => {
    const [few, many] = [0.01, 0.1].map((evictions) => runDay({ seed: 3, hours, workloads: 60, evictions }));
    expect(many!.dollars).toBeLessThan(few!.dollars);
    expect(many!.evictions.filter(({ at, before }) => before !== undefined && at - before < hour)).toEqual([]);
  });
});
