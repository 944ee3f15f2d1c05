/** When the whole system counts as settled, and what remains of it. */
import type { Kind, World } from './world.ts';

/** The checked world. */
export type View = Pick<World, 'all' | 'condition' | 'live'>;

export const isTrue = (world: View, kind: Kind, name: string, type: string, namespace?: string): boolean =>
  world.condition(kind, name, type, namespace)?.status === 'True';

/** Of Machines that stand for the hosts of a pool; some providers have none. */
const poolLabel = 'cluster.x-k8s.io/pool-name';

const sum = (numbers: (number | undefined)[]) => numbers.reduce<number>((total, one) => total + (one ?? 0), 0);

/** Every cluster is Available, with the desired number of machines, each of them ready and up to date. */
export const isSettled = (world: View): boolean => {
  const owners = [...world.all('KubeadmControlPlane'), ...world.all('MachineDeployment')];
  const machines = world.all('Machine');
  const standalone = machines.filter(({ metadata: { labels = {} } }) => labels[poolLabel] === undefined);
  return (
    world.all('Cluster').length > 0 &&
    world
      .all('Cluster')
      .every(({ metadata: { name, namespace } }) => isTrue(world, 'Cluster', name, 'Available', namespace)) &&
    standalone.length === sum(owners.map(({ spec }) => spec?.replicas)) &&
    machines.every(
      ({ metadata: { name, namespace, deletionTimestamp, labels = {} } }) =>
        !deletionTimestamp &&
        isTrue(world, 'Machine', name, 'Ready', namespace) &&
        (labels[poolLabel] !== undefined || isTrue(world, 'Machine', name, 'UpToDate', namespace)),
    ) &&
    owners.every(
      ({ spec, status, metadata }) =>
        (status?.replicas ?? 0) === spec?.replicas &&
        (status?.availableReplicas ?? 0) === spec?.replicas &&
        (status?.upToDateReplicas ?? 0) === spec?.replicas &&
        status?.observedGeneration === metadata.generation,
    ) &&
    world
      .all('MachinePool')
      .every(({ spec, status }) => [status?.replicas, status?.availableReplicas].every((n) => n === spec?.replicas)) &&
    world
      .all('ClusterResourceSet')
      .every(({ metadata: { name, namespace } }) =>
        isTrue(world, 'ClusterResourceSet', name, 'ResourcesApplied', namespace),
      )
  );
};

/** What remains of all clusters, in the account and in the store, when none is left, without user-provided objects. */
export const remains = (world: View): string[] => [
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
