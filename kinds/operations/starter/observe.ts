import { groupKindOf, isSameKind } from '../../../machinery/api/kind.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { type Context, found, type Read, type Reader } from '../../../machinery/api/reconcile.ts';
import type { Cluster } from '../../core/cluster/index.ts';
import { type Description, describe } from '../../core/contract/description.ts';
import { findNamed, namesKind } from '../../core/contract/named.ts';
import { controlPlaneQueries } from '../../core/contract/plain-control-plane.ts';
import type { Providers } from '../../core/contract/providers.ts';
import { followPart } from '../../core/contract/references.ts';
import { operationAnnotations, wasAvailable } from '../../core/contract/target.ts';
import type { ClusterOperation } from '../cluster-operation/schema.ts';
import { type Rollout, type RolloutFacts, rolloutsOf } from '../shared/rollouts.ts';
import { recordedRegion } from './current.ts';

export type StarterProviders = Pick<Providers, 'controlPlanes' | 'infrastructureKinds'>;

export interface Observed {
  cluster: Cluster;
  namespace: Read<KubeObject>;
  /** All operations with the Cluster's name, including those of a former Cluster of this name. */
  operations: ClusterOperation[];
  description: Description;
  /** Its infrastructure and control plane, if their providers fill in fields that no note names. */
  foreign: KubeObject[];
  machines: KubeObject[];
  /** Read once the cluster was Available. */
  rollouts: Rollout[];
}

/**
 * All operations with the cluster's label, and the one that the Cluster names even without the
 * label; undefined while they are unread.
 */
const operationsOf = ({ metadata }: Cluster, read: Reader): ClusterOperation[] | undefined => {
  const { namespace = '', name } = metadata;
  const listed = found(read.list('ClusterOperation', { namespace, cluster: name }));
  const named = metadata.annotations?.[operationAnnotations.operation];
  if (!listed || named === undefined || listed.some((one) => one.metadata.name === named)) return listed;
  const lost = found(read.get('ClusterOperation', { namespace, name: named }));
  return lost?.spec?.clusterName === name ? [...listed, lost] : listed;
};

/** Of a Cluster in deletion: it tells the region where no record of the creation does. */
const infrastructureInDeletion = (
  cluster: Cluster,
  operations: ClusterOperation[] | undefined,
  read: Reader,
): KubeObject[] => {
  const { infrastructureRef } = cluster.spec ?? {};
  if (!infrastructureRef || !operations || recordedRegion({ cluster, operations })) return [];
  const infrastructure = found(followPart(read, cluster, infrastructureRef, 'InfrastructureCluster'));
  return infrastructure ? [infrastructure] : [];
};

const foreignIn = (
  { spec }: Cluster,
  { objects }: Description,
  { controlPlanes, infrastructureKinds }: StarterProviders,
): KubeObject[] =>
  objects.filter((object) => {
    const kind = groupKindOf(object);
    if (namesKind(spec?.infrastructureRef, kind)) return !infrastructureKinds.some((one) => isSameKind(one, kind));
    return namesKind(spec?.controlPlaneRef, kind) && !controlPlaneQueries(object, controlPlanes).followsTargets;
  });

const observeRollouts = (
  cluster: Cluster,
  { objects }: Description,
  read: Reader,
  { controlPlanes, now }: Pick<RolloutFacts, 'controlPlanes' | 'now'>,
): Rollout[] => {
  if (!wasAvailable(cluster) || cluster.metadata.deletionTimestamp) return [];
  const { namespace = '', name } = cluster.metadata;
  const where = { namespace, cluster: name };
  return rolloutsOf({
    controlPlane: findNamed(objects, cluster.spec?.controlPlaneRef),
    machineDeployments: objects.filter(({ kind }) => kind === 'MachineDeployment'),
    machineSets: found(read.list('MachineSet', where)) ?? [],
    machines: found(read.list('Machine', where)) ?? [],
    controlPlanes,
    now,
  });
};

export const observe = (
  cluster: Cluster,
  read: Reader,
  { config, now }: Context,
  { controlPlanes, infrastructureKinds }: StarterProviders,
): Observed => {
  const { namespace = '', name } = cluster.metadata;
  const nothing: Description = { objects: [], missing: [], unusable: [] };
  if (config.workflows !== true)
    return {
      cluster,
      namespace: { state: 'unread' },
      operations: [],
      description: nothing,
      foreign: [],
      machines: [],
      rollouts: [],
    };
  const where = { namespace, cluster: name };
  const operations = operationsOf(cluster, read);
  const description = cluster.metadata.deletionTimestamp
    ? { ...nothing, objects: infrastructureInDeletion(cluster, operations, read) }
    : describe(cluster, read);
  return {
    cluster,
    namespace: read.get('Namespace', { namespace: '', name: namespace }),
    operations: operations ?? [],
    description,
    foreign: foreignIn(cluster, description, { controlPlanes, infrastructureKinds }),
    machines: found(read.list('Machine', where)) ?? [],
    rollouts: observeRollouts(cluster, description, read, { controlPlanes, now }),
  };
};
