/** When each step of an upgrade is done, in the order of its workflow. Pure. */

import { conditionOf, isTrue } from '../../../machinery/api/conditions.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { holdAmong } from '../../core/contract/hold.ts';
import { hookBeforeWorkers } from '../../core/contract/lifecycle-hooks.ts';
import { isDeleting } from '../../core/contract/machines.ts';
import { causeOfMachines, complaintOf, conditionsOf, obstacleOf, oneLine, withCause } from '../shared/cause.ts';
import { type ClusterState, done, type Judgement, pending, skipped, unless } from '../shared/cluster-state.ts';
import { stepOf } from '../shared/progress.ts';
import { isComplete, type Rollout, servingIn, wantedVersionOf } from '../shared/rollouts.ts';
import type { OperationScope } from '../shared/scope.ts';
import { checkedFindings } from './checked.ts';
import { controlPlaneOf, hasFirst, isSuperseded, upgrading, workersOf } from './objects.ts';
import type { UpgradeStep } from './step-names.ts';

type JudgeStep = (scope: OperationScope) => Judgement;

const nameOf = ({ object }: Rollout): string => `${object.kind} ${object.metadata.name}`;

const removalCause = (machines: readonly KubeObject[]): string | undefined => {
  const going = machines.filter(isDeleting);
  const held = holdAmong(going);
  if (held !== undefined) return held;
  for (const machine of going) {
    const condition = conditionOf(conditionsOf(machine), 'Deleting');
    if (condition?.status === 'True' && condition.message)
      return `Machine ${machine.metadata.name}: ${oneLine(condition.message)}`;
  }
  return undefined;
};

/** The new Machine that does not come up, the old one that does not go, or what the object waits for. */
const causeOf = ({ object, updated, outdated }: Rollout, clusterState: ClusterState): string | undefined =>
  causeOfMachines(
    updated.filter((machine) => !isDeleting(machine)),
    clusterState,
  ) ??
  removalCause(outdated) ??
  complaintOf(object, 'Available', 'EtcdClusterHealthy', 'ControlPlaneComponentsHealthy', 'MachinesReady') ??
  obstacleOf(object);

const progressOf = (rollout: Rollout): string => {
  const version = wantedVersionOf(rollout);
  const { desired, outdated } = rollout;
  const old = outdated.length > 0 ? `, ${outdated.length} old ones are left` : '';
  return `${servingIn(rollout).length} of ${desired} Machines of ${nameOf(rollout)} are ${version ?? 'new'} and available${old}`;
};

/** No operation follows a spec that was set back to what is there. */
const superseded = (rollout: Rollout): Judgement =>
  isComplete(rollout)
    ? skipped(`the spec of ${nameOf(rollout)} was set back: its Machines are as it wants them`)
    : pending(`the spec of ${nameOf(rollout)} has changed: the next operation takes over`);

const whole = (scope: OperationScope, rollout: Rollout): Judgement => {
  if (isSuperseded(scope, rollout)) return superseded(rollout);
  return unless(isComplete(rollout), () =>
    withCause(`waiting for Machines: ${progressOf(rollout)}`, causeOf(rollout, scope.clusterState)),
  );
};

const first = (scope: OperationScope, rollout: Rollout): Judgement => {
  if (isSuperseded(scope, rollout)) return superseded(rollout);
  if (rollout.desired === 0) return skipped(`${nameOf(rollout)} has no Machines`);
  return unless(hasFirst(rollout), () =>
    withCause(`waiting for the first new Machine of ${nameOf(rollout)}`, causeOf(rollout, scope.clusterState)),
  );
};

/** The soak time itself is in task.ts. */
const soaked = (scope: OperationScope, rollout: Rollout): Judgement => {
  if (isSuperseded(scope, rollout)) return superseded(rollout);
  return unless(rollout.desired === 0 || hasFirst(rollout), () =>
    withCause(`waiting for the new Machine of ${nameOf(rollout)} to recover`, causeOf(rollout, scope.clusterState)),
  );
};

const noControlPlane = 'The control plane keeps its Machines';
const noWorkers = 'No MachineDeployment replaces Machines';

const ofControlPlane =
  (judge: (scope: OperationScope, rollout: Rollout) => Judgement): JudgeStep =>
  (scope) => {
    const controlPlane = controlPlaneOf(scope);
    return controlPlane ? judge(scope, controlPlane) : skipped(noControlPlane);
  };
const ofFirstWorkers =
  (judge: (scope: OperationScope, rollout: Rollout) => Judgement): JudgeStep =>
  (scope) => {
    const [workers] = workersOf(scope);
    return workers ? judge(scope, workers) : skipped(noWorkers);
  };

const oldMachines = (rollout: Rollout): KubeObject[] => rollout.outdated.filter(isDeleting);

const controlPlaneFirst = ofControlPlane((scope, rollout) => {
  const judgement = first(scope, rollout);
  if (judgement.verdict !== 'done') return judgement;
  return unless(oldMachines(rollout).length === 0, () =>
    withCause(`waiting for the old Machine of ${nameOf(rollout)} to go`, removalCause(rollout.outdated)),
  );
});

const workers: JudgeStep = (scope) => {
  const all = workersOf(scope);
  if (all.length === 0) return skipped(noWorkers);
  return all.map((one) => whole(scope, one)).find(({ verdict }) => verdict !== 'done') ?? done;
};

/** kube-proxy and CoreDNS follow once every control-plane Machine is new; workers come after them. */
const checkedAddOns: JudgeStep = (scope) => {
  if (!controlPlaneOf(scope)) return skipped(noControlPlane);
  const began = Date.parse(stepOf(scope.operation.status ?? {}, 'AddOns')?.started ?? '') || scope.now;
  const findings = checkedFindings(scope, 'AddOns', began);
  if (!findings) return pending('waiting for the check of kube-proxy and CoreDNS');
  const first = findings.find(({ level }) => level === 'Refuse');
  if (first) return pending(`waiting for ${first.object}: ${first.message}`);
  const [blocked] = findings;
  return blocked ? skipped(`${blocked.object}: ${blocked.message}. ${blocked.remedy}`) : done;
};

/** Then extensions decide when the workers follow. */
const addOns: JudgeStep = (scope) => {
  const judgement = checkedAddOns(scope);
  const hook = judgement.verdict === 'done' ? hookBeforeWorkers(scope.cluster) : undefined;
  return hook === undefined ? judgement : pending(hook);
};

/** Everything is as its spec wants it, and the cluster serves. */
export const verify: JudgeStep = (scope) => {
  const open = upgrading(scope)
    .map((one) => whole(scope, one))
    .find(({ verdict }) => verdict !== 'done');
  if (open) return open;
  const conditions = scope.cluster.status?.conditions;
  return unless(isTrue(conditions, 'Available'), () => {
    const message = conditionOf(conditions, 'Available')?.message;
    return withCause('waiting for the Cluster to be Available', message ? oneLine(message) : undefined);
  });
};

export const judgeUpgrade: Record<Exclude<UpgradeStep, 'Preflight' | 'Snapshot'>, JudgeStep> = {
  ControlPlaneFirst: controlPlaneFirst,
  SoakControlPlane: ofControlPlane(soaked),
  ControlPlane: ofControlPlane(whole),
  AddOns: addOns,
  WorkersCanary: ofFirstWorkers(first),
  SoakWorkers: ofFirstWorkers(soaked),
  Workers: workers,
  Verify: verify,
};
