/** The tasks of a restore: each waits, as long as there is progress, until its step is done. Pure. */

import { timestamp } from '../../../machinery/api/lifecycle.ts';
import { providerIdOf } from '../../core/contract/machine.ts';
import type { OperationStatus } from '../cluster-operation/schema.ts';
import { decidedAnswer, stopStep } from '../shared/answers.ts';
import { isControlPlaneMachine } from '../shared/cause.ts';
import { deadlineOf, elapsed, running } from '../shared/clock.ts';
import type { Judgement } from '../shared/cluster-state.ts';
import { cancelledByUser } from '../shared/messages.ts';
import { begun, type Course, decided, onwards, stepOf, waiting } from '../shared/progress.ts';
import { pollInterval } from '../shared/removal.ts';
import { remainingIn } from '../shared/rollouts.ts';
import type { OperationScope, Outcome } from '../shared/scope.ts';
import { noteCheckedSpec } from './checked-spec.ts';
import { copiesIn } from './disks.ts';
import { isEndedByUser, isServing } from './messages.ts';
import { endedHostsIn } from './nodes.ts';
import { snapshotIn, snapshotStatusOf } from './obstacle.ts';
import { controlPlaneIn } from './parts.ts';
import { restoreDeadlineOf } from './policy.ts';
import { savedIn } from './present.ts';
import { type RestoreStep, restoreSteps } from './step-names.ts';
import { controlPlaneMachinesIn, judgeRestore, prepare, replaceLost } from './steps.ts';
import { endRestore, moveRestore } from './targets.ts';
import { followersLeft, restoredBy } from './workers.ts';
import { servingSince, unjoinedIn } from './younger.ts';

/** No event announces what these wait for. */
const polled: readonly RestoreStep[] = ['Preflight', 'StopMembers', 'Verify'];

/** What the later steps need of the snapshot, which may be deleted meanwhile. */
const noteSnapshot = (scope: OperationScope, status: OperationStatus): OperationStatus => {
  const snapshot = snapshotIn(scope);
  if (status.snapshot || !snapshot) return status;
  const { location, checksum, revision = 0, completedAt, etcdVersion, kubernetesVersion } = snapshotStatusOf(snapshot);
  if (!location || !checksum) return status;
  const noted = {
    location,
    checksum,
    revision,
    ...(completedAt && { completedAt }),
    ...(etcdVersion && { etcdVersion }),
    ...(kubernetesVersion && { kubernetesVersion }),
  };
  return { ...status, snapshot: noted };
};

/** What the first step judges is what the others build: the spec may change meanwhile. */
const noteVersion = (scope: OperationScope, status: OperationStatus): OperationStatus => {
  const { version } = (controlPlaneIn(scope)?.spec ?? {}) as { version?: string };
  return version === undefined ? status : { ...status, version };
};

/** The way back, which the messages offer. */
const notePresent = (scope: OperationScope, status: OperationStatus): OperationStatus => {
  const before = savedIn(scope);
  return before === undefined ? status : { ...status, before };
};

/** Where the data is of an etcd that did not answer, which the messages name. */
const noteDisks = (scope: OperationScope, status: OperationStatus): OperationStatus => {
  const copies = copiesIn(scope);
  return copies ? { ...status, disks: copies.disks, disksUntil: copies.until } : status;
};

/** The hosts that must be proven off: those of every Machine that the cluster has had since the restore began. */
const noteHosts = (scope: OperationScope, status: OperationStatus): OperationStatus => {
  const seen = [...controlPlaneMachinesIn(scope), ...scope.clusterState.infraMachines.filter(isControlPlaneMachine)];
  const ids = [...seen.flatMap((one) => providerIdOf(one) ?? []), ...(status.hosts ?? [])];
  const hosts = [...new Set(ids)].sort();
  return hosts.length > 0 ? { ...status, hosts } : status;
};

/** The control plane deletes the Nodes of these hosts, too. */
const noteEndedHosts = (scope: OperationScope, status: OperationStatus): OperationStatus => {
  const hosts = [...new Set([...(status.hosts ?? []), ...endedHostsIn(scope)])].sort();
  return hosts.length > 0 ? { ...status, hosts } : status;
};

const enter = (before: OperationStatus, name: RestoreStep, now: number): OperationStatus => {
  if (stepOf(before, name)) return { ...before, step: name, phase: 'Running' };
  const { deadline: _, remaining: __, ...rest } = before;
  return { ...begun(rest, name, now), phase: 'Running', clock: running({ seconds: 0 }, now) };
};

const remainingOf = (scope: OperationScope, status: OperationStatus, name: RestoreStep): number | undefined => {
  const { rollouts } = scope.clusterState;
  if (name === 'StopMembers') return controlPlaneMachinesIn(scope).length;
  const rollout = rollouts.find(({ isControlPlane }) => isControlPlane);
  if ((name !== 'Join' && name !== 'Verify') || !rollout) return undefined;
  const followers = followersLeft(scope.clusterState, restoredBy(rollout.object, status.snapshot));
  const unjoined = unjoinedIn(scope.clusterState.machines, servingSince(status, scope.now));
  return remainingIn(rollout) + unjoined.length + followers;
};

