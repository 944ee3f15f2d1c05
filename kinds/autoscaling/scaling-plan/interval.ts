/**
 * The interval between the autoscaler's decisions. While the API servers of the cluster report, the
 * autoscaler decides at their reports and at due times. Pure.
 */
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Context } from '../../../machinery/api/reconcile.ts';
import { speedOf } from '../../../machinery/api/speed.ts';
import { autoscale } from '../../common/autoscale/annotations.ts';
import { allReport, hasReported, type Reporting } from '../../core/contract/push/reporting.ts';
import type { Decision } from '../plan/decision.ts';
import type { Inputs } from '../plan/types.ts';
import type { PoolObjects } from './pools.ts';

/** Seconds between decisions while no event tells of pending pods; cluster-autoscaler waits ten. */
export const period = 15;
/** Seconds between decisions that only a lost event would bring about. */
export const reportedPeriod = 300;
/** Seconds between decisions while something else than a report may change the next one. */
const waitingPeriod = 60;
/** Seconds in addition within which the report of the last decision was recorded. */
const margin = 90;

export interface Reports {
  reporting: Reporting;
  /** The Pods of the API servers. */
  apiServers: readonly KubeObject[];
}

/** Nodes whose time runs need no binding until then, and no API server reports bindings. */
const mayShrink = ({ history, nodes }: Decision): boolean => {
  const staying = new Set(nodes.flatMap(({ node, reason }) => (reason === 'NodeGroupMinSizeReached' ? [node] : [])));
  return Object.keys(history.unneededSince ?? {}).some((node) => !staying.has(node));
};

/** Quotas, budgets, volumes, startup taints, and another autoscaler change without a report. */
const isWaiting = (decision: Decision, { snapshot }: Inputs): boolean =>
  snapshot.conflict !== undefined ||
  decision.pods.length > 0 ||
  decision.move !== undefined ||
  decision.limits.length > 0 ||
  mayShrink(decision);

/** Pods that are bound to the room of a pool are not reported, and need other room at once. */
const hasHeadroom = (pools: readonly PoolObjects[]): boolean =>
  pools.some(({ deployment }) => deployment.metadata.annotations?.[autoscale.headroom] !== undefined);

const isReported = ({ reporting, apiServers }: Reports, context: Context): boolean =>
  hasReported(context, reportedPeriod + margin) && allReport(reporting, apiServers, 'autoscaling');

/** Seconds until the next decision, unless one is due or reported before. */
export const intervalFor = (
  decision: Decision,
  { inputs, pools, reports }: { inputs: Inputs; pools: readonly PoolObjects[]; reports: Reports | undefined },
  context: Context,
): number => {
  if (!reports || hasHeadroom(pools) || !isReported(reports, context)) return period / speedOf(context.config);
  return (isWaiting(decision, inputs) ? waitingPeriod : reportedPeriod) / speedOf(context.config);
};
