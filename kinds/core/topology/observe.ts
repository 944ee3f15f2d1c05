/** Everything that the topology controller reads, down to what the API would make of each write. Pure. */
import { isTrue } from '../../../machinery/api/conditions.ts';
import { type Context, found, type Reader } from '../../../machinery/api/reconcile.ts';
import { TemplateError } from '../../common/go-template/index.ts';
import { hasPaused } from '../../common/paused.ts';
import type { VariableValue } from '../../ports/api.ts';
import { askExtensions } from '../../ports/extensions.ts';
import { askApi } from '../../ports/index.ts';
import type { Cluster } from '../cluster/schema.ts';
import { definitionsOf } from '../cluster-class/definitions.ts';
import type { ClusterClass } from '../cluster-class/schema.ts';
import { awaitsDeletionHook } from '../contract/deletion-hook.ts';
import type { OperationReport } from '../contract/operation.ts';
import { operationAnnotations } from '../contract/target.ts';
import { labelsOfCluster, topologyAnnotations } from '../contract/topology.ts';
import { classKeyOf } from '../shared/class-reference.ts';
import { readBlueprint } from './blueprint.ts';
import { type Change, type Changes, planChanges } from './changes.ts';
import { type Desired, desiredState, type Facts } from './desired.ts';
import type { Gate } from './gate.ts';
import { gateOf, type HookContext } from './gate-of.ts';
import { blockedText } from './lifecycle.ts';
import { patching, Unread } from './patching.ts';
import type { Progress } from './progress.ts';
import { readState } from './state.ts';
import { unusedTemplates } from './sweep.ts';
import { isUpgrade, plannedByExtension, type Span, spanOf, type UpgradePlan, upgradePlanOf } from './upgrade-plan.ts';
import { PatchError } from './values.ts';
import { type Topology, variableLists, withVariables } from './variables.ts';
import { decideVersions } from './versions.ts';

export type Observed =
  /** Nothing to do, or something is unread. */
  | { is: 'idle'; cluster: Cluster }
  /** The topology cannot be acted on now. */
  | { is: 'blocked'; cluster: Cluster; progress: Progress; gate?: Gate }
  /** A hook decides whether the deletion goes on. */
  | { is: 'deleting'; cluster: Cluster; gate: Gate }
  | { is: 'planned'; cluster: Cluster; facts: Facts; desired: Desired; changes: Changes; unused: Change[]; gate: Gate };

const notReconciled =
  'ClusterClass not reconciled. If this condition persists please check ClusterClass status. A ClusterClass is reconciled if .status.observedGeneration == .metadata.generation is true. If this is not the case either ClusterClass reconciliation failed or the ClusterClass is paused';

export const isReconciled = ({ metadata: { generation }, status }: ClusterClass): boolean =>
  status?.observedGeneration === generation && isTrue(status?.conditions, 'VariablesReady');

/** It was just changed, and its controller follows. */
const isAboutToBeReconciled = ({ metadata, status }: ClusterClass): boolean =>
  status?.observedGeneration !== metadata.generation && !hasPaused({ metadata });

const concurrencyOf = ({ metadata }: Cluster): number => {
  const count = Number(metadata.annotations?.[topologyAnnotations.upgradeConcurrency]);
  return Number.isInteger(count) && count > 0 ? count : 1;
};

/** The Cluster as its patches see it, also before its first reconciliation. */
const labelled = (cluster: Cluster): Cluster => ({
  ...cluster,
  metadata: { ...cluster.metadata, labels: { ...cluster.metadata.labels, ...labelsOfCluster(cluster) } },
});

type Fitted = { topology: Topology } | { faults: string[] } | undefined;
const fitTopology = (read: Reader, topology: Topology, clusterClass: ClusterClass): Fitted => {
  const definitions = definitionsOf(clusterClass);
  const lists = variableLists(topology, undefined).map((list) => ({ ...list, old: list.values }));
  const fitted = found(askApi(read, 'FitVariables', { definitions, lists }));
  if (!fitted) return undefined;
  if (fitted.faults.length > 0) return { faults: fitted.faults.map(({ field, detail }) => `${field}: ${detail}`) };
  return { topology: withVariables(topology, fitted.lists as VariableValue[][]) };
};

const running: readonly (string | undefined)[] = [undefined, 'Pending', 'Running', 'Paused'];

/** The operation that brings the version which the control plane is asked for now, until it ends. */
const operationOfStep = (cluster: Cluster, read: Reader, { controlPlane }: Span): string | undefined | 'unread' => {
  const { namespace = '', annotations } = cluster.metadata;
  const name = annotations?.[operationAnnotations.operation];
  if (name === undefined) return undefined;
  const operation = read.get<OperationReport>('ClusterOperation', { namespace, name });
  if (operation.state === 'unread') return 'unread';
  const { spec, status } = found(operation) ?? {};
  const isOfStep = (spec?.objects ?? []).some(({ from, to }) => from !== to && to === controlPlane);
  return isOfStep && running.includes(status?.phase) ? name : undefined;
};

/** An extension of the class plans upgrades, or the versions that the class lists do. */
const planOf = (
  cluster: Cluster,
  read: Reader,
  span: Span,
  { upgrade, kubernetesVersions }: NonNullable<ClusterClass['spec']>,
): UpgradePlan | { fault: string } | 'unread' => {
  const handler = upgrade?.external?.generateUpgradePlanExtension;
  if (handler === undefined || !isUpgrade(span)) return upgradePlanOf(span, kubernetesVersions);
  const fields = {
    fromControlPlaneKubernetesVersion: span.controlPlane ?? '',
    ...(span.workers !== undefined && { fromWorkersKubernetesVersion: span.workers }),
    toKubernetesVersion: span.to,
  };
  const planned = askExtensions(read, 'PlanUpgrade', { handler, cluster, fields });
  if (planned.state === 'unreadable') return { fault: planned.reason };
  const answered = found(planned);
  if (!answered) return 'unread';
  return answered.failed === undefined ? plannedByExtension(span, answered.answer) : { fault: answered.failed };
};

