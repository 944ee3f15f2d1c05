import { labelMatcher } from '../../../machinery/api/labels.ts';
import type { KubeObject, LabelSelector } from '../../../machinery/api/object.ts';
import { type Context, found, type OfRole, type Read, type Reader } from '../../../machinery/api/reconcile.ts';
import { isOwnedBy } from '../../common/owners.ts';
import type { Cluster } from '../../core/cluster/index.ts';
import type { ControlPlaneProvider } from '../../core/contract/control-plane.ts';
import type { FormerCluster, InfrastructureProvider, Preflight } from '../../core/contract/infrastructure.ts';
import { restoreFromOf } from '../../core/contract/origin.ts';
import { controlPlaneQueries } from '../../core/contract/plain-control-plane.ts';
import { infrastructureOf } from '../../core/contract/plain-infrastructure.ts';
import type { Providers } from '../../core/contract/providers.ts';
import { followPart } from '../../core/contract/references.ts';
import { asRestored, restoringOf } from '../../core/contract/restore.ts';
import { operationAnnotations } from '../../core/contract/target.ts';
import { snapshotOf } from '../../core/contract/workload-snapshot.ts';
import type { Execution } from '../../ports/workflows.ts';
import { copyNameOf, type Origin } from '../create/origin.ts';
import { keptFor } from '../restore/disks.ts';
import { orphanedNodes } from '../restore/nodes.ts';
import { unsavedBecause } from '../restore/present.ts';
import { isCheckDue } from '../shared/clock.ts';
import type { ClusterState } from '../shared/cluster-state.ts';
import { rolloutsOf } from '../shared/rollouts.ts';
import { isPaused } from '../shared/scope.ts';
import { isOver } from './ended.ts';
import { definitionOf } from './execution.ts';
import { observeRemains, type Remains } from './leftovers.ts';
import { isOperationOf } from './owner.ts';
import type { ClusterOperation } from './schema.ts';

