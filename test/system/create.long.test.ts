import { afterEach, describe, expect, it } from 'vitest';
import { seededRandom } from '../../adapters/memory/random.ts';
import type { KubeObject } from '../../machinery/api/object.ts';
import { expectWhole, isSettled } from './checks.ts';
import { example } from './manifests.ts';
import { createWorld, type World } from './world.ts';

let world: World;
afterEach(() => world.end());

const applyAll = async (objects: KubeObject[]) => {
  for (const object of objects) await world.apply(object);
};

describe('documents applied one by one', () => {
  const shuffled = (objects: KubeObject[], seed: number) => {
    const random = seededRandom(seed);
    return objects
      .map((object) => ({ object, at: random.next() }))
      .sort((a, b) => a.at - b.at)
      .map(({ object }) => object);
  };

  it.each([1, 2, 3])('lead to the same result in any order (seed %i)', async (seed) => {
    world = await createWorld({ seed });
    for (const object of shuffled(example('three-control-planes.yaml'), seed)) {
      await world.apply(object);
      await world.pass(seed);
    }
    await world.until('settled', () => isSettled(world), 40);
    expectWhole(world);
  });

  it('change nothing the second time', async () => {
    world = await createWorld();
    await applyAll(example('three-control-planes.yaml'));
    await world.until('settled', () => isSettled(world), 30);
    await world.pass(5);
    const changes: string[] = [];
    world.onCommit(({ type, name: object }) => changes.push(`${type} ${object}`));
    await applyAll(example('three-control-planes.yaml'));
    await world.pass(5);
    expect(changes).toEqual([]);
  });
});
