import { expect, it } from 'vitest';
import { example } from './manifests.ts';
import { createWorld } from './world.ts';

it('create', async () => {
  const world = await createWorld();
  console.time('create');
  for (const object of example('quickstart.yaml')) await world.apply(object);
  await world.until('available', () => world.condition('Cluster', 'quickstart', 'Available')?.status === 'True');
  console.timeEnd('create');
  console.log((world.now() - Date.UTC(2026,0,1))/1000, world.effects, world.errors, world.passes);
  await world.pass(20);
  console.log(world.story(), world.effects, world.calls());
  expect(1).toBe(1);
}, 100_000);
