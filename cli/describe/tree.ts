/** The ownership tree of a cluster, as `clusterctl describe cluster` shows it. Pure: objects in, tree out. */

import type { ScalingPlan } from '../../kinds/autoscaling/scaling-plan/index.ts';
import { operationAnnotations } from '../../kinds/core/contract/target.ts';
import type { ClusterOperation } from '../../kinds/operations/cluster-operation/index.ts';
import { troubleOf } from '../../kinds/operations/shared/cause.ts';
import type { UpgradeCheck } from '../../kinds/operations/upgrade-check/index.ts';
import type { Condition, KubeObject } from '../../machinery/api/object.ts';
import { insightRows } from './insights.ts';
import { row, type TreeNode } from './node.ts';
import { operationRow, type Steps } from './operation.ts';
import { poolRows } from './pools.ts';

export interface Ref {
  apiGroup: string;
  kind: string;
  name: string;
}

/** An object's reference to a missing object. */
export interface Missing {
  /** The UID of the referring object. */
  owner: string;
  ref: Ref;
}

/** All objects of one cluster, in any order. */
export interface ClusterObjects {
  cluster: KubeObject;
  /** The running or the last operation. */
  operation: ClusterOperation | undefined;
  infrastructure: KubeObject | undefined;
  controlPlane: KubeObject | undefined;
  machineDeployments: KubeObject[];
  /** Absent if they were not read. */
  machinePools?: KubeObject[];
  machines: KubeObject[];
  /** The infrastructure and bootstrap configs of pools, and of machines that are not ready; absent if they were not read. */
  machineParts?: KubeObject[];
  /** Absent if they were not searched for. */
  missingTemplates?: Missing[];
  machineSets: KubeObject[];
  /** Absent if they were not read. */
  healthChecks?: KubeObject[];
  binding: KubeObject | undefined;
  /** Absent without a pool that Capstan scales. */
  scalingPlan?: ScalingPlan | undefined;
  /** Absent before the first check. */
  upgradeCheck?: UpgradeCheck | undefined;
}

type Status = {
  conditions?: Condition[];
  replicas?: number;
  readyReplicas?: number;
  availableReplicas?: number;
  upToDateReplicas?: number;
  controlPlane?: Counts;
  workers?: Counts;
};
type Counts = {
  desiredReplicas?: number;
  replicas?: number;
  readyReplicas?: number;
  availableReplicas?: number;
  upToDateReplicas?: number;
};

const statusOf = (object: KubeObject): Status => (object.status ?? {}) as Status;
const conditionOf = (object: KubeObject, type: string) => statusOf(object).conditions?.find((c) => c.type === type);
const isTrue = (object: KubeObject, type: string) => conditionOf(object, type)?.status === 'True';

/** The row of an object with its main condition; a deletion is shown before anything else. */
const objectRow = (
  label: string,
  object: KubeObject,
  type: 'Available' | 'Ready',
  children: TreeNode[] = [],
): TreeNode => {
  const deleting = conditionOf(object, 'Deleting');
  // Control planes of other providers may say no more than that they are ready.
  const main = conditionOf(object, type) ?? conditionOf(object, 'Ready');
  const shown = deleting?.status === 'True' ? deleting : main;
  if (!shown && !object.metadata.deletionTimestamp) {
    const message = 'No controller has reconciled it yet';
    return { ...row(label, children), status: `${type}: Unknown`, reason: 'NotReconciledYet', message };
  }
  return {
    ...row(label, children),
    status: shown ? `${shown.type}: ${shown.status}` : object.metadata.deletionTimestamp ? 'Deleting' : '',
    reason: shown?.reason ?? '',
    since: shown?.lastTransitionTime ?? object.metadata.deletionTimestamp,
    message: shown && (shown.status !== 'True' || shown.type === 'Deleting') ? (shown.message ?? '') : '',
  };
};

/** The row of a missing referenced object. */
const missingRow = (role: string, { kind, name }: Ref): TreeNode => ({
  ...row(`${role} - ${kind}/${name}`),
  status: 'Missing',
  reason: 'NotFound',
  message: `${kind} ${name} does not exist in this namespace`,
});

const isLeaving = ({ metadata }: KubeObject): boolean =>
  metadata.deletionTimestamp !== undefined || metadata.annotations?.[operationAnnotations.target] === 'Nothing';

const counted = (node: TreeNode, desired: number | undefined, counts: Counts): TreeNode => ({
  ...node,
  replicas: `${counts.replicas ?? 0}/${desired ?? 0}`,
  available: `${counts.availableReplicas ?? 0}`,
  ready: `${counts.readyReplicas ?? 0}`,
  upToDate: `${counts.upToDateReplicas ?? 0}`,
});

const ownedBy = (uids: Set<string>) => (object: KubeObject) =>
  object.metadata.ownerReferences?.some((owner) => owner.controller && uids.has(owner.uid)) ?? false;

interface MachineSpec {
  infrastructureRef?: Ref;
  bootstrap?: { configRef?: Ref };
}
type WithParts = MachineSpec & { template?: { spec?: MachineSpec } };

