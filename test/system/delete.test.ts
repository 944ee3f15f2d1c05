import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { seededRandom } from '../../adapters/memory/random.ts';
import type { KubeObject } from '../../machinery/api/object.ts';
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

  it('looks in its region, also without the record of its creation', async () => {
    world = await createWorld({ from: quickstart, seed: 3, workflows: true });
    await world.pass(1);
    const records = () => world.all('ClusterOperation').filter(({ spec }) => spec?.type === 'create');
    for (const { metadata } of records()) await world.remove('ClusterOperation', metadata.name);
    await world.until('no record', () => records().length === 0, 5);
    await world.remove('Cluster', 'quickstart');
    const deletion = () => world.find('ClusterOperation', 'quickstart-delete-1');
    await world.until('begun', () => deletion() !== undefined, 5);
    expect(deletion()?.spec?.region).toBe('eu-central-1');
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
    for (const { metadata, ...object } of example('three-control-planes.yaml'))
      await world.apply({ ...object, metadata: { ...metadata, namespace: 'team' } });
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

describe('deleting a Cluster without machines', () => {
  const name = 'alone';
  const metadata = { name, namespace: 'default' };
  const group = 'infrastructure.cluster.x-k8s.io';
  const cluster: KubeObject = {
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'Cluster',
    metadata,
    spec: { infrastructureRef: { apiGroup: group, kind: 'AWSCluster', name } },
  };
  const subnets = [{ id: 'public', cidrBlock: '10.0.1.0/24', availabilityZone: 'eu-central-1a', isPublic: true }];
  const networks = {
    'with NAT gateways': {},
    'without NAT gateways': { network: { vpc: { cidrBlock: '10.0.0.0/16' }, subnets } },
  };
  const when = [1, 5, 20, 60, 300].flatMap((seconds) =>
    [1, 60].flatMap((speed) => Object.keys(networks).map((network) => ({ seconds, speed, network }))),
  );
  it.each(when)('ends with its last resource: $network, after $seconds s, at speed $speed', async ({
    seconds,
    speed,
    network,
  }) => {
    world = await createWorld({ speed, seed: seconds });
    const spec = { region: 'eu-central-1', ...networks[network as keyof typeof networks] };
    await world.apply(cluster);
    await world.apply({ apiVersion: `${group}/v1beta2`, kind: 'AWSCluster', metadata, spec });
    await world.pass(seconds / 60);
    await world.remove('Cluster', name);
    let [left, changed] = [world.live().length, world.now()];
    await world.until(
      'the Cluster is gone',
      () => {
        const now = world.live().length;
        if (now !== left) [left, changed] = [now, world.now()];
        return !world.find('Cluster', name);
      },
      10,
    );
    expect(left).toBe(0);
    expect(world.now() - changed).toBeLessThanOrEqual(10_000);
  });
});
