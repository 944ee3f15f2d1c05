/** The status of a Cluster: counters, phase, and conditions aggregated from its parts. Pure. */
import {
  aggregateConditions,
  type ConditionSource,
  conditionOf,
  mirrorCondition,
  sortConditions,
} from '../../../machinery/api/conditions.ts';
import type { Condition, KubeObject } from '../../../machinery/api/object.ts';
import type { ConditionDraft, Read } from '../../../machinery/api/reconcile.ts';
import { absenceOf, found } from '../../../machinery/api/reconcile.ts';
import { availableByParts } from '../contract/available.ts';
import {
  type Counts,
  conditionsOf,
  countsOf,
  endpointOf,
  failureDomainsOf,
  isInitialized,
  isProvisioned,
  type VersionCount,
  versionsOf,
} from '../contract/cluster.ts';
import { answersOf, deletionBlock, hookText } from '../contract/lifecycle-hooks.ts';
import { settledOf } from '../contract/machines.ts';
import { isSetBack, operationStopped } from '../contract/operation.ts';
import { isPreserved } from '../shared/preservation.ts';
import { planFields, progressOf, topologyCondition } from '../topology/progress.ts';
import { unreachableAfter } from '../workload-snapshot/snapshot.ts';
import { withCause } from './cause.ts';
import { legacyConditions } from './legacy.ts';
import { type Descendants, descendantsOf, isControlPlaneMachine, type Observed } from './observe.ts';
import { availableUnder, stoppedOperation } from './operation.ts';
import type { ClusterStatus } from './schema.ts';
import { isTornDown } from './teardown.ts';

/** Milliseconds without a successful probe after which RemoteConnectionProbe is False. */
export const connectionGrace = 50_000;

export interface Latches {
  infrastructureProvisioned: boolean;
  controlPlaneInitialized: boolean;
}

/**
 * Once true, these stay true until a teardown completes: a part that vanishes later is an error,
 * not a fresh start.
 */
export const latchesOf = (observed: Observed): Latches => {
  if (isTornDown(observed)) return { infrastructureProvisioned: false, controlPlaneInitialized: false };
  const { cluster, infrastructure, controlPlane, machines } = observed;
  const before = cluster.status?.initialization;
  const infra = infrastructure && found(infrastructure);
  const plane = controlPlane && found(controlPlane);
  const standalone = (found(machines) ?? []).some(
    (machine) =>
      isControlPlaneMachine(machine) && (machine.status as { nodeRef?: unknown } | undefined)?.nodeRef !== undefined,
  );
  const deleting = cluster.metadata.deletionTimestamp !== undefined;
  return {
    infrastructureProvisioned:
      before?.infrastructureProvisioned === true ||
      (infrastructure
        ? infra !== undefined && isProvisioned(infra)
        : !deleting && !awaitsTopology(cluster, infrastructure)),
    controlPlaneInitialized:
      before?.controlPlaneInitialized === true ||
      (controlPlane ? plane !== undefined && isInitialized(plane) : standalone),
  };
};

const zero: Counts = { desiredReplicas: 0, replicas: 0, readyReplicas: 0, availableReplicas: 0, upToDateReplicas: 0 };
const add = (a: Counts, b: Counts): Counts => ({
  desiredReplicas: a.desiredReplicas + b.desiredReplicas,
  replicas: a.replicas + b.replicas,
  readyReplicas: a.readyReplicas + b.readyReplicas,
  availableReplicas: a.availableReplicas + b.availableReplicas,
  upToDateReplicas: a.upToDateReplicas + b.upToDateReplicas,
});
const isTrue = (object: KubeObject, type: string) => Number(conditionOf(conditionsOf(object), type)?.status === 'True');
const countMachine = (machine: KubeObject): Counts => ({
  desiredReplicas: 1,
  replicas: 1,
  readyReplicas: isTrue(machine, 'Ready'),
  availableReplicas: isTrue(machine, 'Available'),
  upToDateReplicas: isTrue(machine, 'UpToDate'),
});

const sumVersions = (lists: VersionCount[][]): VersionCount[] => {
  const total = new Map<string, number>();
  for (const { version, replicas } of lists.flat()) total.set(version, (total.get(version) ?? 0) + replicas);
  return [...total]
    .map(([version, replicas]) => ({ version, replicas }))
    .toSorted((a, b) => (a.version < b.version ? -1 : 1));
};
const machineVersion = (machine: KubeObject): VersionCount[] => {
  const version = (machine.spec as { version?: string } | undefined)?.version;
  return version ? [{ version, replicas: 1 }] : [];
};
const withVersions = (counts: Counts, versions: VersionCount[]): ClusterStatus['workers'] => ({
  ...counts,
  ...(versions.length > 0 && { versions }),
});

