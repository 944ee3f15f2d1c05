/** The steps of a restore. Pure. */

import { conditionOf, isTrue } from '../../../machinery/api/conditions.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Action } from '../../../machinery/api/reconcile.ts';
import { listOf } from '../../common/list-of.ts';
import { controllerOf, deletionOf } from '../../common/owners.ts';
import { isOfRestore, restoredRevisionOf, revisionBump } from '../../core/contract/restore.ts';
import type { OperationStatus } from '../cluster-operation/schema.ts';
import { causeOfMachines, conditionsOf, isControlPlaneMachine, oneLine, withCause } from '../shared/cause.ts';
import { done, type Judgement, pending, skipped, unless } from '../shared/cluster-state.ts';
import { isComplete, type Rollout, servingIn } from '../shared/rollouts.ts';
import type { OperationScope } from '../shared/scope.ts';
import { availableWithout } from './beyond.ts';
import { changedSpec } from './checked-spec.ts';
import { askForKeys, judgeKeys } from './keys.ts';
import { obstacleToRestore, skewOf, snapshotIn, snapshotStatusOf } from './obstacle.ts';
import { controlPlaneIn } from './parts.ts';
import { judgePresent, savePresent } from './present.ts';
import { askForProof, judgeFile } from './proof.ts';
import type { RestoreStep } from './step-names.ts';
import { awaitedFollower, obstacleInWorkers, restoredBy } from './workers.ts';
import { lostIn, nextLost, replacementOf, servingSince, unjoinedIn, youngerThan } from './younger.ts';

export type JudgeRestore = (scope: OperationScope, status: OperationStatus) => Judgement;

const refused = (message: string): Judgement => ({ verdict: 'refused', message });
const machinesIn = (machines: readonly KubeObject[]): string =>
  listOf(machines.map(({ metadata }) => `Machine ${metadata.name}`).sort());

export const controlPlaneMachinesIn = ({ clusterState }: Pick<OperationScope, 'clusterState'>): KubeObject[] =>
  clusterState.machines.filter(isControlPlaneMachine);

const isOwn = ({ operation }: OperationScope, machine: KubeObject): boolean =>
  isOfRestore(machine, { uid: operation.metadata.uid ?? '' });

/** Machines that no control plane would delete: their etcd would go on. */
const unownedMachinesIn = (scope: OperationScope, controlPlane: KubeObject): KubeObject[] =>
  controlPlaneMachinesIn(scope).filter((machine) => controllerOf(machine)?.uid !== controlPlane.metadata.uid);

const providerIn = ({ clusterState: { managesEtcd, etcdVersion } }: OperationScope) => ({
  managesEtcd: () => managesEtcd,
  etcdVersion: () => etcdVersion,
});

/** What the spec asks for since Preflight, and the first Machine would be built with. */
const skewSince = (scope: OperationScope, { snapshot }: OperationStatus): string | undefined => {
  const controlPlane = controlPlaneIn(scope);
  if (!controlPlane || snapshot?.kubernetesVersion === undefined) return undefined;
  return skewOf({ name: scope.spec.snapshot ?? '', ...snapshot }, { controlPlane, provider: providerIn(scope) });
};

/** Whether the restore may begin. */
const admission = (scope: OperationScope): Judgement => {
  const { clusterState, cluster, preflight: infrastructure } = scope;
  const snapshot = snapshotIn(scope);
  if (!snapshot) return refused(`EtcdSnapshot ${scope.spec.snapshot} is not there`);
  const controlPlane = controlPlaneIn(scope);
  const obstacle = obstacleToRestore({ cluster, controlPlane, snapshot, provider: providerIn(scope) });
  if (obstacle !== undefined) return refused(obstacle);
  const unowned = unownedMachinesIn(scope, controlPlane!);
  if (unowned.length > 0)
    return refused(
      `${machinesIn(unowned)} are not of ${controlPlane?.kind} ${controlPlane?.metadata.name}: delete them first`,
    );
  const restored = restoredBy(controlPlane, snapshotStatusOf(snapshot));
  const inWorkers = restored && obstacleInWorkers(clusterState, restored);
  if (inWorkers !== undefined) return refused(inWorkers);
  const rollout = clusterState.rollouts.find(({ isControlPlane }) => isControlPlane);
  if (rollout && !rollout.takesPart) return refused(`${controlPlane?.kind} ${controlPlane?.metadata.name} is paused`);
  const [foreign] = clusterState.foreign;
  if (foreign) return refused(`the provider of ${foreign.kind} ${foreign.metadata.name} does not tell which hosts run`);
  if (!infrastructure) return done;
  const { verdict, message } = infrastructure;
  switch (verdict) {
    case 'passed':
      return done;
    case 'pending':
    case 'absent':
      return pending(message);
    case 'refused':
      return refused(message);
    default:
      throw new Error(`unknown verdict ${verdict satisfies never}`);
  }
};

/** The file is proven, and the present saved, only for a restore that nothing else speaks against. */
const preflight: JudgeRestore = (scope) => {
  for (const judge of [admission, judgeFile]) {
    const judgement = judge(scope);
    if (judgement.verdict !== 'done') return judgement;
  }
  const keys = judgeKeys(scope);
  if (keys.verdict !== 'done') return keys;
  const judgement = judgePresent(scope);
  if (judgement.verdict !== 'done') return judgement;
  const { completedAt } = snapshotStatusOf(snapshotIn(scope)!);
  const younger = replacementOf(youngerThan(scope.clusterState.machines, completedAt));
  const messages = [keys.message, judgement.message, younger].filter((one) => one !== undefined);
  return messages.length > 0 ? skipped(messages.join('. ')) : done;
};

