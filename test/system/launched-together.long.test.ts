/** A pool grows by many nodes at once: their machines are launched in few calls. */
import { afterEach, expect, it } from 'vitest';
import { settledMoment } from './moments.ts';
import { nodesIn, openPool, replicasOf, run, sizes } from './pools.fixture.ts';
import type { World } from './world.ts';

const pool = 'burst';
let world: World;
afterEach(() => world.end());

it('launches a hundred nodes in four calls within fifteen seconds of the decision', async () => {
  world = await openPool(await settledMoment('quickstart.yaml'), 1, pool, sizes(0, 100));
  const launches = () => world.calls(true).RunInstances ?? 0;
  const [before, there] = [launches(), world.live('instance').length];
  // A pod of this size fills a node. The workers take two.
  await run(world, 102);
  await world.until('decided', () => (replicasOf(world, pool) ?? 0) >= 100, 2);
  const began = world.now();
  await world.until('launched', () => world.live('instance').length === there + 100, 5);
  expect(world.now() - began).toBeLessThanOrEqual(15_000);
  expect(launches() - before).toBeLessThanOrEqual(4);
  await world.until('joined', () => nodesIn(world, pool) === 100, 20);
  expect(world.live('instance')).toHaveLength(there + 100);
});
