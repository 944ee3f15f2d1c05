/** The facts for the guards of a rollback, from the objects of the cluster. Pure. */
import { type KubernetesVersion, lowestVersion, parseVersion } from '../../common/kubernetes-version.ts';
import { isDeleting } from '../../core/contract/machines.ts';
import type { Machine } from '../../core/machine/index.ts';
import type { OperationStatus } from '../cluster-operation/schema.ts';
import { stepOf } from '../shared/progress.ts';
import { type Rollout, wantedVersionOf } from '../shared/rollouts.ts';
import type { OperationScope } from '../shared/scope.ts';
import { nameOf } from '../upgrade-check/checks/facts.ts';
import { answerIn, refusing } from './checked.ts';
import type { GuardFacts } from './guards.ts';

/** The minor version of etcd that kubeadm runs, by its own minor version. */
const etcdOfMinor: Record<number, string> = {
  31: '3.5',
  32: '3.5',
  33: '3.5',
  34: '3.6',
  35: '3.6',
  36: '3.6',
};

interface TakenSnapshot {
  phase?: string;
  completedAt?: string;
  etcdVersion?: string;
}

/** From the last snapshot before the control plane changed: it names the version of its member. */
const etcdBefore = ({ clusterState }: OperationScope, status: OperationStatus): string | undefined => {
  const changed = Date.parse(stepOf(status, 'ControlPlaneFirst')?.started ?? '');
  return clusterState.snapshots
    .map((snapshot) => (snapshot.status ?? {}) as TakenSnapshot)
    .filter(({ phase, completedAt }) => phase === 'Succeeded' && Date.parse(completedAt ?? '') <= changed)
    .toSorted((a, b) => Date.parse(a.completedAt!) - Date.parse(b.completedAt!))
    .at(-1)?.etcdVersion;
};

const etcdAfter = (pinned: string | undefined, to: KubernetesVersion | undefined): string | undefined => {
  if (pinned !== undefined) return pinned;
  const minor = to?.major === 1 ? etcdOfMinor[to.minor] : undefined;
  return minor && `${minor}.x`;
};

const createdAt = ({ metadata }: { metadata: { creationTimestamp?: string } }, now: number): number =>
  Date.parse(metadata.creationTimestamp ?? '') || now;

const workersOf = ({ machines }: OperationScope['clusterState'], { updated, outdated }: Rollout) => {
  const members = new Set([...updated, ...outdated].map(({ metadata }) => metadata.name));
  return (machines as Machine[])
    .filter(({ metadata }) => !members.has(metadata.name))
    .map((machine) => ({
      object: nameOf(machine),
      version: machine.status?.nodeInfo?.kubeletVersion ?? machine.spec?.version,
    }));
};

/** Milliseconds for which both API servers may fail to answer. */
const timeout = 300_000;

const isOverdue = ({ now }: OperationScope, deciding: string): boolean => now - Date.parse(deciding) >= timeout;

/** What the check inside the cluster found for the decision. Undefined while it is awaited. */
const inClusterOf = (scope: OperationScope, { deciding }: OperationStatus): GuardFacts['inCluster'] => {
  if (deciding === undefined) return undefined;
  const answer = answerIn(scope, 'Decide', Date.parse(deciding));
  return answer && (answer.result !== 'Unknown' || isOverdue(scope, deciding))
    ? refusing(answer.findings ?? [])
    : undefined;
};

/** Whether the check inside the cluster may still end. */
export const awaitsCheck = (scope: OperationScope, status: OperationStatus): boolean =>
  status.deciding === undefined || (inClusterOf(scope, status) === undefined && !isOverdue(scope, status.deciding));

export const guardFactsOf = (scope: OperationScope, status: OperationStatus, rollout: Rollout): GuardFacts => {
  const { clusterState, now } = scope;
  const to = parseVersion(wantedVersionOf(rollout) ?? '');
  const old = rollout.outdated.filter((machine) => !isDeleting(machine)) as Machine[];
  const first = stepOf(status, 'ControlPlaneFirst');
  const started = Date.parse(status.started ?? '') || now;
  const controlPlane = nameOf(rollout.object);
  return {
    controlPlane,
    from: parseVersion(lowestVersion(old.flatMap(({ spec }) => spec?.version ?? [])) ?? ''),
    to,
    // A retry begins a new operation; the new members may be older.
    began: Math.min(started, ...rollout.updated.map((machine) => createdAt(machine, now))),
    now,
    followsTargets: rollout.followsTargets,
    isOwn: first !== undefined && first.verdict !== 'Paused',
    oldMachines: old.length,
    ...(clusterState.managesEtcd && {
      etcd: { before: etcdBefore(scope, status), after: etcdAfter(clusterState.etcdVersion, to) },
    }),
    workers: workersOf(clusterState, rollout),
    inCluster: inClusterOf(scope, status),
  };
};
