/** Worlds that many tests start from, created once per worker of the test runner. */
import { isSettled } from './checks.ts';
import { example } from './manifests.ts';
import { createWorld, type Moment } from './world.ts';

const settle = async (name: string): Promise<Moment> => {
  const world = await createWorld();
  for (const object of example(name)) await world.apply(object);
  await world.until('settled', () => isSettled(world), 30);
  await world.pass(5);
  return world.moment();
};

const settled = new Map<string, Promise<Moment>>();

/** The example of this name, once nothing is left to do. */
export const settledMoment = (name: string): Promise<Moment> => {
  const known = settled.get(name) ?? settle(name);
  settled.set(name, known);
  return known;
};
