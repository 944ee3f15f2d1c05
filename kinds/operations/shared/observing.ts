/** What is known of a cluster before its operation reads what it needs besides. */
import type { KubeObject } from '../../../machinery/api/object.ts';
import { type Context, found, type OfRole, type Reader } from '../../../machinery/api/reconcile.ts';
import type { Cluster } from '../../core/cluster/index.ts';
import type { FormerCluster, Infrastructure, Preflight } from '../../core/contract/infrastructure.ts';
import { controlPlaneQueries } from '../../core/contract/plain-control-plane.ts';
import type { Providers } from '../../core/contract/providers.ts';
import type { ClusterOperation } from '../cluster-operation/schema.ts';
import type { ClusterState } from './cluster-state.ts';
import { type Rollout, rolloutsOf } from './rollouts.ts';
import { isPaused } from './scope.ts';

export type OperationProviders = Pick<Providers, 'infrastructures' | 'controlPlanes'>;

export interface Observing extends OperationProviders {
  operation: ClusterOperation;
  cluster: Cluster;
  controlPlane: KubeObject | undefined;
  machineDeployments: KubeObject[];
  machineSets: KubeObject[];
  machinePools: KubeObject[];
  machines: KubeObject[];
  /** The cluster by what stays known once its objects are gone. */
  former: FormerCluster;
  provider: Infrastructure;
  read: Reader;
  context: Context;
}

/** What an operation reads only if a step of it needs that. */
export type Observations = Pick<
  ClusterState,
  | 'kubeadmTemplates'
  | 'rollouts'
  | 'origin'
  | 'snapshots'
  | 'upgradeCheck'
  | 'workload'
  | 'hostsLeft'
  | 'keptDisks'
  | 'stayingCopies'
  | 'endedHosts'
  | 'remains'
  | 'stranded'
>;

export const nothingObserved: Observations = {
  kubeadmTemplates: [],
  rollouts: [],
  origin: undefined,
  snapshots: [],
  upgradeCheck: undefined,
  workload: undefined,
  hostsLeft: { state: 'unread' },
  keptDisks: { state: 'unread' },
  stayingCopies: undefined,
  endedHosts: { state: 'unread' },
  remains: { state: 'unread' },
  stranded: [],
};

/** One of these steps waits, and the cluster is not paused. */
export const isAt = ({ cluster, context }: Observing, ...steps: readonly string[]): boolean =>
  !isPaused(cluster) && context.awaits.some(({ step }) => steps.includes(step));

export const membersOf = (
  { cluster, read }: Pick<Observing, 'cluster' | 'read'>,
  kind: string | OfRole,
): KubeObject[] => {
  const { namespace = '', name } = cluster.metadata;
  return found(read.list(kind, { namespace, cluster: name })) ?? [];
};

export const observeRollouts = ({ context, ...facts }: Observing): Rollout[] =>
  rolloutsOf({ ...facts, now: context.now });

export const etcdOf = ({ controlPlane, controlPlanes }: Pick<Observing, 'controlPlane' | 'controlPlanes'>) => {
  const queries = controlPlane && controlPlaneQueries(controlPlane, controlPlanes);
  return {
    managesEtcd: queries?.managesEtcd(controlPlane!) ?? false,
    etcdVersion: queries?.etcdVersion?.(controlPlane!),
  };
};

/** Whether the Machines of these objects can be replaced. */
export const replacementPreflight = (
  { operation, cluster, provider, read, context }: Observing,
  objects: readonly { kind: string; name: string }[],
): Preflight => {
  const owners = objects.map(({ kind, name }) => `${kind} ${operation.metadata.namespace}/${name}`);
  return provider.replacementPreflight(cluster, owners, read, context);
};
