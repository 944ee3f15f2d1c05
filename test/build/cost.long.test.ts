import { expect, it } from 'vitest';
import counted from '../../bench/bill/counted.json' with { type: 'json' };
import { changesOf, countWork, fleets } from '../../bench/bill/work.ts';

it('the share of a cluster that is charged is that of a large fleet: npm run bench:bill counts it again', async () => {
  const [, clusters] = fleets;
  expect(changesOf(counted[clusters], await countWork(clusters))).toEqual([]);
});
