/** Invariants of the whole system. */
import { expect } from 'vitest';
import type { World } from './world.ts';

export { isSettled, isTrue, remains } from './settled.ts';

/** The instances that were launched for a Machine, by its name. */
const instancesByMachine = (world: World): Map<string, string[]> => {
  const found = new Map<string, string[]>();
  for (const { id, tags } of world.live('instance')) {
    const name = tags.Name ?? '';
    found.set(name, [...(found.get(name) ?? []), id]);
  }
  return found;
};

/** At every moment: no machine has two instances, and every resource has an owner tag. */
export const expectNothingDoubled = (world: World): void => {
  for (const [name, ids] of instancesByMachine(world)) expect(ids, `instances of ${name}`).toHaveLength(1);
  const uids = new Set([...world.all('Cluster').map(({ metadata }) => metadata.uid)]);
  for (const { type, id, tags } of world.live()) {
    // NAT gateways and load balancers own their interfaces; AWS creates them without tags.
    if (type === 'network-interface' && Object.keys(tags).length === 0) continue;
    expect(tags['capstan.dev/installation'], `installation of ${type} ${id}`).toBe('here');
    expect([...uids], `cluster of ${type} ${id}`).toContain(tags['capstan.dev/cluster-uid']);
  }
};

/** Once settled: one instance per machine and one machine per instance, and one of each singleton of a network. */
export const expectWhole = (world: World): void => {
  expectNothingDoubled(world);
  const machines = world.all('AWSMachine');
  const ids = world.live('instance').map(({ id }) => id);
  expect(machines.map(({ spec }) => spec?.instanceID).sort()).toEqual(ids.sort());
  const clusters = world.all('AWSCluster').length;
  for (const single of ['vpc', 'internet-gateway', 'load-balancer'])
    expect(world.live(single), single).toHaveLength(clusters);
  // A classic load balancer has no listeners and target groups of its own.
  const network = world.live('load-balancer').filter(({ id }) => id.includes('loadbalancer/net/')).length;
  for (const part of ['listener', 'target-group']) expect(world.live(part), part).toHaveLength(network);
  const gateways = world.live('natgateway').length;
  expect(world.live('elastic-ip'), 'addresses').toHaveLength(gateways);
  expect(world.live('secret'), 'secrets that no machine fetched').toEqual([]);
  expect(world.errors).toEqual([]);
};
