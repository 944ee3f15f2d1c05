/** A Cluster's policy for its upgrades. Each decision reads it again, as for a create. Pure. */

import { parseDuration } from '../../../machinery/api/durations.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Rollout } from '../shared/rollouts.ts';
import { type UpgradeFailurePolicy, upgradeAnnotations, upgradeFailurePolicies } from './annotations.ts';
import { type UpgradeStep, upgradeSteps } from './step-names.ts';

export interface UpgradePolicy {
  /** Seconds without progress after which a step fails. */
  deadline: number;
  onFailure: UpgradeFailurePolicy;
  /** A control plane with new members is rolled back, if every guard holds. */
  isGuarded: boolean;
  /** Seconds between the first Machine of a kind and the others. */
  soak: number;
  /** The steps before which the upgrade pauses. */
  pauses: UpgradeStep[];
}

/** Seconds in which a machine boots and joins, or leaves, with much to spare. */
const perMachine = 1800;

interface Deletion {
  nodeDrainTimeoutSeconds?: number;
  nodeVolumeDetachTimeoutSeconds?: number;
}
type WithDeletion = {
  machineTemplate?: { spec?: { deletion?: Deletion } };
  template?: { spec?: { deletion?: Deletion } };
};

/** Seconds that a user permits a Machine of the object to take until it is drained. */
const drainOf = ({ object }: Rollout): number => {
  const { machineTemplate, template } = (object.spec ?? {}) as WithDeletion;
  const { nodeDrainTimeoutSeconds = 0, nodeVolumeDetachTimeoutSeconds = 0 } =
    (machineTemplate ?? template)?.spec?.deletion ?? {};
  return nodeDrainTimeoutSeconds + nodeVolumeDetachTimeoutSeconds;
};

const isPolicy = (text: string | undefined): text is UpgradeFailurePolicy =>
  upgradeFailurePolicies.some((policy) => policy === text);

const stepsIn = (text: string | undefined): UpgradeStep[] => {
  const names = (text ?? '').split(',').map((name) => name.trim());
  return upgradeSteps.filter((step) => names.includes(step));
};

/** Admission rejects invalid values; an invalid value that is stored anyway counts as absent. */
export const upgradePolicyOf = (
  { metadata: { annotations = {} } }: KubeObject,
  rollouts: readonly Rollout[],
): UpgradePolicy => {
  const given = parseDuration(annotations[upgradeAnnotations.deadline] ?? '') ?? 0;
  const onFailure = annotations[upgradeAnnotations.onFailure];
  return {
    deadline: given > 0 ? given : perMachine + Math.max(0, ...rollouts.map(drainOf)),
    onFailure: isPolicy(onFailure) ? onFailure : 'RollBack',
    isGuarded: annotations[upgradeAnnotations.rollback] === 'Guarded',
    soak: Math.max(0, parseDuration(annotations[upgradeAnnotations.soak] ?? '') ?? 0),
    pauses: stepsIn(annotations[upgradeAnnotations.pause]),
  };
};
