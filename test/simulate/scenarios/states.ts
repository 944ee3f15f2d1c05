/** The states in which users act, and the possible actions in each. */

import type { KubeadmControlPlane } from '../../../kinds/controlplane-kubeadm/kubeadm-control-plane/index.ts';
import type { MachineDeployment } from '../../../kinds/core/machine-deployment/index.ts';
import type { ClusterOperation } from '../../../kinds/operations/cluster-operation/index.ts';
import { createSteps } from '../../../kinds/operations/create/steps.ts';
import { deleteSteps } from '../../../kinds/operations/delete/steps.ts';
import type { Mirror } from '../mirror.ts';
import { type ActionName, actionNames } from './actions.ts';

export const workersChange = 'workers change';
export const controlPlaneChanges = 'control plane changes';
export const rest = 'rest';

/** In the order of a life. */
export const states: readonly string[] = [
  ...createSteps.map((step) => `create ${step}`),
  workersChange,
  controlPlaneChanges,
  rest,
  ...deleteSteps.map((step) => `delete ${step}`),
];
const created: readonly string[] = [workersChange, controlPlaneChanges, rest];
export const isAfterCreation = (state: string) => created.includes(state);
export const isDeletion = (state: string) => state.startsWith('delete ');

/** Actions that create nothing after the users deleted the cluster. */
const whileDeleting: readonly ActionName[] = [
  'scale workers',
  'scale control plane',
  'pause',
  'delete a machine',
  'terminate an instance',
  'interrupt a spot instance',
  'lose an etcd member',
  'edit tags',
  'change AWS resources manually',
  'delete the infrastructure of a machine',
  'cancel the operation',
  'lose a token',
  'start a task twice',
  'crash a task',
  'stop the execution',
  'deny access',
];
/** Actions on operations. */
export const ofOperations: readonly ActionName[] = [
  'cancel the operation',
  'stop the execution',
  'lose a token',
  'deny access',
];
export const actionsAt = (state: string): readonly ActionName[] => (isDeletion(state) ? whileDeleting : actionNames);

const isChanging = ({ spec, status, metadata }: KubeadmControlPlane | MachineDeployment): boolean =>
  [status?.replicas, status?.upToDateReplicas, status?.availableReplicas].some((count) => count !== spec?.replicas) ||
  status?.observedGeneration !== metadata.generation;

/** The current operation of a cluster of that name in namespace default. */
export const operationOf = (mirror: Mirror, name: string): ClusterOperation | undefined =>
  mirror
    .all<ClusterOperation>('ClusterOperation')
    .find(
      ({ metadata, spec, status }) =>
        metadata.namespace === 'default' &&
        spec?.clusterName === name &&
        ['Pending', 'Running', 'Paused'].includes(status?.phase ?? ''),
    );

/** The state of a cluster of that name in namespace default. */
export const stateOf = (mirror: Mirror, name: string): string => {
  const operation = operationOf(mirror, name);
  if (operation) {
    const { spec, status } = operation;
    return `${spec?.type} ${status?.step ?? (spec?.type === 'create' ? createSteps : deleteSteps)[0]}`;
  }
  if (!mirror.get('Cluster', 'default', name)) return 'nothing';
  const controlPlane = mirror.get<KubeadmControlPlane>('KubeadmControlPlane', 'default', `${name}-control-plane`);
  if (controlPlane && isChanging(controlPlane)) return controlPlaneChanges;
  const deployment = mirror.get<MachineDeployment>('MachineDeployment', 'default', `${name}-workers`);
  return deployment && isChanging(deployment) ? workersChange : rest;
};
