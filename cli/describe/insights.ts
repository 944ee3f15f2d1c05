/** The row of what would hinder an upgrade to the next minor version. Pure. */
import type { UpgradeCheck } from '../../kinds/operations/upgrade-check/index.ts';
import { row, type TreeNode } from './node.ts';

/** Findings below the row. */
const most = 5;

/** None while an operation reports the same findings in its step, or without a finding. */
export const insightRows = ({ metadata, status = {} }: UpgradeCheck): TreeNode[] => {
  const { target, result, operation, findings = [], omitted = 0, lastTransition } = status;
  if (result === undefined || result === 'Passing' || operation !== undefined) return [];
  const rows = findings.slice(0, most).map(({ code, status: level, object, message, remedy }) => ({
    ...row(`Finding/${code}`),
    status: level,
    message: `${object}: ${message}. ${remedy}`,
  }));
  const more = findings.length - rows.length + omitted;
  const message = `What would hinder an upgrade to ${target}${more > 0 ? `; ${more} more in UpgradeCheck ${metadata.name}` : ''}`;
  return [{ ...row(`UpgradeCheck/${metadata.name}`, rows), status: result, since: lastTransition, message }];
};
