import { expect, it } from 'vitest';
import counted from '../../bench/bill/counted.json' with { type: 'json' };
import { changesOf, countWork, fleets } from '../../bench/bill/work.ts';

it.each(
  fleets,
)('the work of %i clusters that is charged is that of such a fleet: npm run bench:bill counts it again', async (clusters) => {
  expect(changesOf(counted[clusters], await countWork(clusters))).toEqual([]);
});