/** What the first step needs from others. */
export const prepare = (scope: OperationScope): Action[] => {
  if (admission(scope).verdict !== 'done') return [];
  if (judgeFile(scope).verdict !== 'done') return askForProof(scope);
  return judgeKeys(scope).verdict === 'done' ? savePresent(scope) : askForKeys(scope);
};

/** Only the account's own answer proves that the old etcd is off: an object may be gone before its host. */
const stopMembers: JudgeRestore = (scope, status) => {
  const { clusterState } = scope;
  const changed = skewSince(scope, status) ?? changedSpec(scope, status);
  if (changed !== undefined) return pending(changed);
  const old = controlPlaneMachinesIn(scope).filter((machine) => !isOwn(scope, machine));
  if (old.length > 0)
    return pending(withCause(`waiting for ${machinesIn(old)} to be gone`, causeOfMachines(old, clusterState)));
  const { hostsLeft } = clusterState;
  switch (hostsLeft.state) {
    case 'found':
      return unless(hostsLeft.value.length === 0, () => `waiting for ${listOf(hostsLeft.value)} to be terminated`);
    case 'unreadable':
      return pending(`it is not known whether old control-plane hosts are off: ${hostsLeft.reason}`);
    case 'unread':
    case 'absent':
      return pending('waiting for proof that every old control-plane host is off');
    default:
      throw new Error(`unknown answer ${hostsLeft satisfies never}`);
  }
};

const restoreFirst: JudgeRestore = (scope, { snapshot }) => {
  const own = controlPlaneMachinesIn(scope).filter((machine) => isOwn(scope, machine));
  const first = own.find((machine) => restoredRevisionOf(machine) !== undefined);
  if (!first)
    return pending(
      withCause(
        'waiting for the first Machine to start etcd on the snapshot',
        causeOfMachines(own, scope.clusterState),
      ),
    );
  const revision = restoredRevisionOf(first)!;
  const least = (snapshot?.revision ?? 0) + revisionBump;
  if (revision < least)
    return refused(
      `etcd on Machine ${first.metadata.name} began at revision ${revision}, not at ${least} or later: it does not have the snapshot`,
    );
  return unless(isTrue(conditionsOf(first), 'Available'), () =>
    withCause(`waiting for Machine ${first.metadata.name} to serve`, causeOfMachines([first], scope.clusterState)),
  );
};

const progressOf = (rollout: Rollout): string =>
  `${servingIn(rollout).length} of ${rollout.desired} control-plane Machines are available`;

const join: JudgeRestore = ({ clusterState }) => {
  const rollout = clusterState.rollouts.find(({ isControlPlane }) => isControlPlane);
  if (!rollout) return pending('waiting for the control plane object');
  return unless(isComplete(rollout), () =>
    withCause(`waiting for Machines: ${progressOf(rollout)}`, causeOfMachines(rollout.updated, clusterState)),
  );
};

/** Their MachineSets replace them. */
export const replaceLost = ({ clusterState, operation, now }: OperationScope, status: OperationStatus): Action[] =>
  nextLost(
    clusterState.machines,
    operation.metadata.creationTimestamp,
    clusterState.rollouts,
    servingSince(status, now),
  ).map(deletionOf);

const verify: JudgeRestore = (scope, status) => {
  const { cluster, clusterState } = scope;
  const joined = join(scope, status);
  if (joined.verdict !== 'done') return joined;
  const old = (clusterState.workload?.nodes ?? []).filter(
    ({ providerID }) => providerID !== undefined && status.hosts?.includes(providerID),
  );
  if (old.length > 0)
    return pending(`waiting for ${listOf(old.map(({ name }) => `Node ${name}`))} of old hosts to be gone`);
  if (clusterState.endedHosts.state === 'unreadable')
    return pending(`it is not known whether hosts of Nodes without a Machine exist: ${clusterState.endedHosts.reason}`);
  const serving = servingSince(status, scope.now);
  const lost = lostIn(clusterState.machines, serving);
  if (lost.length > 0)
    return pending(`waiting for ${machinesIn(lost)} to be replaced: the snapshot has no Nodes of them`);
  const unjoined = unjoinedIn(clusterState.machines, serving);
  if (unjoined.length > 0) return pending(`waiting for ${machinesIn(unjoined)} to join`);
  const restored = restoredBy(controlPlaneIn(scope), status.snapshot);
  const follower = restored && awaitedFollower(clusterState, restored);
  if (follower !== undefined) return pending(follower);
  const members = conditionOf(conditionsOf(controlPlaneIn(scope)), 'EtcdClusterHealthy');
  if (members?.status !== 'True')
    return pending(withCause('waiting for etcd', members?.message ? oneLine(members.message) : undefined));
  const conditions = cluster.status?.conditions;
  if (isTrue(conditions, 'Available')) return done;
  const without = restored && availableWithout(clusterState, restored);
  if (without !== undefined) return skipped(without);
  const message = conditionOf(conditions, 'Available')?.message;
  return pending(withCause('waiting for the Cluster to be Available', message ? oneLine(message) : undefined));
};

export const judgeRestore: Record<RestoreStep, JudgeRestore> = {
  Preflight: preflight,
  StopMembers: stopMembers,
  RestoreFirst: restoreFirst,
  Join: join,
  Verify: verify,
};
