/** What must hold of the whole system, and when it counts as settled. */
import { expect } from 'vitest';
import type { Kind, World } from './world.ts';

export const isTrue = (world: World, kind: Kind, name: string, type: string, namespace?: string): boolean =>
  world.condition(kind, name, type, namespace)?.status === 'True';

const sum = (numbers: (number | undefined)[]) => numbers.reduce<number>((total, one) => total + (one ?? 0), 0);

/** Every cluster Available, with as many machines as it wants, each of them ready and up to date. */
export const isSettled = (world: World): boolean => {
  const owners = [...world.all('KubeadmControlPlane'), ...world.all('MachineDeployment')];
  const wanted = sum(owners.map(({ spec }) => spec?.replicas));
  const machines = world.all('Machine');
  return (
    world.all('Cluster').length > 0 &&
    world
      .all('Cluster')
      .every(({ metadata: { name, namespace } }) => isTrue(world, 'Cluster', name, 'Available', namespace)) &&
    machines.length === wanted &&
    machines.every(
      ({ metadata: { name, namespace, deletionTimestamp } }) =>
        !deletionTimestamp &&
        isTrue(world, 'Machine', name, 'Ready', namespace) &&
        isTrue(world, 'Machine', name, 'UpToDate', namespace),
    ) &&
    owners.every(
      ({ spec, status, metadata }) =>
        (status?.replicas ?? 0) === spec?.replicas &&
        (status?.availableReplicas ?? 0) === spec?.replicas &&
        (status?.upToDateReplicas ?? 0) === spec?.replicas &&
        status?.observedGeneration === metadata.generation,
    ) &&
    world
      .all('ClusterResourceSet')
      .every(({ metadata: { name, namespace } }) =>
        isTrue(world, 'ClusterResourceSet', name, 'ResourcesApplied', namespace),
      )
  );
};

/** Instances that were launched for a Machine, by its name. */
const instancesByMachine = (world: World): Map<string, string[]> => {
  const found = new Map<string, string[]>();
  for (const { id, tags } of world.live('instance')) {
    const name = tags.Name ?? '';
    found.set(name, [...(found.get(name) ?? []), id]);
  }
  return found;
};

/** At every moment: no machine has two instances, and nothing exists that does not say whose it is. */
export const expectNothingDoubled = (world: World): void => {
  for (const [name, ids] of instancesByMachine(world)) expect(ids, `instances of ${name}`).toHaveLength(1);
  const uids = new Set([...world.all('Cluster').map(({ metadata }) => metadata.uid)]);
  for (const { type, id, tags } of world.live()) {
    // Those of NAT gateways and load balancers are the services' own; AWS makes them without tags.
    if (type === 'network-interface' && Object.keys(tags).length === 0) continue;
    expect(tags['capstan.dev/installation'], `installation of ${type} ${id}`).toBe('here');
    expect([...uids], `cluster of ${type} ${id}`).toContain(tags['capstan.dev/cluster-uid']);
  }
};

/** Once settled: one instance a machine and one machine an instance, one of everything that a network has one of. */
export const expectWhole = (world: World): void => {
  expectNothingDoubled(world);
  const machines = world.all('AWSMachine');
  const ids = world.live('instance').map(({ id }) => id);
  expect(machines.map(({ spec }) => spec?.instanceID).sort()).toEqual(ids.sort());
  const clusters = world.all('AWSCluster').length;
  for (const single of ['vpc', 'internet-gateway', 'load-balancer', 'listener', 'target-group'])
    expect(world.live(single), single).toHaveLength(clusters);
  const gateways = world.live('natgateway').length;
  expect(world.live('elastic-ip'), 'addresses').toHaveLength(gateways);
  expect(world.live('secret'), 'secrets that no machine fetched').toEqual([]);
  expect(world.errors).toEqual([]);
};

/** What remains of all clusters, in the account and in the store, when none is left: what no user brought. */
export const remains = (world: World): string[] => [
  ...world.live().map(({ type, id }) => `${type} ${id}`),
  ...(
    [
      'Cluster',
      'AWSCluster',
      'KubeadmControlPlane',
      'MachineDeployment',
      'MachineSet',
      'Machine',
      'AWSMachine',
      'KubeadmConfig',
    ] as const
  ).flatMap((kind) => world.all(kind).map(({ metadata }) => `${kind} ${metadata.namespace}/${metadata.name}`)),
  ...world
    .all('Secret')
    .filter(({ metadata }) => metadata.labels?.['cluster.x-k8s.io/cluster-name'] !== undefined)
    .map(({ metadata }) => `Secret ${metadata.namespace}/${metadata.name}`),
];
