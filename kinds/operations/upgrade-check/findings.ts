/** The findings that an UpgradeCheck lists: few and short, whatever the cluster is like. Pure. */
import { oneLine } from '../shared/cause.ts';
import { type CategorizedFinding, refusalsFirst } from './checks/categories.ts';
import type { CheckFinding, UpgradeCheckStatus } from './schema.ts';

const most = 50;
const longest = 400;

const shortened = (text: string): string => (text.length > longest ? `${text.slice(0, longest - 1)}…` : text);

const statusOf = ({ level, isUnknown }: CategorizedFinding): CheckFinding['status'] =>
  isUnknown ? 'Unknown' : level === 'Refuse' ? 'Error' : 'Warning';

const listed = (finding: CategorizedFinding): CheckFinding => {
  const { code, category, object, message, remedy } = finding;
  const status = statusOf(finding);
  return { code, category, status, object: shortened(object), message: shortened(oneLine(message)), remedy };
};

const resultOf = (findings: readonly CategorizedFinding[]): NonNullable<UpgradeCheckStatus['result']> => {
  const has = (status: CheckFinding['status']) => findings.some((one) => statusOf(one) === status);
  if (has('Error')) return 'Error';
  if (has('Unknown')) return 'Unknown';
  return has('Warning') ? 'Warning' : 'Passing';
};

/** In a fixed order, so that an unchanged cluster has an unchanged list. */
export const summaryOf = (
  findings: readonly CategorizedFinding[],
): Pick<UpgradeCheckStatus, 'result' | 'findings' | 'omitted'> => {
  const keyOf = ({ code, object }: CategorizedFinding): string => `${code} ${object}`;
  const sorted = refusalsFirst(findings.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)));
  const omitted = sorted.length - most;
  return { result: resultOf(findings), findings: sorted.slice(0, most).map(listed), ...(omitted > 0 && { omitted }) };
};