/** A preserved Machine is out of service, and its replacement counts. */
const countedOf = (observed: Observed): Descendants | undefined => {
  const descendants = descendantsOf(observed);
  return (
    descendants && {
      ...descendants,
      workerMachines: descendants.workerMachines.filter((machine) => !isPreserved(machine)),
      standaloneMachines: descendants.standaloneMachines.filter((machine) => !isPreserved(machine)),
    }
  );
};

const controlPlaneCounters = ({ controlPlane }: Observed, descendants: Descendants): ClusterStatus['controlPlane'] => {
  const plane = controlPlane && found(controlPlane);
  if (plane) return withVersions(countsOf(plane), versionsOf(plane));
  if (controlPlane) return undefined;
  const machines = descendants.controlPlaneMachines;
  return withVersions(machines.map(countMachine).reduce(add, zero), sumVersions(machines.map(machineVersion)));
};
const workerCounters = ({
  machineDeployments,
  standaloneMachineSets,
  machinePools,
  standaloneMachines,
}: Descendants): ClusterStatus['workers'] => {
  const sets = [...machineDeployments, ...standaloneMachineSets, ...machinePools];
  const counts = [...sets.map(countsOf), ...standaloneMachines.map(countMachine)].reduce(add, zero);
  return withVersions(counts, sumVersions([...sets.map(versionsOf), ...standaloneMachines.map(machineVersion)]));
};

/** The topology names no object until it is reconciled. */
const awaitsTopology = ({ spec }: Observed['cluster'], part: Read<KubeObject> | undefined): boolean =>
  part === undefined && spec?.topology !== undefined;
const topologyMessage = ({ metadata }: Observed['cluster']): string =>
  metadata.deletionTimestamp === undefined ? 'Waiting for cluster topology to be reconciled' : '';

/** Mirrors a part's condition, or reports why there is none to mirror. */
const mirrorPart = (
  cluster: Observed['cluster'],
  part: Read<KubeObject> | undefined,
  {
    type,
    from,
    kind,
    done,
    was,
    deleting,
  }: { type: string; from: string; kind: string; done: boolean; was: boolean; deleting: boolean },
): ConditionDraft => {
  if (awaitsTopology(cluster, part))
    return { type, status: 'False', reason: 'ObjectDoesNotExist', message: topologyMessage(cluster) };
  if (!part) return { type, status: 'True', reason: from, message: '' };
  if (part.state === 'found') {
    const fallback = {
      status: done ? ('True' as const) : ('False' as const),
      reason: done ? from : `Not${from}`,
      message: done ? '' : `${kind} status.initialization is not complete`,
    };
    return mirrorCondition(conditionsOf(part.value), from, type, fallback);
  }
  if (part.state !== 'absent') {
    return { type, status: 'Unknown', reason: 'InternalError', message: 'Please check controller logs for errors' };
  }
  if (deleting) return { type, status: 'False', reason: 'ObjectDeleted', message: `${kind} has been deleted` };
  const message = was ? `${kind} has been deleted while the cluster still exists` : absenceOf(part, kind);
  return { type, status: 'False', reason: was ? 'ObjectDeleted' : 'ObjectDoesNotExist', message };
};

const connection = ({ cluster, snapshot: seen }: Observed, latches: Latches, now: number): ConditionDraft => {
  const type = 'RemoteConnectionProbe';
  const failed = (message: string): ConditionDraft => ({ type, status: 'False', reason: 'ProbeFailed', message });
  if (!seen?.reachableSince && !seen?.unreachableSince) return failed('Remote connection not established yet');
  const why = seen.reason ? `: ${seen.reason}` : '';
  if (!latches.controlPlaneInitialized && !seen.reachable) return failed(`Remote connection not established yet${why}`);
  const since = seen.unreachableSince ? Date.parse(seen.unreachableSince) : undefined;
  const down =
    seen.failures >= unreachableAfter || (since !== undefined && now - since > connectionGrace && !seen.reachable);
  if (!down) return { type, status: 'True', reason: 'ProbeSucceeded', message: '' };
  const message = cluster.metadata.deletionTimestamp
    ? 'The workload cluster no longer answers'
    : `Remote connection down since ${seen.unreachableSince}${why}`;
  return failed(message);
};

const source = (object: KubeObject): ConditionSource => ({
  kind: object.kind,
  name: object.metadata.name,
  conditions: conditionsOf(object) as Condition[],
});

const machinesCondition = (machines: KubeObject[], type: string, of: 'Ready' | 'UpToDate'): ConditionDraft => {
  if (machines.length === 0) return { type, status: 'True', reason: 'NoReplicas', message: '' };
  return aggregateConditions(machines.map(source), {
    of,
    type,
    reasons: { issue: `Not${of}`, unknown: `${of}Unknown`, info: of },
  });
};

