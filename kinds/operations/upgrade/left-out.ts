/** What differs from its spec and an upgrade that succeeded did not take along. Pure. */
import { listOf } from '../../common/list-of.ts';
import { isDeleting } from '../../core/contract/machines.ts';
import { type ObjectTargets, objectTargets } from '../../core/contract/object-targets.ts';
import type { Ended } from '../shared/definition.ts';
import type { Rollout } from '../shared/rollouts.ts';
import { upgrading } from './objects.ts';

const reasonFor = ({ cluster }: Ended, { key, revision, takesPart }: Rollout): string => {
  const target = (objectTargets(cluster) as ObjectTargets)[key];
  if (target?.target === 'RollBack' && target.revision === revision) return 'an earlier upgrade rolled it back';
  return takesPart ? 'it has changed since' : 'it is paused, or its strategy leaves that to its user';
};

const nameOf = ({ object }: Rollout): string => `${object.kind} ${object.metadata.name}`;

/** With the reason of each; empty if everything is as its spec wants it. */
export const leftOut = (scope: Ended): { what: string; isRolledBack: boolean } => {
  const done = upgrading(scope);
  const left = scope.clusterState.rollouts.filter(
    (one) => one.isOutdated && !isDeleting(one.object) && !done.includes(one),
  );
  const reasons = left.map((one) => reasonFor(scope, one));
  return {
    what: listOf(left.map((one, at) => `${nameOf(one)} (${reasons[at]})`)),
    isRolledBack: reasons.some((reason) => reason.endsWith('rolled it back')),
  };
};
