/** The snapshot of etcd before the control plane changes. Pure. */
import { conditionOf } from '../../../machinery/api/conditions.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Action } from '../../../machinery/api/reconcile.ts';
import { isSameMinor, parseVersion } from '../../common/kubernetes-version.ts';
import { clusterReference } from '../cluster-operation/owner.ts';
import type { OperationStatus } from '../cluster-operation/schema.ts';
import { conditionsOf, oneLine, withCause } from '../shared/cause.ts';
import { type Judgement, pending, skipped } from '../shared/cluster-state.ts';
import { stepOf } from '../shared/progress.ts';
import { runningVersionOf } from '../shared/rollouts.ts';
import type { OperationScope } from '../shared/scope.ts';
import { controlPlaneOf } from './objects.ts';

/** Milliseconds for which a snapshot of the running version is fresh enough, if it is newer than the operation. */
const fresh = 900_000;

interface Gate {
  phase?: string;
  completedAt?: string;
  failedAt?: string;
  kubernetesVersion?: string;
}
const gateOf = ({ status }: KubeObject): Gate => (status ?? {}) as Gate;

const messageOf = (snapshot: KubeObject): string | undefined => {
  const { message, status } = conditionOf(conditionsOf(snapshot), 'Ready') ?? {};
  return message && status !== 'True' ? oneLine(message) : undefined;
};

/** When the step began, in milliseconds. */
const beganAt = ({ now }: OperationScope, status: OperationStatus): number =>
  Date.parse(stepOf(status, 'Snapshot')?.started ?? '') || now;

const isOwn = ({ metadata }: KubeObject, { operation }: OperationScope): boolean =>
  metadata.name.startsWith(`${operation.metadata.name}-snapshot-`);

/** Those that this operation made; one that failed before the step began again does not count. */
const attempts = (scope: OperationScope): KubeObject[] =>
  scope.clusterState.snapshots.filter((one) => isOwn(one, scope));

/** A restore refuses a snapshot of another minor version than the control plane's. */
const isOfRunningMinor = ({ kubernetesVersion = '' }: Gate, scope: OperationScope): boolean => {
  const controlPlane = controlPlaneOf(scope);
  const [taken, running] = [kubernetesVersion, (controlPlane && runningVersionOf(controlPlane)) ?? ''].map(
    parseVersion,
  );
  return taken !== undefined && running !== undefined && isSameMinor(taken, running);
};

/** One that the step had taken counts whatever version answered: members may be of two. */
const isFresh = (snapshot: KubeObject, scope: OperationScope, began: number): boolean => {
  const gate = gateOf(snapshot);
  const completed = Date.parse(gate.completedAt ?? '');
  if (gate.phase !== 'Succeeded') return false;
  if (isOwn(snapshot, scope) && completed >= began) return true;
  const asked = Date.parse(scope.operation.metadata.creationTimestamp ?? '') || began;
  return completed >= Math.max(asked, began - fresh) && isOfRunningMinor(gate, scope);
};

const isOfThisAttempt = (snapshot: KubeObject, scope: OperationScope, began: number): boolean => {
  const { phase, failedAt } = gateOf(snapshot);
  if (phase === 'Succeeded') return isFresh(snapshot, scope, began);
  return phase !== 'Failed' || !(Date.parse(failedAt ?? '') < began);
};

const reasonForNone = (scope: OperationScope): string | undefined => {
  if (!controlPlaneOf(scope)) return 'The control plane keeps its Machines';
  return scope.clusterState.managesEtcd ? undefined : 'Capstan does not manage the etcd of this control plane';
};

export const judgeSnapshot = (scope: OperationScope, status: OperationStatus): Judgement => {
  const none = reasonForNone(scope);
  if (none) return skipped(none);
  const began = beganAt(scope, status);
  const taken = scope.clusterState.snapshots.find((one) => isFresh(one, scope, began));
  if (taken) return skipped(`EtcdSnapshot ${taken.metadata.name}`);
  const current = attempts(scope).find((one) => isOfThisAttempt(one, scope, began));
  if (!current) return pending('waiting for a snapshot of etcd');
  const { name } = current.metadata;
  if (gateOf(current).phase === 'Failed')
    return { verdict: 'refused', message: withCause(`EtcdSnapshot ${name} failed`, messageOf(current)) };
  return pending(withCause(`waiting for EtcdSnapshot ${name}`, messageOf(current)));
};

/** Creates the snapshot, once the step has begun. */
export const takeSnapshot = (scope: OperationScope, status: OperationStatus): Action[] => {
  const { operation, cluster } = scope;
  const step = stepOf(status, 'Snapshot');
  const made = attempts(scope);
  const isNeeded = step?.verdict === 'Running' && reasonForNone(scope) === undefined;
  if (!isNeeded || judgeSnapshot(scope, status).verdict !== 'pending') return [];
  if (made.some((one) => isOfThisAttempt(one, scope, beganAt(scope, status)))) return [];
  const { namespace = '', name } = cluster.metadata;
  const object: KubeObject = {
    apiVersion: 'capstan.dev/v1alpha1',
    kind: 'EtcdSnapshot',
    metadata: {
      namespace,
      name: `${operation.metadata.name}-snapshot-${made.length + 1}`,
      ownerReferences: [clusterReference(cluster)],
    },
    spec: { clusterName: name, reason: 'Upgrade' },
  };
  return [{ do: 'create', object }];
};
