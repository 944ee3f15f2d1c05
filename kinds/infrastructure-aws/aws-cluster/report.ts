/** Plans that only report. */

import {
  conditionOf,
  type LegacyDraft,
  legacyFalse,
  summarizeLegacy,
  withLegacy,
} from '../../../machinery/api/conditions.ts';
import type { Context, Plan } from '../../../machinery/api/reconcile.ts';
import { isPassing, rereadAfter } from '../engine/step.ts';
import { vpcReady } from '../network/conditions.ts';
import { reportOf, specActedOn } from './conditions.ts';
import type { AWSCluster, AWSClusterStatus } from './schema.ts';

/** Changes conditions only. */
export const reportConditions = (
  awsCluster: AWSCluster,
  changes: LegacyDraft[],
  requeueAfter?: number,
): Plan<AWSClusterStatus> => {
  const { status } = awsCluster;
  if (changes.length === 0) return {};
  const reported = withLegacy(
    status?.conditions?.filter(({ type }) => type !== 'Ready'),
    ...changes,
  );
  const summary = summarizeLegacy(reported.filter(({ type }) => type !== specActedOn));
  return {
    status: {
      ...status,
      ready: status?.ready ?? false,
      conditions: withLegacy(reported, ...(summary ? [summary] : []), ...reportOf(awsCluster)),
    },
    ...(requeueAfter !== undefined && { requeueAfter }),
  };
};

export const unreadable = (
  awsCluster: AWSCluster,
  reason: string,
  context: Pick<Context, 'random'>,
): Plan<AWSClusterStatus> => {
  if (isPassing(reason)) {
    const requeueAfter = rereadAfter(context);
    // A throttled read does not invalidate a True condition; only an unknown state reports the
    // reason.
    const isKnown = conditionOf(awsCluster.status?.conditions, vpcReady)?.status === 'True';
    if (isKnown) return { requeueAfter };
    return reportConditions(
      awsCluster,
      [legacyFalse(vpcReady, 'VpcReconciliationFailed', 'Warning', reason)],
      requeueAfter,
    );
  }
  const severity = awsCluster.status?.ready ? 'Warning' : 'Error';
  return reportConditions(awsCluster, [legacyFalse(vpcReady, 'VpcReconciliationFailed', severity, reason)], 15);
};
