import { expect, it } from 'vitest';
import { expectWhole, isSettled, remains } from './checks.ts';
import { example } from './manifests.ts';
import { createWorld } from './world.ts';

/** Every action fails once before its effect and once after it, all of them in one life of a cluster. */
it.each([false, true])('tolerates one failure of each mutating call (after its effect: %s)', async (afterEffect) => {
  const rehearsal = await createWorld();
  for (const object of example('quickstart.yaml')) await rehearsal.apply(object);
  await rehearsal.until('settled', () => isSettled(rehearsal), 30);
  await rehearsal.remove('Cluster', 'quickstart');
  await rehearsal.until('nothing remains', () => remains(rehearsal).length === 0, 30);
  const actions = Object.keys(rehearsal.calls(true));
  rehearsal.end();
  expect(actions).toContain('RunInstances');
  expect(actions).toContain('DeleteVpc');

  const world = await createWorld({ seed: 2 });
  for (const action of actions)
    world.system.account.faults.add({ action, code: 'InternalError', count: 1, ...(afterEffect && { afterEffect }) });
  for (const object of example('quickstart.yaml')) await world.apply(object);
  await world.until('settled', () => isSettled(world), 120);
  expectWhole(world);
  await world.remove('Cluster', 'quickstart');
  await world.until('nothing remains', () => remains(world).length === 0, 120);
  expect(world.system.account.faults.list()).toEqual([]);
  world.end();
});