const workersAvailable = ({ machineDeployments, machinePools }: Descendants): ConditionDraft => {
  const type = 'WorkersAvailable';
  const workers = [...machineDeployments, ...machinePools];
  if (workers.length === 0) return { type, status: 'True', reason: 'NoWorkers', message: '' };
  return aggregateConditions(workers.map(source), {
    of: 'Available',
    type,
    reasons: { issue: 'NotAvailable', unknown: 'AvailableUnknown', info: 'Available' },
  });
};

/** Aggregates RollingOut, ScalingUp and so on from the parts that report it. */
const activity = (type: string, parts: KubeObject[]): ConditionDraft => {
  const reporting = parts.filter((part) => conditionOf(conditionsOf(part), type));
  if (reporting.length === 0) return { type, status: 'False', reason: `Not${type}`, message: '' };
  return aggregateConditions(reporting.map(source), {
    of: type,
    negative: true,
    reasons: { issue: type, unknown: `${type}Unknown`, info: `Not${type}` },
  });
};

const available = (observed: Observed, conditions: ConditionDraft[], now: number): ConditionDraft =>
  availableUnder(
    observed.cluster,
    observed,
    withCause(observed, conditions, availableByParts(observed.cluster, conditions)),
    now,
  );

const initialized = ({ cluster, controlPlane }: Observed, latches: Latches): ConditionDraft => {
  const type = 'ControlPlaneInitialized';
  if (latches.controlPlaneInitialized) return { type, status: 'True', reason: 'Initialized', message: '' };
  if (awaitsTopology(cluster, controlPlane))
    return { type, status: 'Unknown', reason: 'ObjectDoesNotExist', message: topologyMessage(cluster) };
  if (controlPlane?.state === 'absent') {
    return {
      type,
      status: 'Unknown',
      reason: 'ObjectDoesNotExist',
      message: absenceOf(controlPlane, 'The control plane object'),
    };
  }
  return { type, status: 'False', reason: 'NotInitialized', message: 'Control plane not yet initialized' };
};

/** What the topology controller reports. */
const topologyReconciled = ({ metadata, spec }: Observed['cluster']): ConditionDraft[] => {
  if (!spec?.topology) return [];
  if (metadata.deletionTimestamp) {
    const { failed } = answersOf({ metadata });
    if (failed !== undefined)
      return [{ type: 'TopologyReconciled', status: 'False', reason: 'ReconcileFailed', message: failed }];
    const answer = deletionBlock({ metadata }) && answersOf({ metadata }).BeforeClusterDelete;
    const blocked = answer ? `. Following hooks are blocking delete: ${hookText('BeforeClusterDelete', answer)}` : '';
    return [
      { type: 'TopologyReconciled', status: 'False', reason: 'Deleting', message: `Cluster is deleting${blocked}` },
    ];
  }
  const progress = progressOf(metadata.annotations);
  return progress ? [topologyCondition(progress)] : [];
};

export const pausedTopology = ({ spec }: Pick<Observed['cluster'], 'spec'>, message: string): ConditionDraft[] =>
  spec?.topology ? [{ type: 'TopologyReconciled', status: 'False', reason: 'Paused', message }] : [];

const ownTypes = new Set([
  'Available',
  'ControlPlaneAvailable',
  'ControlPlaneInitialized',
  'ControlPlaneMachinesReady',
  'ControlPlaneMachinesUpToDate',
  'Deleting',
  'InfrastructureReady',
  operationStopped,
  'Paused',
  'RemoteConnectionProbe',
  'Remediating',
  'RollingOut',
  'ScalingDown',
  'ScalingUp',
  'TopologyReconciled',
  'WorkerMachinesReady',
  'WorkerMachinesUpToDate',
  'WorkersAvailable',
]);

/** Conditions that other clients write next to ours, such as availability gates. */
const conditionsOfOthers = ({ status }: Observed['cluster']): ConditionDraft[] =>
  (status?.conditions ?? []).filter(({ type }) => !ownTypes.has(type));

/**
 * `deleting` replaces the condition of that type; undefined if the Cluster is not being deleted.
 * `now` in milliseconds.
 */