/** Restarts the clock whenever fewer Machines are left to remove or to join than ever before. */
const noteProgress = (scope: OperationScope, status: OperationStatus, name: RestoreStep): OperationStatus => {
  const remaining = remainingOf(scope, status, name);
  if (remaining === undefined || (status.remaining !== undefined && remaining >= status.remaining)) return status;
  const isFirst = status.remaining === undefined;
  return { ...status, remaining, ...(!isFirst && { clock: running({ seconds: 0 }, scope.now) }) };
};

const expecting = (
  scope: OperationScope,
  before: OperationStatus,
  name: RestoreStep,
  waitsFor: string,
  reason?: string,
): { status: OperationStatus; due: number } => {
  const { now, cluster } = scope;
  const { deadline: _, ...status } = noteProgress(scope, waiting(before, name, waitsFor, reason), name);
  const seconds = restoreDeadlineOf(cluster);
  const clock = running(status.clock, now);
  const due = deadlineOf(clock, seconds) ?? now;
  return { status: { ...status, clock, deadline: timestamp(due), message: `${name}: ${waitsFor}` }, due };
};

const wait = (
  scope: OperationScope,
  before: OperationStatus,
  name: RestoreStep,
  { waitsFor, reason }: Extract<Judgement, { verdict: 'pending' }>,
): Outcome => {
  const { now, cluster } = scope;
  const { status, due } = expecting(scope, before, name, waitsFor, reason);
  if (elapsed(status.clock, now) >= restoreDeadlineOf(cluster))
    return stopStep(status, name, 'DeadlineExceeded', waitsFor, now);
  const left = (due - now) / 1000;
  return {
    status,
    actions: [
      ...moveRestore(scope, status),
      ...(name === 'Preflight' ? prepare(scope) : []),
      ...(name === 'Verify' ? replaceLost(scope, status) : []),
    ],
    requeueAfter: polled.includes(name) ? Math.min(left, pollInterval) : left,
  };
};

/** A step that the same pass has begun waits for what its target brings about. */
const judgementOf = (scope: OperationScope, status: OperationStatus, name: RestoreStep): Judgement => {
  if (name === 'Preflight' || moveRestore(scope, status).length === 0) return judgeRestore[name](scope, status);
  return { verdict: 'pending', waitsFor: 'waiting for the control plane to begin' };
};

const courseOf = (scope: OperationScope, status: OperationStatus): Course<RestoreStep> => ({
  steps: restoreSteps,
  judge: (step) => judgementOf(scope, enter(status, step, scope.now), step),
  enter: (before, step) => enter(before, step, scope.now),
  wait: (before, step, waitsFor) => expecting(scope, before, step, waitsFor).status,
  now: scope.now,
});

/**
 * Before anything was stopped, and once the snapshot serves, the operation ends at once. In between it
 * is held: only a restore brings the control plane back.
 */
const cancel = (scope: OperationScope, status: OperationStatus, name: RestoreStep): Outcome => {
  const { now, operation } = scope;
  const because = cancelledByUser(operation);
  if (name !== 'Preflight' && !isServing(status)) return stopStep(status, name, 'Refused', because, now);
  return {
    status: decided(status, name, 'Cancelled', because, now),
    answer: { error: 'Cancelled', cause: because },
    actions: isServing(status) ? endRestore(scope, status) : [],
  };
};

export const restoreTask = (scope: OperationScope, before: OperationStatus, name: RestoreStep): Outcome => {
  const { now } = scope;
  const known = stepOf(before, name);
  const answer = known && decidedAnswer(known);
  const isEnded = (status: OperationStatus) => stepOf(status, 'Verify')?.verdict === 'Succeeded';
  const moving = (status: OperationStatus) =>
    isEnded(status) ? endRestore(scope, status) : moveRestore(scope, status);
  if (answer) return { status: before, answer, actions: moving(before) };
  const entered = enter(before, name, now);
  if (isEndedByUser(scope.operation)) return cancel(scope, entered, name);
  const isEarly = name === 'Preflight' || name === 'StopMembers';
  const noted = isEarly ? noteHosts(scope, entered) : name === 'Verify' ? noteEndedHosts(scope, entered) : entered;
  const proved = name === 'Preflight' ? noteDisks(scope, noteCheckedSpec(scope, noteVersion(scope, noted))) : noted;
  const status = notePresent(scope, noteSnapshot(scope, proved));
  const judgement = judgementOf(scope, status, name);
  switch (judgement.verdict) {
    case 'done': {
      const decision = decided(status, name, 'Succeeded', judgement.message, now);
      const next = onwards(courseOf(scope, decision), decision, name);
      return { status: next, answer: { output: {} }, actions: moving(next) };
    }
    case 'refused':
      return stopStep(status, name, 'Refused', judgement.message, now);
    case 'pending':
      return wait(scope, status, name, judgement);
    default:
      throw new Error(`unknown judgement ${judgement satisfies never}`);
  }
};