/** What a Machine names, or a MachinePool for its hosts. */
export const partsOf = ({ spec = {} }: KubeObject): Ref[] => {
  const { template, ...own } = spec as WithParts;
  const { infrastructureRef, bootstrap } = template?.spec ?? own;
  return [infrastructureRef, bootstrap?.configRef].filter((ref) => ref !== undefined);
};

const roleOf = (group: string): string =>
  group.startsWith('bootstrap.') ? 'BootstrapConfig' : 'MachineInfrastructure';
const mainTypeOf = ({ kind }: KubeObject): 'Available' | 'Ready' => (kind === 'MachinePool' ? 'Available' : 'Ready');

const missingPartRows = (machine: KubeObject, parts: KubeObject[]): TreeNode[] => {
  if (isTrue(machine, mainTypeOf(machine)) || isLeaving(machine)) return [];
  const isAbsent = ({ kind, name }: Ref) => !parts.some((part) => part.kind === kind && part.metadata.name === name);
  return partsOf(machine)
    .filter(isAbsent)
    .map((ref) => missingRow(roleOf(ref.apiGroup), ref));
};

/** A condition that is False while the part is Ready, such as that of a host's boot scripts. */
const troubleRows = (label: string, part: KubeObject): TreeNode[] => {
  const condition = troubleOf(part)?.condition;
  if (!condition) return [];
  const { type, status, reason = '', lastTransitionTime: since, message = '' } = condition;
  return [{ ...row(label), status: `${type}: ${status}`, reason, since, message }];
};

/** A part of a machine, or of a pool, that explains more than it: not ready, for another reason. */
const partRows = (machine: KubeObject, parts: KubeObject[] | undefined): TreeNode[] => {
  if (!parts) return [];
  const own = conditionOf(machine, mainTypeOf(machine));
  const rows = parts.filter(ownedBy(new Set([machine.metadata.uid ?? '']))).flatMap((part) => {
    const ready = conditionOf(part, 'Ready');
    if (!ready || (ready.status === own?.status && ready.reason === own.reason)) return [];
    const label = `${roleOf(part.apiVersion)} - ${part.kind}/${part.metadata.name}`;
    if (ready.status === 'True') return troubleRows(label, part);
    const shown = objectRow(label, part, 'Ready');
    // A Ready condition that counts steps says less than the step it waits for.
    const cause = statusOf(part).conditions?.find(({ type, reason }) => type !== 'Ready' && reason === ready.reason);
    return [{ ...shown, message: cause?.message || shown.message }];
  });
  return [...missingPartRows(machine, parts), ...rows];
};

const flag = (on: boolean) => (on ? '1' : '0');
const machineRow = (machine: KubeObject, parts: KubeObject[] | undefined): TreeNode => ({
  ...objectRow(`Machine/${machine.metadata.name}`, machine, 'Ready', partRows(machine, parts)),
  replicas: '1',
  available: flag(isTrue(machine, 'Available')),
  ready: flag(isTrue(machine, 'Ready')),
  // Of a Machine that stands for a host of a pool, the pool says it.
  upToDate: conditionOf(machine, 'UpToDate') ? flag(isTrue(machine, 'UpToDate')) : '',
});

const byName = (a: KubeObject, b: KubeObject): number => (a.metadata.name < b.metadata.name ? -1 : 1);

/** Equal machines share a row: `3 Machines...`. */
const machineRows = (machines: KubeObject[], parts: KubeObject[] | undefined): TreeNode[] => {
  const groups = new Map<string, KubeObject[]>();
  for (const machine of [...machines].sort(byName)) {
    const key = ['Ready', 'Available', 'UpToDate', 'Deleting']
      .map((type) => conditionOf(machine, type)?.status ?? '')
      .join();
    groups.set(key, [...(groups.get(key) ?? []), machine]);
  }
  return [...groups.values()].map((group) => {
    const rows = group.map((machine) => machineRow(machine, parts));
    const first = rows[0]!;
    if (rows.length === 1) return first;
    const total = (type: string) => `${group.filter((machine) => isTrue(machine, type)).length}`;
    const names = group.map((machine) => machine.metadata.name);
    return {
      ...first,
      label: `${group.length} Machines...`,
      standsFor: rows.map(({ label }) => label),
      replicas: `${group.length}`,
      available: total('Available'),
      ready: total('Ready'),
      upToDate: first.upToDate && total('UpToDate'),
      message: first.message || `See ${names.slice(0, 3).join(', ')}${names.length > 3 ? ', ...' : ''}`,
    };
  });
};

/** A MachineHealthCheck that keeps unhealthy Machines: why, since when, and which. */
const deferralRows = (check: KubeObject): TreeNode[] => {
  const deferred = conditionOf(check, 'RemediationDeferred');
  const allowed = conditionOf(check, 'RemediationAllowed');
  const shown = deferred?.status === 'True' ? deferred : allowed?.status === 'False' ? allowed : undefined;
  if (!shown) return [];
  const { type, status, reason = '', lastTransitionTime: since, message = '' } = shown;
  return [
    { ...row(`MachineHealthCheck/${check.metadata.name}`), status: `${type}: ${status}`, reason, since, message },
  ];
};

