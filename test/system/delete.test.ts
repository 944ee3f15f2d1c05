import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { seededRandom } from '../../adapters/memory/random.ts';
import { expectWhole, isSettled, remains } from './checks.ts';
import { example } from './manifests.ts';
import { settledMoment } from './moments.ts';
import { createWorld, type Kind, type Moment, type World } from './world.ts';

let world: World;
let quickstart: Moment;
let production: Moment;
beforeAll(async () => {
  quickstart = await settledMoment('quickstart.yaml');
  production = await settledMoment('three-control-planes.yaml');
}, 120_000);
afterEach(() => world.end());

const gone = () => world.until('nothing remains', () => remains(world).length === 0, 30);
const shuffled = <T>(items: T[], seed: number): T[] => {
  const random = seededRandom(seed);
  return items
    .map((item) => ({ item, at: random.next() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
};

describe('deleting a running cluster', () => {
  it('leaves nothing when the Cluster is deleted', async () => {
    world = await createWorld({ from: production, seed: 2 });
    await world.remove('Cluster', 'production');
    await gone();
    expect(world.all('AWSMachineTemplate').length).toBeGreaterThan(0);
  });

  it.each([1, 2, 3])('leaves nothing when all documents are deleted, in any order (seed %i)', async (seed) => {
    world = await createWorld({ from: production, seed: seed + 2 });
    for (const { kind, metadata } of shuffled(example('three-control-planes.yaml'), seed)) {
      await world.remove(kind as Kind, metadata.name);
      await world.pass(seed / 4);
    }
    await gone();
  });

  it('makes room for a cluster of the same name', async () => {
    world = await createWorld({ from: quickstart, seed: 7 });
    const before = world.find('Cluster', 'quickstart')?.metadata.uid;
    await world.remove('Cluster', 'quickstart');
    await world.until('the Cluster is gone', () => !world.find('Cluster', 'quickstart'), 30);
    // A change to an object that is about to be garbage collected is lost with it.
    await world.pass(0.1);
    for (const object of example('quickstart.yaml')) await world.apply(object);
    await world.until('settled', () => isSettled(world), 30);
    expect(world.find('Cluster', 'quickstart')?.metadata.uid).not.toBe(before);
    expectWhole(world);
  });
});

describe('deleting a namespace', () => {
  it('deletes its cluster first, rejects new objects, then disappears', async () => {
    world = await createWorld();
    await world.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } });
    const objects = example('three-control-planes.yaml');
    for (const object of objects) await world.apply(object, 'team');
    await world.until('settled', () => isSettled(world), 30);
    await world.remove('Namespace', 'team');
    const refused = await world.request('POST', '/api/v1/namespaces/team/configmaps', {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'late' },
    });
    expect(refused.code).toBe(403);
    await gone();
    await world.until('the namespace is gone', () => !world.find('Namespace', 'team'), 5);
  });
});

describe('deleting while creating', () => {
  it('leaves nothing at any moment', async () => {
    const step = Number(process.env.CAPSTAN_STEP ?? 600);
    let reached = 0;
    for (let at = step; reached === at - step; at += step) {
      world = await createWorld({ seed: at });
      for (const object of example('quickstart.yaml')) await world.apply(object);
      const start = world.effects;
      await world.until('the moment', () => world.effects - start >= at || isSettled(world), 30);
      if (!isSettled(world)) reached = at;
      await world.remove('Cluster', 'quickstart');
      await gone();
      world.end();
    }
    expect(reached).toBeGreaterThan(step);
  });
});
