/** Worlds that many tests start from, created once per file. */
import { isSettled } from './checks.ts';
import { example } from './manifests.ts';
import { createWorld, type Moment } from './world.ts';

export const settledMoment = async (name: string): Promise<Moment> => {
  const world = await createWorld();
  for (const object of example(name)) await world.apply(object);
  await world.until('settled', () => isSettled(world), 30);
  await world.pass(5);
  return world.moment();
};
