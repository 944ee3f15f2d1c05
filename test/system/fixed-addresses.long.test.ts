/** A cluster whose machines have addresses of pools is created, rolled out and deleted. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isSettled, remains } from './checks.ts';
import { example } from './manifests.ts';
import { createWorld, type World } from './world.ts';

const name = 'fixed-addresses';
const pools = [`${name}-control-plane`, `${name}-workers`];
const networkPart = '10.0.1.';

let world: World;
beforeAll(async () => {
  world = await createWorld();
  for (const object of example(`${name}.yaml`)) await world.apply(object);
  await world.until('settled', () => isSettled(world), 60);
}, 60_000);
afterAll(() => world.end());

const addressesOf = (pool: string) =>
  world
    .all('IPAddress')
    .filter(({ spec }) => spec?.poolRef.name === pool)
    .map(({ spec }) => spec!.address)
    .sort();
const hosts = () =>
  world
    .all('AWSMachine')
    .map(({ metadata, status }) => [
      metadata.name,
      status?.addresses?.find(({ type }) => type === 'InternalIP')?.address,
    ])
    .sort();
const given = () =>
  world
    .all('IPAddress')
    .map(({ metadata, spec }) => [metadata.name, spec?.address])
    .sort();

describe('machines with fixed addresses', () => {
  it('have the lowest addresses of their pools, which their claims of the same name hold', () => {
    expect(addressesOf(pools[0]!)).toEqual([10, 11, 12].map((last) => `${networkPart}${last}`));
    expect(addressesOf(pools[1]!)).toEqual([32, 33].map((last) => `${networkPart}${last}`));
    expect(hosts()).toEqual(given());
    expect(world.all('IPAddressClaim').map(({ metadata }) => metadata.ownerReferences?.[0]?.kind)).toEqual(
      Array.from({ length: 5 }, () => 'AWSMachine'),
    );
    expect(world.errors).toEqual([]);
  });

  it('wait for an address, say so, and start as soon as one is free', async () => {
    const free = world.find('InClusterIPPool', pools[1]!)!.status!.ipAddresses!.free;
    await world.patch('InClusterIPPool', pools[1]!, { spec: { addresses: ['10.0.1.32-10.0.1.33'] } });
    await world.scale('MachineDeployment', `${name}-workers`, 3);
    const waiting = () =>
      world
        .all('AWSMachine')
        .map(({ status }) => status?.conditions?.find(({ type }) => type === 'InstanceReady'))
        .find(
          (condition) => condition?.reason === 'WaitingForAddress' && condition.message?.includes('no free address'),
        );
    await world.until('waits', () => waiting() !== undefined, 5);
    expect(waiting()?.message).toMatch(
      /^Waiting for IPAddressClaim fixed-addresses-workers-\S+: InClusterIPPool fixed-addresses-workers has no free address$/,
    );
    await world.patch('InClusterIPPool', pools[1]!, { spec: { addresses: ['10.0.1.32/27'] } });
    await world.until('settled', () => isSettled(world), 20);
    expect(addressesOf(pools[1]!)).toEqual([32, 33, 34].map((last) => `${networkPart}${last}`));
    expect(world.find('InClusterIPPool', pools[1]!)?.status?.ipAddresses?.free).toBe(free - 1);
  });

  it('are rolled out one beside the others, no address twice at any moment', async () => {
    const doubled: string[] = [];
    const unlisten = world.onCommit(({ type }) => {
      if (!type.startsWith('ipaddresses.')) return;
      const all = world.all('IPAddress').map(({ spec }) => spec!.address);
      if (new Set(all).size < all.length) doubled.push(all.join(' '));
    });
    const before = new Set(hosts().map(([host]) => host));
    await world.patch('KubeadmControlPlane', `${name}-control-plane`, {
      spec: { kubeadmConfigSpec: { preKubeadmCommands: ['echo again'] } },
    });
    await world.until(
      'replaced',
      () => hosts().filter(([host]) => before.has(host)).length === 3 && isSettled(world),
      120,
    );
    unlisten();
    expect(doubled).toEqual([]);
    expect(hosts()).toEqual(given());
    expect(addressesOf(pools[0]!)).toHaveLength(3);
  });

  it('give all addresses back when the cluster is deleted', async () => {
    await world.remove('Cluster', name);
    await world.until('nothing remains', () => remains(world).length === 0, 60);
    await world.until('all are free', () => world.all('IPAddressClaim').length === 0, 2);
    expect(world.all('IPAddress')).toEqual([]);
    await world.until(
      'counted',
      () => pools.every((pool) => world.find('InClusterIPPool', pool)?.status?.ipAddresses?.used === 0),
      2,
    );
    expect(world.errors).toEqual([]);
  });
});
