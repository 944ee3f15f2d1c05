/** The row of what would hinder an upgrade to the next minor version. Pure. */
import type { ClusterOperation } from '../../kinds/operations/cluster-operation/index.ts';
import type { UpgradeCheck } from '../../kinds/operations/upgrade-check/index.ts';
import { row, type TreeNode } from './node.ts';

/** Findings below the row. */
const most = 5;

/** None while an operation reports the same findings in its step, or without a finding. */
export const insightRows = (
  { metadata, status = {} }: UpgradeCheck,
  operation: ClusterOperation | undefined,
): TreeNode[] => {
  const { target, result, findings = [], omitted = 0, lastTransition, lastRefresh = '' } = status;
  if (result === undefined || result === 'Passing' || status.operation !== undefined) return [];
  const rows = findings.slice(0, most).map(({ code, status: level, object, message, remedy }) => ({
    ...row(`Finding/${code}`),
    status: level,
    message: `${object}: ${message}. ${remedy}`,
  }));
  const more = findings.length - rows.length + omitted;
  const { ended } = operation?.status ?? {};
  const asOf =
    ended !== undefined && lastRefresh < ended
      ? ` (as of ${lastRefresh}, before ${operation!.metadata.name} ended: capstan plan upgrade ${metadata.name} checks again)`
      : '';
  const message = `What would hinder an upgrade to ${target}${more > 0 ? `; ${more} more in UpgradeCheck ${metadata.name}` : ''}${asOf}`;
  return [{ ...row(`UpgradeCheck/${metadata.name}`, rows), status: result, since: lastTransition, message }];
};
