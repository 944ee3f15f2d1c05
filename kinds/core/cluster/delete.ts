/** Deletion, in strict order: workers, then the control plane, then the infrastructure. Pure. */
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Action, ConditionDraft, Read } from '../../../machinery/api/reconcile.ts';
import { labels } from '../../common/labels.ts';
import { controllerOf, deletionOf, isOwnedBy } from '../../common/owners.ts';
import { holdAmong, holdOf } from '../contract/hold.ts';
import { deletionHookText } from '../contract/lifecycle-hooks.ts';
import { type Descendants, descendantsOf, type Observed } from './observe.ts';

export interface Deletion {
  actions: Action[];
  deleting: ConditionDraft;
  finished: boolean;
  requeueAfter?: number;
}

const deleting = (reason: string, message: string): ConditionDraft => ({
  type: 'Deleting',
  status: 'True',
  reason,
  message,
});

const remove = (object: KubeObject): Action[] => (object.metadata.deletionTimestamp ? [] : [deletionOf(object)]);

/** Seconds. A worker's deletion event wakes the controller; this resync covers a lost event. */
const resyncInterval = 60;

const makers = [labels.deployment, labels.set, labels.pool, labels.controlPlaneName];
/** The object's owner was deleted without it, and no controller adopts it. */
const isOrphan = (object: KubeObject): boolean =>
  !controllerOf(object) && makers.some((label) => object.metadata.labels?.[label] !== undefined);

const listed = (kind: string, objects: KubeObject[]): string[] => {
  if (objects.length === 0) return [];
  const names = objects.map((object) => object.metadata.name).toSorted();
  const rest = names.length - 5;
  const shown = rest > 0 ? `${names.slice(0, 5).join(', ')}, ... (${rest} more)` : names.join(', ');
  return [`* ${kind}${objects.length > 1 ? 's' : ''}: ${shown}`];
};

const workersLeft = ({ machineDeployments, machineSets, machinePools, workerMachines }: Descendants): string[] => [
  ...listed('MachinePool', machinePools),
  ...listed('MachineDeployment', machineDeployments),
  ...listed('MachineSet', machineSets),
  ...listed('Worker Machine', workerMachines),
];

/** The deletion of the listed objects, and what holds one of them. */
const listing = (lines: string[], objects: KubeObject[]): string => {
  const held = holdAmong(objects);
  return [...lines, ...(held === undefined ? [] : [`* ${held}`])].join('\n');
};

const waitForWorkers = ({ cluster }: Observed, descendants: Descendants): Deletion | undefined => {
  const { machineDeployments, machineSets, machinePools, standaloneMachines, workerMachines } = descendants;
  const left = workersLeft(descendants);
  if (left.length === 0) return undefined;
  const children = [...machineDeployments, ...machineSets, ...machinePools, ...standaloneMachines];
  return {
    actions: children.filter((child) => isOwnedBy(child, cluster) || isOrphan(child)).flatMap(remove),
    deleting: deleting('WaitingForWorkersDeletion', listing(left, [...children, ...workerMachines])),
    finished: false,
    requeueAfter: resyncInterval,
  };
};

/**
 * A control plane deletes its own Machines. These belong to a control plane that is gone, or to
 * none.
 */
const waitForControlPlaneMachines = ({ controlPlaneMachines }: Descendants): Deletion | undefined => {
  if (controlPlaneMachines.length === 0) return undefined;
  return {
    actions: controlPlaneMachines.filter((machine) => !controllerOf(machine)).flatMap(remove),
    deleting: deleting(
      'WaitingForControlPlaneDeletion',
      listing(listed('Control plane Machine', controlPlaneMachines), controlPlaneMachines),
    ),
    finished: false,
    requeueAfter: resyncInterval,
  };
};

/** Undefined once the object is definitely absent, or if the Cluster never referred to one. */
const waitFor = (read: Read<KubeObject> | undefined, reason: string): Deletion | undefined => {
  if (!read || read.state === 'absent') return undefined;
  if (read.state !== 'found') {
    const why = read.state === 'unreadable' ? read.reason : 'not read yet';
    return {
      actions: [],
      deleting: deleting('InternalError', `Please check controller logs for errors: ${why}`),
      finished: false,
    };
  }
  const { kind, metadata } = read.value;
  const hold = holdOf(read.value);
  const state = metadata.deletionTimestamp ? 'is being deleted' : 'will be deleted';
  const message = `${kind} ${metadata.name} ${state}${hold ? `, and ${hold}` : ''}`;
  return { actions: remove(read.value), deleting: deleting(reason, message), finished: false };
};

/** No event announces that an extension is gone. */
const waitForHook = ({ cluster, awaitsHook }: Observed): Deletion | undefined =>
  awaitsHook
    ? {
        actions: [],
        deleting: deleting('WaitingForBeforeDeleteHook', deletionHookText(cluster)),
        finished: false,
        requeueAfter: resyncInterval,
      }
    : undefined;

export const decideDeletion = (observed: Observed): Deletion => {
  const descendants = descendantsOf(observed);
  if (!descendants) {
    return {
      actions: [],
      deleting: deleting('InternalError', 'The objects of the cluster cannot be read'),
      finished: false,
    };
  }
  return (
    waitForHook(observed) ??
    waitForWorkers(observed, descendants) ??
    waitFor(observed.controlPlane, 'WaitingForControlPlaneDeletion') ??
    waitForControlPlaneMachines(descendants) ??
    waitFor(observed.infrastructure, 'WaitingForInfrastructureDeletion') ?? {
      actions: [],
      deleting: deleting('DeletionCompleted', 'Deletion completed'),
      finished: true,
    }
  );
};
