/** The summary of a campaign does not depend on the order in which runs end. */
import { expect, it } from 'vitest';
import { campaign } from './campaign.ts';
import { createCoverage } from './coverage.ts';
import { noneFired } from './faults/index.ts';
import type { Outcome } from './simulation.ts';

const outcomeOf = (seed: number): Outcome => ({
  seed,
  options: { seed },
  hash: `hash of ${seed}`,
  story: [],
  events: 1,
  virtualHours: 1,
  cpuSeconds: 1,
  fired: noneFired(),
  coverage: createCoverage().counts(),
});

const many = { from: 7, seeds: 10, milliseconds: Number.POSITIVE_INFINITY, lanes: 2, elapsed: () => 0 };
/** The run with the later seed ends first. */
const run = async (seed: number) => {
  if (seed % 2 === 1) await new Promise((resolve) => setImmediate(resolve));
  return outcomeOf(seed);
};

it('reports runs in the order of their seeds, whichever ends first', async () => {
  const seeds: number[] = [];
  const all = await campaign({ ...many, run, onDone: ({ seed }) => seeds.push(seed) });
  expect(seeds).toEqual([7, 8, 9, 10, 11, 12, 13, 14, 15, 16]);
  expect(all.hash).toBe((await campaign({ ...many, lanes: 1, run })).hash);
});

it('begins no run after it is aborted, and counts the runs in progress', async () => {
  const stop = new AbortController();
  const begun: number[] = [];
  const { runs, events } = await campaign({
    ...many,
    signal: stop.signal,
    run: (seed) => {
      begun.push(seed);
      if (begun.length === 4) stop.abort();
      return run(seed);
    },
  });
  expect([runs, events]).toEqual([4, 4]);
  expect(begun).toEqual([7, 8, 9, 10]);
});
