/** The objects of an upgrade, as they are now. Pure. */
import type { Cluster } from '../../core/cluster/index.ts';
import { objectTargets } from '../../core/contract/object-targets.ts';
import type { OperationSpec } from '../cluster-operation/schema.ts';
import { isComplete, type Rollout, servingIn } from '../shared/rollouts.ts';
import type { OperationScope } from '../shared/scope.ts';

type Upgrading = Pick<OperationScope, 'spec' | 'clusterState'>;
type UpgradedObject = NonNullable<OperationSpec['objects']>[number];

const keyOf = ({ kind, name }: UpgradedObject): string => `${kind}/${name}`;

/** In the order of the operation. An object that was deleted or paused meanwhile takes no part any more. */
export const upgrading = ({ spec, clusterState }: Upgrading): Rollout[] =>
  (spec.objects ?? []).flatMap((one) =>
    clusterState.rollouts.filter(({ key, takesPart }) => key === keyOf(one) && takesPart),
  );

/** An upgrade rolled this revision back. */
export const isRolledBack = (cluster: Cluster, { key, revision }: Rollout): boolean => {
  const target = objectTargets(cluster)[key];
  return target?.target === 'RollBack' && target.revision === revision;
};

/** Its spec has changed since the operation began; the next operation takes over. */
export const isSuperseded = ({ spec }: Upgrading, { key, revision }: Rollout): boolean =>
  spec.objects?.some((one) => keyOf(one) === key && one.revision !== revision) ?? false;

export const controlPlaneOf = (scope: Upgrading): Rollout | undefined =>
  upgrading(scope).find(({ isControlPlane }) => isControlPlane);
export const workersOf = (scope: Upgrading): Rollout[] =>
  upgrading(scope).filter(({ isControlPlane }) => !isControlPlane);

/** Whether its first Machine of the new revision serves. */
export const hasFirst = (rollout: Rollout): boolean =>
  isComplete(rollout) || (rollout.isObserved && servingIn(rollout).length > 0);