export const conditionsFor = (
  observed: Observed,
  latches: Latches,
  now: number,
  deleting?: ConditionDraft,
): ConditionDraft[] => {
  const { cluster, infrastructure, controlPlane } = observed;
  const parts = countedOf(observed);
  const before = cluster.status?.initialization;
  const isDeleting = cluster.metadata.deletionTimestamp !== undefined;
  const infra = infrastructure && found(infrastructure);
  const plane = controlPlane && found(controlPlane);
  const conditions: ConditionDraft[] = [
    ...conditionsOfOthers(cluster),
    mirrorPart(cluster, infrastructure, {
      type: 'InfrastructureReady',
      from: 'Ready',
      kind: cluster.spec?.infrastructureRef?.kind ?? '',
      done: infra !== undefined && isProvisioned(infra),
      was: before?.infrastructureProvisioned === true,
      deleting: isDeleting,
    }),
    initialized(observed, latches),
    mirrorPart(cluster, controlPlane, {
      type: 'ControlPlaneAvailable',
      from: 'Available',
      kind: cluster.spec?.controlPlaneRef?.kind ?? '',
      done: plane !== undefined && isInitialized(plane),
      was: before?.controlPlaneInitialized === true,
      deleting: isDeleting,
    }),
    connection(observed, latches, now),
    ...topologyReconciled(cluster),
    deleting ?? { type: 'Deleting', status: 'False', reason: 'NotDeleting', message: '' },
  ];
  if (!parts) {
    conditions.push(...stoppedOperation(observed));
    return sortConditions([...conditions, available(observed, conditions, now)]);
  }
  const sets = [...parts.machineDeployments, ...parts.standaloneMachineSets, ...parts.machinePools];
  const scalable = [...(plane ? [plane] : []), ...sets];
  const upToDate = [
    machinesCondition(settledOf(parts.controlPlaneMachines, now), 'ControlPlaneMachinesUpToDate', 'UpToDate'),
    machinesCondition(settledOf(parts.workerMachines, now), 'WorkerMachinesUpToDate', 'UpToDate'),
  ];
  const isUpToDate = upToDate.every(({ status }) => status === 'True');
  const isHistory = observed.operation && isSetBack(observed.operation, scalable, isUpToDate);
  conditions.push(
    workersAvailable(parts),
    machinesCondition(parts.controlPlaneMachines, 'ControlPlaneMachinesReady', 'Ready'),
    machinesCondition(parts.workerMachines, 'WorkerMachinesReady', 'Ready'),
    ...upToDate,
    ...(isHistory ? [] : stoppedOperation(observed)),
    ...['RollingOut', 'ScalingUp', 'ScalingDown', 'Remediating'].map((type) => activity(type, scalable)),
  );
  return sortConditions([...conditions, available(observed, conditions, now)]);
};

/** Later rules win. */
export const phaseOf = ({ cluster }: Observed, latches: Latches, hasEndpoint: boolean): ClusterStatus['phase'] => {
  if (cluster.metadata.deletionTimestamp) return 'Deleting';
  if (latches.infrastructureProvisioned && hasEndpoint) return 'Provisioned';
  if (cluster.spec?.infrastructureRef || cluster.spec?.controlPlaneRef) return 'Provisioning';
  return 'Pending';
};

/** The whole status, except the fields that the reconcile loop fills in. */
export const statusFor = (
  observed: Observed,
  latches: Latches,
  now: number,
  deleting?: ConditionDraft,
): ClusterStatus => {
  const { cluster, infrastructure, controlPlane } = observed;
  const infra = infrastructure && found(infrastructure);
  const plane = controlPlane && found(controlPlane);
  const descendants = countedOf(observed);
  const before = cluster.status ?? {};
  const endpoint = endpointOf(cluster) ?? endpointOf(infra) ?? endpointOf(plane);
  const domains = isTornDown(observed) ? [] : infra && failureDomainsOf(infra);
  const controlPlaneCounts = descendants && controlPlaneCounters(observed, descendants);
  const plan = progressOf(cluster.metadata.annotations)?.plan;
  const initialization = Object.fromEntries(Object.entries(latches).filter(([, on]) => on));
  return {
    conditions: conditionsFor(observed, latches, now, deleting),
    deprecated: { v1beta1: { conditions: legacyConditions(observed, latches) } },
    phase: phaseOf(observed, latches, endpoint !== undefined),
    ...(Object.keys(initialization).length > 0 && { initialization }),
    ...(domains ? domains.length > 0 && { failureDomains: domains } : pick(before, 'failureDomains')),
    ...(controlPlaneCounts
      ? { controlPlane: { ...controlPlaneCounts, ...planFields(plan?.controlPlane) } }
      : controlPlane?.state !== 'absent' && pick(before, 'controlPlane')),
    ...(descendants
      ? { workers: { ...workerCounters(descendants), ...planFields(plan?.workers) } }
      : pick(before, 'workers')),
  };
};

const pick = (status: ClusterStatus, field: keyof ClusterStatus): ClusterStatus =>
  status[field] === undefined ? {} : { [field]: status[field] };
