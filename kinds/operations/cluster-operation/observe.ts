import { labelMatcher } from '../../../machinery/api/labels.ts';
import type { KubeObject, LabelSelector } from '../../../machinery/api/object.ts';
import { type Context, found, mapRead, type Read, type Reader } from '../../../machinery/api/reconcile.ts';
import type { Cluster } from '../../core/cluster/index.ts';
import type { FormerCluster, Preflight } from '../../core/contract/infrastructure.ts';
import { controlPlaneQueries } from '../../core/contract/plain-control-plane.ts';
import { infrastructureOf } from '../../core/contract/plain-infrastructure.ts';
import { hasPools, poolsOf } from '../../core/contract/pools.ts';
import { followPart } from '../../core/contract/references.ts';
import { asRestored, restoringOf } from '../../core/contract/restore.ts';
import { operationAnnotations } from '../../core/contract/target.ts';
import type { Execution } from '../../ports/workflows.ts';
import { isCheckDue } from '../shared/clock.ts';
import type { ClusterState } from '../shared/cluster-state.ts';
import type { OperationDefinition } from '../shared/definition.ts';
import {
  etcdOf,
  isAt,
  membersOf,
  nothingObserved,
  type Observing,
  type OperationProviders,
} from '../shared/observing.ts';
import { isPaused } from '../shared/scope.ts';
import { definitionFor } from '../types.ts';
import { isOver } from './ended.ts';
import { definitionOf } from './execution.ts';
import { isOperationOf } from './owner.ts';
import type { ClusterOperation } from './schema.ts';

export interface Observed {
  operation: ClusterOperation;
  /** Also absent if another Cluster of the same name exists. */
  cluster: Read<Cluster>;
  /** The operation that the Cluster names, if it is another one. */
  named: Read<ClusterOperation> | undefined;
  /** Undefined while there is no Cluster. */
  clusterState: ClusterState | undefined;
  preflight: Preflight | undefined;
  /** Why the account does not serve the cluster; asked for while a step waits for long. */
  outage?: string | undefined;
  /** The workflow execution; read only while no task waits. */
  execution: Read<Execution> | undefined;
}

const clusterOf = (operation: ClusterOperation, read: Reader): Read<Cluster> => {
  const { namespace = '' } = operation.metadata;
  const cluster = read.get('Cluster', { namespace, name: operation.spec?.clusterName ?? '' });
  return cluster.state !== 'found' || isOperationOf(operation, cluster.value) ? cluster : { state: 'absent' };
};

const selects = (set: KubeObject, cluster: KubeObject): boolean => {
  const { matchLabels = {}, matchExpressions = [] } =
    (set.spec as { clusterSelector?: LabelSelector } | undefined)?.clusterSelector ?? {};
  if (Object.keys(matchLabels).length === 0 && matchExpressions.length === 0) return false;
  return labelMatcher({ matchLabels, matchExpressions })(cluster.metadata.labels);
};

const formerOf = (
  { spec }: ClusterOperation,
  cluster: Cluster,
  infrastructure: KubeObject | undefined,
  { installation }: Context,
): FormerCluster => {
  const { namespace = '', name: clusterName, uid: clusterUid = '' } = cluster.metadata;
  const region = spec?.region ?? (infrastructure?.spec as { region?: string } | undefined)?.region ?? '';
  return { cluster, namespace, clusterName, clusterUid, region, installation };
};

/** Asked for while a step has waited for minutes, or stands still for that reason. */
const outageOf = (
  operation: ClusterOperation,
  { cluster, infrastructure, infraMachines, provider }: ClusterState,
  read: Reader,
  context: Context,
): string | undefined => {
  const { phase, clock } = operation.status ?? {};
  if (phase !== 'Running' || context.awaits.length === 0 || isPaused(cluster)) return undefined;
  if (!isCheckDue(clock, context.now)) return undefined;
  const infra = infrastructure && found(infrastructure);
  const objects = [...(infra ? [infra] : []), ...infraMachines];
  return provider.outage(formerOf(operation, cluster, infra, context), objects, read, context.now);
};

/** A later operation judges the spec, and not what a restore before it builds. */
const asBuiltFor = (operation: ClusterOperation, cluster: Cluster, controlPlane: KubeObject): KubeObject =>
  restoringOf(cluster, controlPlane)?.uid === operation.metadata.uid ? asRestored(cluster, controlPlane) : controlPlane;

