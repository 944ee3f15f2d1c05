import type { Context, Plan } from '../../../machinery/api/reconcile.ts';
import { awaitsOperation } from '../../core/contract/scope.ts';
import { converge } from './converge.ts';
import { idle, refuse, tornDown } from './idle.ts';
import type { Observed } from './observe.ts';
import { isBegun } from './owner.ts';
import { notOurs, recheckAfter, refused } from './refusal.ts';
import { tearDown } from './remove.ts';
import { unreadable } from './report.ts';
import type { AWSCluster, AWSClusterStatus } from './schema.ts';

export const reconcile = (observed: Observed, context: Context): Plan<AWSClusterStatus> => {
  const { awsCluster } = observed;
  const deleting = awsCluster.metadata.deletionTimestamp !== undefined;
  if (isManagedByOthers(awsCluster)) return deleting ? { finished: true } : {};
  if (deleting) return tearDown(observed, context, { finished: true });
  const { owner, withheld } = observed;
  // The Cluster controller sets the owner reference, which triggers a reconcile.
  if (!owner) return {};
  const isIdle = withheld && (awaitsOperation(withheld) || !isBegun(awsCluster));
  return isIdle ? (refusalOf(observed, context) ?? idle(observed, withheld)) : build(observed, context);
};

/** Another controller manages and deletes externally managed infrastructure. */
const isManagedByOthers = ({ metadata }: AWSCluster): boolean =>
  'cluster.x-k8s.io/managed-by' in (metadata.annotations ?? {});

export const release = (observed: Observed, context: Context): Plan<AWSClusterStatus> =>
  isManagedByOthers(observed.awsCluster) || !observed.owner ? {} : tearDown(observed, context, tornDown(observed));

const refusalOf = (observed: Observed, context: Context): Plan<AWSClusterStatus> | undefined => {
  const refusal = refused(observed);
  if (refusal) return refuse(observed, refusal.conditions, refusal.requeueAfter);
  const { awsCluster, preExisting } = observed;
  switch (preExisting.state) {
    case 'unread':
      return {};
    case 'unreadable':
      return unreadable(awsCluster, preExisting.reason, context);
    case 'known': {
      const reasons = notOurs(preExisting.foreign, observed.owner);
      return reasons.length > 0 ? refuse(observed, reasons, recheckAfter) : undefined;
    }
    default:
      return preExisting satisfies never;
  }
};

const build = (observed: Observed, context: Context): Plan<AWSClusterStatus> => {
  const { owner } = observed;
  if (!owner) return {};
  return refusalOf(observed, context) ?? converge(observed, owner, context);
};
