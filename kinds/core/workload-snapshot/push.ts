/**
 * Whether the API servers of a checked cluster report changes of Nodes by themselves, so that the
 * prober need not poll for them. Pure.
 */
import type { KubeObject } from '../../../machinery/api/object.ts';
import { type Context, found, type Read, type Reader } from '../../../machinery/api/reconcile.ts';
import { allReport, hasReported, observeReporting, type Reporting } from '../contract/push/reporting.ts';
import { isReported } from '../contract/push/rules.ts';

/** Seconds between probes of an idle cluster whose API servers report. */
export const reportedPeriod = 300;
/** Seconds in addition within which the report of the last probe has arrived. */
const margin = 30;

export interface Push extends Reporting {
  healthChecks: Read<KubeObject[]>;
}

export const observePush = ({ metadata }: KubeObject, read: Reader, context: Context): Push | undefined => {
  const { namespace = '', name: cluster } = metadata;
  const reporting = observeReporting({ namespace, cluster }, read, context);
  return (
    reporting && { ...reporting, healthChecks: read.list<KubeObject>('MachineHealthCheck', { namespace, cluster }) }
  );
};

const conditionsOf = ({ spec }: KubeObject): { type: string }[] =>
  (spec as { checks?: { unhealthyNodeConditions?: { type: string }[] } } | undefined)?.checks
    ?.unhealthyNodeConditions ?? [];

/**
 * Every API server has the present configuration, its reports cover the conditions of all
 * MachineHealthChecks, and one arrived since the probe before.
 */
export const isReporting = (
  { healthChecks, ...reporting }: Push,
  pods: readonly KubeObject[],
  context: Context,
): boolean =>
  hasReported(context, reportedPeriod + margin) &&
  (found(healthChecks)
    ?.flatMap(conditionsOf)
    .every(({ type }) => isReported(type)) ??
    false) &&
  allReport(reporting, pods, 'health-check');