const observeDeletion = (cluster: Cluster, read: Reader, context: HookContext): Observed => {
  const idle: Observed = { is: 'idle', cluster };
  const handled = awaitsDeletionHook(cluster, read);
  if (context.isTrial || !handled) return idle;
  const { gate } = gateOf(cluster, read, context);
  gate.passes({ hook: 'BeforeClusterDelete', about: cluster.metadata.uid ?? '' });
  return { is: 'deleting', cluster, gate };
};

const isNew = ({ spec }: Cluster): boolean => !spec?.infrastructureRef && !spec?.controlPlaneRef;

const isInitialized = ({ status }: Cluster): boolean => status?.initialization?.controlPlaneInitialized === true;

/** Hooks around the creation; false while one holds it back. */
const mayBeCreated = (cluster: Cluster, gate: Gate): boolean => {
  const about = cluster.metadata.uid ?? '';
  if (isNew(cluster)) {
    if (!gate.passes({ hook: 'BeforeClusterCreate', about })) return false;
    gate.begin('AfterControlPlaneInitialized');
  }
  if (isInitialized(cluster)) gate.isOver({ hook: 'AfterControlPlaneInitialized', about });
  return true;
};

export const observe = (
  cluster: Cluster,
  read: Reader,
  { config, ...context }: Pick<Context, 'config'> & HookContext,
): Observed => {
  const idle: Observed = { is: 'idle', cluster };
  const { topology: given } = cluster.spec ?? {};
  const key = classKeyOf(cluster);
  if (!given || !key) return idle;
  if (cluster.metadata.deletionTimestamp) return observeDeletion(cluster, read, context);
  const { gate, isUnread } = gateOf(cluster, read, context);
  const blocked = (reason: Progress['reason'], message: string): Observed => ({
    is: 'blocked',
    cluster,
    progress: { reason, message },
  });
  const readClass = read.get('ClusterClass', key);
  if (readClass.state === 'absent')
    return blocked('ReconcileFailed', `ClusterClass ${key.namespace}/${key.name} does not exist`);
  const clusterClass = found(readClass);
  if (!clusterClass?.spec) return idle;
  if (!context.isTrial && isAboutToBeReconciled(clusterClass)) return idle;
  if (!isReconciled(clusterClass)) return blocked('ClusterClassNotReconciled', notReconciled);
  const fitted = fitTopology(read, given, clusterClass);
  if (!fitted) return idle;
  if ('faults' in fitted) return blocked('ReconcileFailed', fitted.faults.join('; '));
  if (!mayBeCreated(cluster, gate)) {
    const message = blockedText(gate, 'Cluster topology creation') ?? '';
    return { is: 'blocked', cluster, gate, progress: { reason: 'ClusterCreating', message } };
  }
  const { topology } = fitted;
  const { machineDeployments: deployments = [], machinePools: pools = [] } = topology.workers ?? {};
  const blueprint = readBlueprint(read, clusterClass, {
    deployments: deployments.map((one) => one.class),
    pools: pools.map((one) => one.class),
  });
  const { state, reads } = readState(read, cluster);
  if ('missing' in blueprint)
    return blueprint.pending ? idle : blocked('ReconcileFailed', blueprint.missing.join('; '));
  const unknown = [
    ...deployments.flatMap((one) =>
      blueprint.deployments.has(one.class) ? [] : [`MachineDeployment class ${one.class}`],
    ),
    ...pools.flatMap((one) => (blueprint.pools.has(one.class) ? [] : [`MachinePool class ${one.class}`])),
  ];
  if (unknown.length > 0) return blocked('ReconcileFailed', `${unknown[0]} not found in ClusterClass ${key.name}`);
  const lost = Object.values(reads).find((one) => one.state === 'absent' && one.because !== undefined);
  if (lost?.state === 'absent') return blocked('ReconcileFailed', lost.because ?? '');
  if (Object.values(reads).some((one) => one.state === 'unread')) return idle;
  const span = spanOf(topology, state);
  const plan = planOf(cluster, read, span, clusterClass.spec);
  if (plan === 'unread') return idle;
  if ('fault' in plan) return blocked('ReconcileFailed', `failed to get upgrade plan from extension: ${plan.fault}`);
  const isOperated = config.workflows === true;
  const mayContinue = isOperated && !context.isTrial && 'controlPlane' in plan && plan.controlPlane.length > 0;
  const operation = mayContinue ? operationOfStep(cluster, read, span) : undefined;
  if (operation === 'unread') return idle;
  const settings = { concurrency: concurrencyOf(cluster), isOperated, operation };
  const facts: Facts = {
    cluster: labelled({ ...cluster, spec: { ...cluster.spec, topology } }),
    topology,
    blueprint,
    state,
    decisions: decideVersions(topology, state, plan, settings, gate),
  };
  if (isUnread()) return idle;
  try {
    const desired = desiredState(facts, patching(cluster, read));
    const changes = planChanges(read, facts, desired);
    const unused = changes && unusedTemplates(read, facts, changes);
    return changes && unused ? { is: 'planned', cluster, facts, desired, changes, unused, gate } : idle;
  } catch (error) {
    if (error instanceof Unread) return idle;
    if (!(error instanceof PatchError || error instanceof TemplateError)) throw error;
    return blocked('ReconcileFailed', error.message);
  }
};