export interface Snapshot {
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

export type OperationProviders = Pick<Providers, 'infrastructures' | 'controlPlanes'>;

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

/** Steps, and held operations, that end once nothing is left. */
const needsProof = ({ spec, status }: ClusterOperation, cluster: Cluster, { awaits }: Context): boolean =>
  !isPaused(cluster) &&
  (awaits.some(({ step }) => step === 'TearDown' || step === 'Prove') ||
    (status?.phase === 'Held' &&
      (spec?.type === 'delete' || cluster.metadata.annotations?.[operationAnnotations.target] === 'Nothing')));

/** The step of a restore that ends once every old control-plane host is off. */
const stopsHosts = ({ spec }: ClusterOperation, cluster: Cluster, { awaits }: Context): boolean =>
  spec?.type === 'restore' && !isPaused(cluster) && awaits.some(({ step }) => step === 'StopMembers');

/** The first step of a restore, while etcd cannot be saved in another way. */
const keepsDisks = (
  operation: ClusterOperation,
  cluster: Cluster,
  workload: ClusterState['workload'],
  snapshots: readonly KubeObject[],
  { awaits }: Context,
): boolean =>
  operation.spec?.type === 'restore' &&
  !isPaused(cluster) &&
  awaits.some(({ step }) => step === 'Preflight') &&
  unsavedBecause({ operation, clusterState: { workload, snapshots } }) !== undefined;

/** The step of a restore that removes Nodes without a host: the snapshot may have those of hosts that ended since. */
const verifiesNodes = ({ spec }: ClusterOperation, cluster: Cluster, { awaits }: Context): boolean =>
  spec?.type === 'restore' && !isPaused(cluster) && awaits.some(({ step }) => step === 'Verify');

const checksSpecs = ({ spec }: ClusterOperation, { awaits }: Context): boolean =>
  spec?.type === 'upgrade' && awaits.some(({ step }) => step === 'Preflight');

/** Without the check of a former Cluster of this name. */
const checkOf = (cluster: Cluster, read: Reader): KubeObject | undefined => {
  const { namespace = '', name } = cluster.metadata;
  const check = found(read.get('UpgradeCheck', { namespace, name }));
  return check && isOwnedBy(check, cluster) ? check : undefined;
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

const clusterStateOf = (
  operation: ClusterOperation,
  cluster: Cluster,
  read: Reader,
  context: Context,
  { infrastructures, controlPlanes }: OperationProviders,
): ClusterState => {
  const { namespace = '', name } = cluster.metadata;
  const where = { namespace, cluster: name };
  const { infrastructureRef, controlPlaneRef } = cluster.spec ?? {};
  const infrastructure = infrastructureRef && followPart(read, cluster, infrastructureRef, 'InfrastructureCluster');
  const sets = found(read.list('ClusterResourceSet', { namespace })) ?? [];
  const infra = infrastructure && found(infrastructure);
  const former = formerOf(operation, cluster, infra, context);
  const left: Remains = needsProof(operation, cluster, context)
    ? observeRemains(former, infrastructures, read)
    : { remains: { state: 'unread' }, stranded: [] };
  const membersOf = (kind: string | OfRole): KubeObject[] => found(read.list(kind, where)) ?? [];
  const wanted = controlPlaneRef && followPart(read, cluster, controlPlaneRef, 'ControlPlane');
  const controlPlane: typeof wanted =
    wanted?.state === 'found' ? { state: 'found', value: asBuiltFor(operation, cluster, wanted.value) } : wanted;
  const machineDeployments = membersOf('MachineDeployment');
  const machineSets = membersOf('MachineSet');
  const machines = membersOf('Machine');
  const provider = infrastructureOf(cluster, infrastructures);
  const isRestore = operation.spec?.type === 'restore';
  const isDelete = operation.spec?.type === 'delete';
  const isRollout = isRestore || operation.spec?.type === 'upgrade';
  const facts = {
    controlPlane: controlPlane && found(controlPlane),
    machineDeployments,
    machineSets,
    machines,
    controlPlanes,
    now: context.now,
  };
  const workload = isRestore || isDelete ? snapshotOf(read, { namespace, name }, cluster) : undefined;
  const snapshots = isRollout || isDelete ? membersOf('EtcdSnapshot') : [];
  const orphaned = orphanedNodes(workload?.nodes ?? [], machines).flatMap(({ providerID }) => providerID ?? []);
  return {
    cluster,
    infrastructure,
    controlPlane,
    machineDeployments,
    machineSets,
    machines,
    kubeadmTemplates: checksSpecs(operation, context)
      ? (found(read.list<KubeObject>('KubeadmConfigTemplate', { namespace })) ?? [])
      : [],
    rollouts: isRollout ? rolloutsOf(facts) : [],
    origin: originOf(operation, cluster, read, context, facts.controlPlane, controlPlanes),
    snapshots,
    ...etcdOf(facts.controlPlane, controlPlanes),
    workload,
    hostsLeft: stopsHosts(operation, cluster, context)
      ? provider.controlPlaneHosts(former, operation.status?.hosts ?? [], read)
      : { state: 'unread' },
    keptDisks: keepsDisks(operation, cluster, workload, snapshots, context)
      ? provider.keptDisks?.(former, keptFor(operation), read, context.lastFailure)
      : { state: 'unread' },
    endedHosts:
      orphaned.length > 0 && verifiesNodes(operation, cluster, context)
        ? provider.endedHosts(former, orphaned, read)
        : { state: 'unread' },
    upgradeCheck: operation.spec?.type === 'upgrade' ? checkOf(cluster, read) : undefined,
    infraMachines: membersOf({ role: 'InfrastructureMachine' }),
    provider,
    foreign: [
      ...(infra && !provider.followsTargets ? [infra] : []),
      ...(facts.controlPlane && !controlPlaneQueries(facts.controlPlane, controlPlanes).followsTargets
        ? [facts.controlPlane]
        : []),
    ],
    resourceSets: sets.filter((set) => selects(set, cluster)),
    binding: read.get('ClusterResourceSetBinding', { namespace, name }),
    ...left,
  };
};

/** What the Cluster is to begin with, while its create checks that. */
const originOf = (
  { spec }: ClusterOperation,
  cluster: Cluster,
  read: Reader,
  { awaits }: Context,
  controlPlane: KubeObject | undefined,
  controlPlanes: readonly ControlPlaneProvider[],
): Origin | undefined => {
  const name = restoreFromOf(cluster);
  const isDue = spec?.type === 'create' && awaits.some(({ step }) => step === 'Preflight');
  if (name === undefined || !isDue || isPaused(cluster)) return undefined;
  const { namespace = '' } = cluster.metadata;
  const { managesEtcd, etcdVersion } = etcdOf(controlPlane, controlPlanes);
  const queries = controlPlane && controlPlaneQueries(controlPlane, controlPlanes);
  const copy = read.get<KubeObject>('EtcdSnapshot', { namespace, name: copyNameOf(cluster) });
  return {
    original: read.get<KubeObject>('EtcdSnapshot', { namespace, name }),
    copy: copy.state === 'found' && !isOwnedBy(copy.value, cluster) ? { state: 'absent' } : copy,
    encryption: controlPlane && queries?.encryptionConfig?.(controlPlane, read),
    etcd: { isManaged: managesEtcd, version: etcdVersion },
  };
};

const etcdOf = (controlPlane: KubeObject | undefined, controlPlanes: readonly ControlPlaneProvider[]) => {
  const queries = controlPlane && controlPlaneQueries(controlPlane, controlPlanes);
  return {
    managesEtcd: queries?.managesEtcd(controlPlane!) ?? false,
    etcdVersion: queries?.etcdVersion?.(controlPlane!),
  };
};

/** What the infrastructure says while the first step waits. */
const preflightOf = (
  { metadata, spec }: ClusterOperation,
  cluster: Cluster,
  read: Reader,
  context: Context,
  infrastructures: readonly InfrastructureProvider[],
): Preflight | undefined => {
  if (isPaused(cluster) || !context.awaits.some(({ step }) => step === 'Preflight')) return undefined;
  const provider = infrastructureOf(cluster, infrastructures);
  if (spec?.type === 'create') return provider.preflight(cluster, read, context);
  const { controlPlaneRef } = cluster.spec ?? {};
  const objects =
    spec?.type === 'upgrade'
      ? spec.objects
      : spec?.type === 'restore'
        ? controlPlaneRef && [controlPlaneRef]
        : undefined;
  if (!objects) return undefined;
  const owners = objects.map(({ kind, name }) => `${kind} ${metadata.namespace}/${name}`);
  return provider.replacementPreflight(cluster, owners, read, context);
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
): Snapshot => {
  const nothing = { named: undefined, clusterState: undefined, preflight: undefined, execution: undefined };
  const cluster = clusterOf(operation, read);
  if (isOver(operation) || context.config.workflows !== true) return { operation, cluster, ...nothing };
  const execution = executionOf(operation, read, context);
  const object = found(cluster);
  if (!object) return { operation, cluster, ...nothing, execution };
  const { namespace = '', name: own } = operation.metadata;
  const name = object.metadata.annotations?.[operationAnnotations.operation];
  const clusterState = clusterStateOf(operation, object, read, context, providers);
  return {
    operation,
    cluster,
    outage: outageOf(operation, clusterState, read, context),
    named: name === undefined || name === own ? undefined : read.get('ClusterOperation', { namespace, name }),
    clusterState,
    preflight: preflightOf(operation, object, read, context, providers.infrastructures),
    execution,
  };
};