const desiredOf = (object: KubeObject) => (object.spec as { replicas?: number } | undefined)?.replicas;

export const clusterTree = (objects: ClusterObjects, steps: Steps = 'all'): TreeNode => {
  const {
    cluster,
    operation,
    infrastructure,
    controlPlane,
    machineDeployments,
    machinePools = [],
    machineSets,
    healthChecks = [],
    machines,
    machineParts,
    missingTemplates = [],
    binding,
    scalingPlan,
    upgradeCheck,
  } = objects;
  const { infrastructureRef, controlPlaneRef } = (cluster.spec ?? {}) as {
    infrastructureRef?: Ref;
    controlPlaneRef?: Ref;
  };
  const templatesOf = ({ metadata: { uid = '' } }: KubeObject) =>
    missingTemplates.filter(({ owner }) => owner === uid).map(({ ref }) => missingRow('Template', ref));
  const isControlPlane = (machine: KubeObject) =>
    machine.metadata.labels?.['cluster.x-k8s.io/control-plane'] !== undefined;
  const status = statusOf(cluster);
  const sum = (field: keyof Counts) => (status.controlPlane?.[field] ?? 0) + (status.workers?.[field] ?? 0);
  const shown = new Set<KubeObject>();
  const take = (list: KubeObject[]) => {
    for (const machine of list) shown.add(machine);
    return machineRows(list, machineParts);
  };

  const children: TreeNode[] = operation ? [operationRow(operation, steps)] : [];
  if (infrastructure) {
    children.push(
      objectRow(
        `ClusterInfrastructure - ${infrastructure.kind}/${infrastructure.metadata.name}`,
        infrastructure,
        'Ready',
      ),
    );
  } else if (infrastructureRef && !isLeaving(cluster)) {
    children.push(missingRow('ClusterInfrastructure', infrastructureRef));
  }
  const controlPlaneMachines = take(machines.filter(isControlPlane));
  if (controlPlane) {
    const label = `ControlPlane - ${controlPlane.kind}/${controlPlane.metadata.name}`;
    const node = objectRow(label, controlPlane, 'Available', [...templatesOf(controlPlane), ...controlPlaneMachines]);
    children.push(counted(node, desiredOf(controlPlane), statusOf(controlPlane)));
  } else if (controlPlaneRef && !isLeaving(cluster)) {
    children.push({ ...missingRow('ControlPlane', controlPlaneRef), children: controlPlaneMachines });
  } else if (controlPlaneMachines.length > 0) children.push(row('ControlPlane', controlPlaneMachines));

  const deployments = [...machineDeployments].sort(byName).map((deployment) => {
    const sets = machineSets.filter(ownedBy(new Set([deployment.metadata.uid ?? ''])));
    const owned = machines.filter(ownedBy(new Set(sets.map((set) => set.metadata.uid ?? ''))));
    const below = [...templatesOf(deployment), ...take(owned)];
    const node = objectRow(`MachineDeployment/${deployment.metadata.name}`, deployment, 'Available', below);
    return counted(node, desiredOf(deployment), statusOf(deployment));
  });
  const pools = [...machinePools].sort(byName).map((pool) => {
    const owned = machines.filter(ownedBy(new Set([pool.metadata.uid ?? ''])));
    const below = [...partRows(pool, machineParts), ...take(owned)];
    const node = objectRow(`MachinePool/${pool.metadata.name}`, pool, 'Available', below);
    return counted(node, desiredOf(pool), statusOf(pool));
  });
  const others = machineRows(
    machines.filter((machine) => !shown.has(machine)),
    machineParts,
  );
  const workers = [...deployments, ...pools];
  if (workers.length > 0) children.push(row('Workers', workers));
  if (others.length > 0) children.push(row('Other', others));

  children.push(...healthChecks.flatMap(deferralRows));

  if (scalingPlan)
    children.push(objectRow(`ScalingPlan/${scalingPlan.metadata.name}`, scalingPlan, 'Ready', poolRows(scalingPlan)));

  if (upgradeCheck) children.push(...insightRows(upgradeCheck, operation));

  const sets = (
    binding?.spec as { bindings?: { clusterResourceSetName: string; resources?: { applied: boolean }[] }[] } | undefined
  )?.bindings;
  if (sets && sets.length > 0) {
    const rows = sets.map(({ clusterResourceSetName, resources = [] }) => ({
      ...row(`ClusterResourceSet/${clusterResourceSetName}`),
      status: `Applied: ${resources.length > 0 && resources.every((resource) => resource.applied) ? 'True' : 'False'}`,
    }));
    children.push(row('ClusterResourceSets', rows));
  }

  const root = objectRow(`Cluster/${cluster.metadata.name}`, cluster, 'Available', children);
  return counted(root, sum('desiredReplicas'), {
    replicas: sum('replicas'),
    availableReplicas: sum('availableReplicas'),
    readyReplicas: sum('readyReplicas'),
    upToDateReplicas: sum('upToDateReplicas'),
  });
};
