/** The snapshot of etcd before the control plane changes. Pure. */
import { conditionOf } from '../../../machinery/api/conditions.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Action } from '../../../machinery/api/reconcile.ts';
import { clusterReference } from '../cluster-operation/owner.ts';
import type { OperationStatus } from '../cluster-operation/schema.ts';
import { conditionsOf, oneLine, withCause } from '../shared/cause.ts';
import { type Judgement, pending, skipped } from '../shared/cluster-state.ts';
import { stepOf } from '../shared/progress.ts';
import type { OperationScope } from '../shared/scope.ts';
import { controlPlaneOf } from './objects.ts';

/** Milliseconds for which a snapshot that exists already is fresh enough. */
const fresh = 900_000;

interface Gate {
  phase?: string;
  completedAt?: string;
  failedAt?: string;
}
const gateOf = ({ status }: KubeObject): Gate => (status ?? {}) as Gate;

const messageOf = (snapshot: KubeObject): string | undefined => {
  const { message, status } = conditionOf(conditionsOf(snapshot), 'Ready') ?? {};
  return message && status !== 'True' ? oneLine(message) : undefined;
};

/** When the step began, in milliseconds. */
const beganAt = ({ now }: OperationScope, status: OperationStatus): number =>
  Date.parse(stepOf(status, 'Snapshot')?.started ?? '') || now;

/** Those that this operation made; one that failed before the step began again does not count. */
const attempts = ({ operation, clusterState }: OperationScope): KubeObject[] =>
  clusterState.snapshots.filter(({ metadata }) => metadata.name.startsWith(`${operation.metadata.name}-snapshot-`));

const isOfThisAttempt = (snapshot: KubeObject, began: number): boolean => {
  const { phase, failedAt } = gateOf(snapshot);
  return phase !== 'Failed' || !(Date.parse(failedAt ?? '') < began);
};

const isFresh = (snapshot: KubeObject, began: number): boolean => {
  const { phase, completedAt } = gateOf(snapshot);
  return phase === 'Succeeded' && Date.parse(completedAt ?? '') >= began - fresh;
};

const reasonForNone = (scope: OperationScope): string | undefined => {
  if (!controlPlaneOf(scope)) return 'The control plane keeps its Machines';
  return scope.clusterState.managesEtcd ? undefined : 'Capstan does not manage the etcd of this control plane';
};

export const judgeSnapshot = (scope: OperationScope, status: OperationStatus): Judgement => {
  const none = reasonForNone(scope);
  if (none) return skipped(none);
  const began = beganAt(scope, status);
  const taken = scope.clusterState.snapshots.find((one) => isFresh(one, began));
  if (taken) return skipped(`EtcdSnapshot ${taken.metadata.name}`);
  const current = attempts(scope).find((one) => isOfThisAttempt(one, began));
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
  if (made.some((one) => isOfThisAttempt(one, beganAt(scope, status)))) return [];
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