/** Of every operation; what only some steps need is read by the operation's type. */
const observingOf = (
  operation: ClusterOperation,
  cluster: Cluster,
  read: Reader,
  context: Context,
  providers: OperationProviders,
) => {
  const { infrastructureRef, controlPlaneRef } = cluster.spec ?? {};
  const infrastructure = infrastructureRef && followPart(read, cluster, infrastructureRef, 'InfrastructureCluster');
  const wanted = controlPlaneRef && followPart(read, cluster, controlPlaneRef, 'ControlPlane');
  const controlPlane: typeof wanted = wanted && mapRead(wanted, (value) => asBuiltFor(operation, cluster, value));
  const infra = infrastructure && found(infrastructure);
  const observing: Observing = {
    ...providers,
    operation,
    cluster,
    controlPlane: controlPlane && found(controlPlane),
    machineDeployments: membersOf({ cluster, read }, 'MachineDeployment'),
    machineSets: membersOf({ cluster, read }, 'MachineSet'),
    machinePools: hasPools(cluster) ? (poolsOf(cluster, read) ?? []) : [],
    machines: membersOf({ cluster, read }, 'Machine'),
    former: formerOf(operation, cluster, infra, context),
    provider: infrastructureOf(cluster, providers.infrastructures),
    read,
    context,
  };
  return { observing, infrastructure, controlPlane };
};

const foreignIn = (
  { controlPlane, controlPlanes, provider }: Observing,
  infra: KubeObject | undefined,
): KubeObject[] => [
  ...(infra && !provider.followsTargets ? [infra] : []),
  ...(controlPlane && !controlPlaneQueries(controlPlane, controlPlanes).followsTargets ? [controlPlane] : []),
];

const clusterStateOf = (
  { observing, infrastructure, controlPlane }: ReturnType<typeof observingOf>,
  definition: OperationDefinition | undefined,
): ClusterState => {
  const { cluster, read, provider, machineDeployments, machineSets, machinePools, machines } = observing;
  const { namespace = '', name } = cluster.metadata;
  const sets = found(read.list('ClusterResourceSet', { namespace })) ?? [];
  return {
    cluster,
    infrastructure,
    controlPlane,
    machineDeployments,
    machineSets,
    machinePools,
    machines,
    ...etcdOf(observing),
    infraMachines: membersOf(observing, { role: 'InfrastructureMachine' }),
    provider,
    foreign: foreignIn(observing, infrastructure && found(infrastructure)),
    resourceSets: sets.filter((set) => selects(set, cluster)),
    binding: read.get('ClusterResourceSetBinding', { namespace, name }),
    ...nothingObserved,
    ...definition?.observe?.(observing),
  };
};

const executionOf = (operation: ClusterOperation, read: Reader, { awaits }: Context): Read<Execution> | undefined => {
  const { spec, status } = operation;
  if (!spec || !status?.execution || status.phase === 'Held' || awaits.length > 0) return undefined;
  return read.ask('workflows', 'DescribeExecution', { definition: definitionOf(spec), name: status.execution });
};

export const observe = (
  operation: ClusterOperation,
  read: Reader,
  context: Context,
  providers: OperationProviders,
): Observed => {
  const nothing = { named: undefined, clusterState: undefined, preflight: undefined, execution: undefined };
  const cluster = clusterOf(operation, read);
  if (isOver(operation) || context.config.workflows !== true) return { operation, cluster, ...nothing };
  const execution = executionOf(operation, read, context);
  const object = found(cluster);
  if (!object) return { operation, cluster, ...nothing, execution };
  const { namespace = '', name: own } = operation.metadata;
  const name = object.metadata.annotations?.[operationAnnotations.operation];
  const definition = operation.spec && definitionFor(operation.spec.type);
  const seen = observingOf(operation, object, read, context, providers);
  const clusterState = clusterStateOf(seen, definition);
  return {
    operation,
    cluster,
    outage: outageOf(operation, clusterState, read, context),
    named: name === undefined || name === own ? undefined : read.get('ClusterOperation', { namespace, name }),
    clusterState,
    preflight: isAt(seen.observing, 'Preflight') ? definition?.preflight?.(seen.observing) : undefined,
    execution,
  };
};
