/** What differs from its spec and an upgrade that succeeded did not take along. Pure. */
import { listOf } from '../../common/list-of.ts';
import { isDeleting } from '../../core/contract/machines.ts';
import type { Ended } from '../shared/definition.ts';
import type { Rollout } from '../shared/rollouts.ts';
import { isRolledBack, upgrading } from './objects.ts';

const reasonFor = ({ cluster }: Ended, rollout: Rollout): string => {
  if (isRolledBack(cluster, rollout)) return 'an earlier upgrade rolled it back';
  return rollout.takesPart ? 'it has changed since' : 'it is paused, or its strategy leaves that to its user';
};

const nameOf = ({ object }: Rollout): string => `${object.kind} ${object.metadata.name}`;

/** With the reason of each; empty if everything is as its spec wants it. */
export const leftOut = (scope: Ended): { what: string; mayRetry: boolean } => {
  const done = upgrading(scope);
  const left = scope.clusterState.rollouts.filter(
    (one) => one.isOutdated && !isDeleting(one.object) && !done.includes(one),
  );
  return {
    what: listOf(left.map((one) => `${nameOf(one)} (${reasonFor(scope, one)})`)),
    mayRetry: left.some((one) => isRolledBack(scope.cluster, one)),
  };
};
