/** Claims get addresses of their pools, each once, and release them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { KubeObject } from '../../machinery/api/object.ts';
import { yamlDocuments } from '../../machinery/api/yaml.ts';
import { createWorld, type World } from './world.ts';

const group = 'ipam.cluster.x-k8s.io';

const pool = (name: string, spec: Record<string, unknown>, kind = 'InClusterIPPool'): KubeObject => ({
  apiVersion: `${group}/v1alpha2`,
  kind,
  metadata: { name, ...(kind === 'InClusterIPPool' && { namespace: 'default' }) },
  spec: { addresses: ['10.0.0.10-10.0.0.12'], prefix: 24, gateway: '10.0.0.1', ...spec },
});
const claim = (
  name: string,
  { kind = 'InClusterIPPool', pool: of = 'pool', ...spec }: Record<string, unknown> = {},
) => ({
  apiVersion: `${group}/v1beta2`,
  kind: 'IPAddressClaim',
  metadata: { namespace: 'default', name },
  spec: { poolRef: { apiGroup: group, kind, name: of }, ...spec },
});
const clusterNamed = (name: string, spec: Record<string, unknown> = {}): KubeObject => ({
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'Cluster',
  metadata: { namespace: 'default', name },
  spec: { infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'AWSCluster', name }, ...spec },
});

const objectsIn = (text: string): KubeObject[] =>
  yamlDocuments(text).map((document) => {
    const object = document.toJS() as KubeObject;
    return { ...object, metadata: { namespace: 'default', ...object.metadata } };
  });

const begin = async (...objects: KubeObject[]): Promise<World> => {
  const world = await createWorld();
  onTestFinished(() => {
    world.end();
    expect(world.errors).toEqual([]);
  });
  for (const object of objects) expect(await world.apply(object)).toMatchObject({ code: 201 });
  return world;
};
const addressOf = (world: World, name: string) => {
  const reference = world.find('IPAddressClaim', name)?.status?.addressRef?.name;
  return reference === undefined ? undefined : world.find('IPAddress', reference)?.spec?.address;
};
const reasonOf = (world: World, name: string) => world.condition('IPAddressClaim', name, 'Ready')?.reason;

it('the pool and the claim of the documentation fit', async () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/addresses.md'), 'utf8');
  const [first, second] = [...page.matchAll(/```yaml\n([^`]*)```/g)].map(([, text]) => objectsIn(text!));
  const world = await begin(...first!);
  await world.until('bound', () => addressOf(world, 'printer') !== undefined, 2);
  expect(addressOf(world, 'printer')).toBe('10.0.1.32');
  expect(await world.apply(second![0]!)).toMatchObject({ code: 201 });
});

describe('a pool', () => {
  it('gives each claim the lowest free address, and the next claim the one that became free', async () => {
    const world = await begin(pool('pool', {}));
    for (const name of ['a', 'b', 'c', 'd']) await world.apply(claim(name));
    await world.until('three are bound', () => addressOf(world, 'c') !== undefined, 2);
    expect(['a', 'b', 'c'].map((name) => addressOf(world, name))).toEqual(['10.0.0.10', '10.0.0.11', '10.0.0.12']);
    await world.until('the fourth waits', () => reasonOf(world, 'd') === 'PoolExhausted', 2);
    expect(world.condition('IPAddressClaim', 'd', 'Ready')?.message).toBe('InClusterIPPool pool has no free address');
    expect(world.find('InClusterIPPool', 'pool')?.status?.ipAddresses).toEqual({
      total: 3,
      free: 0,
      used: 3,
      outOfRange: 0,
    });
    expect(world.find('IPAddress', 'a')).toMatchObject({
      metadata: {
        finalizers: [`${group}/ProtectAddress`],
        ownerReferences: [
          { kind: 'IPAddressClaim', name: 'a', controller: true, blockOwnerDeletion: true },
          { kind: 'InClusterIPPool', name: 'pool', controller: false, blockOwnerDeletion: true },
        ],
      },
      spec: { address: '10.0.0.10', prefix: 24, gateway: '10.0.0.1', claimRef: { name: 'a' } },
    });
    await world.remove('IPAddressClaim', 'b');
    const since = world.now();
    await world.until('the fourth is served', () => addressOf(world, 'd') === '10.0.0.11', 1);
    expect(world.now() - since).toBeLessThan(10_000);
    expect(world.find('IPAddress', 'b')).toBeUndefined();
    for (const name of ['a', 'c', 'd']) await world.remove('IPAddressClaim', name);
    await world.until('all is free', () => world.find('InClusterIPPool', 'pool')?.status?.ipAddresses?.free === 3, 2);
    expect(world.all('IPAddress')).toEqual([]);
    expect((await world.remove('InClusterIPPool', 'pool')).code).toBe(200);
    await world.until('the pool is gone', () => world.find('InClusterIPPool', 'pool') === undefined, 2);
  });

  it('serves claims of all namespaces if it is cluster-scoped, and leaves those of other providers alone', async () => {
    const global = 'GlobalInClusterIPPool';
    const world = await begin(
      pool('pool', { addresses: ['2001:db8::/125'], prefix: 64, gateway: '2001:db8::1' }, global),
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } },
    );
    await world.apply(claim('a', { kind: global }));
    await world.apply({ ...claim('a', { kind: global }), metadata: { namespace: 'team', name: 'a' } }, 'team');
    const foreign = claim('foreign');
    foreign.spec.poolRef = { apiGroup: 'ipam.example.com', kind: 'Subnet', name: 'pool' };
    await world.apply(foreign);
    await world.until(
      'both are bound',
      () => world.find('IPAddressClaim', 'a', 'team')?.status?.addressRef !== undefined,
      2,
    );
    expect(
      [world.find('IPAddress', 'a')?.spec?.address, world.find('IPAddress', 'a', 'team')?.spec?.address].toSorted(),
    ).toEqual(['2001:db8::2', '2001:db8::3']);
    await world.pass(2);
    expect(world.find('IPAddressClaim', 'foreign')).not.toHaveProperty('status');
    expect(world.find('IPAddressClaim', 'foreign')?.metadata.finalizers).toBeUndefined();
  });

  it('lets the claims of absent and paused Clusters wait', async () => {
    const world = await begin(pool('pool', {}));
    await world.apply(claim('a', { clusterName: 'later' }));
    await world.apply(clusterNamed('paused', { paused: true }));
    await world.apply(claim('b', { clusterName: 'paused' }));
    await world.pass(2);
    expect([addressOf(world, 'a'), reasonOf(world, 'a')]).toEqual([undefined, 'WaitingForCluster']);
    expect(world.condition('IPAddressClaim', 'b', 'Paused')?.status).toBe('True');
    expect(world.all('IPAddress')).toEqual([]);
    await world.apply(clusterNamed('later'));
    await world.patch('Cluster', 'paused', { spec: { paused: null } });
    await world.until('both are served', () => ['a', 'b'].every((name) => addressOf(world, name)), 2);
  });

  it('holds an address and its claim for the grace period', async () => {
    const world = await begin(pool('pool', { addresses: ['10.0.0.10'], addressReuseGracePeriodSeconds: 600 }));
    await world.apply(claim('a'));
    await world.until('bound', () => addressOf(world, 'a') !== undefined, 2);
    await world.apply(claim('b'));
    await world.remove('IPAddressClaim', 'a');
    await world.pass(9);
    expect([world.all('IPAddress').length, world.find('IPAddressClaim', 'a')?.metadata.name]).toEqual([1, 'a']);
    await world.until('reused', () => addressOf(world, 'b') === '10.0.0.10', 2);
  });

  it('is neither shrunk below what is used, nor deleted in use', async () => {
    const world = await begin(pool('pool', {}));
    await world.apply(claim('a'));
    await world.until('bound', () => addressOf(world, 'a') !== undefined, 2);
    const shrunk = await world.patch('InClusterIPPool', 'pool', { spec: { addresses: ['10.0.0.11-10.0.0.12'] } });
    expect([shrunk.code, shrunk.body.message]).toEqual([
      422,
      `InClusterIPPool.${group} "pool" is invalid: spec.addresses: Invalid value: ["10.0.0.11-10.0.0.12"]: does not contain 10.0.0.10, which claims have`,
    ]);
    const excluded = await world.patch('InClusterIPPool', 'pool', { spec: { excludedAddresses: ['10.0.0.10'] } });
    expect(excluded.code).toBe(422);
    const removed = await world.remove('InClusterIPPool', 'pool');
    expect([removed.code, removed.body.message]).toEqual([
      403,
      `inclusterippools.${group} "pool" is forbidden: claims have addresses of it: delete the IPAddressClaims default/a first`,
    ]);
    const grown = await world.patch('InClusterIPPool', 'pool', { spec: { addresses: ['10.0.0.10', '10.0.0.20'] } });
    expect(grown.code).toBe(200);
    await world.until('counted', () => world.find('InClusterIPPool', 'pool')?.status?.ipAddresses?.total === 2, 1);
  });

  it('goes with its namespace, with claims and addresses', async () => {
    const world = await begin({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } });
    const inTeam = (object: KubeObject): KubeObject => ({
      ...object,
      metadata: { ...object.metadata, namespace: 'team' },
    });
    await world.apply(inTeam(pool('pool', {})), 'team');
    await world.apply(inTeam(claim('a')), 'team');
    await world.until('bound', () => world.find('IPAddress', 'a', 'team') !== undefined, 2);
    await world.remove('Namespace', 'team');
    await world.until('gone', () => world.find('Namespace', 'team') === undefined, 10);
    expect([...world.all('IPAddress', 'team'), ...world.all('InClusterIPPool', 'team')]).toEqual([]);
  });

  it.each(['InClusterIPPool', 'GlobalInClusterIPPool'])('that is absent or paused is reported: %s', async (kind) => {
    const world = await begin();
    await world.apply(claim('a', { kind }));
    await world.until('reported', () => reasonOf(world, 'a') === 'PoolNotReady', 2);
    expect(world.condition('IPAddressClaim', 'a', 'Ready')?.message).toBe(`${kind} pool does not exist`);
    const paused = pool('pool', {}, kind);
    paused.metadata.annotations = { 'cluster.x-k8s.io/paused': '' };
    await world.apply(paused);
    await world.until(
      'paused',
      () => world.condition('IPAddressClaim', 'a', 'Ready')?.message === `${kind} pool is paused`,
      2,
    );
    await world.patch(kind as 'InClusterIPPool', 'pool', {
      metadata: { annotations: { 'cluster.x-k8s.io/paused': null } },
    });
    await world.until('served', () => addressOf(world, 'a') !== undefined, 2);
  });
});
