/** Whether a MachineHealthCheck may have Machines remediated: too many unhealthy ones have another cause. */
import { amountOf } from '../../common/proportion.ts';
import type { MachineHealthCheck } from './schema.ts';

export interface Trigger {
  isAllowed: boolean;
  /** How many more Machines may become unhealthy. */
  remediationsAllowed: number;
  /** Why nothing is remediated; empty if it is allowed. */
  message: string;
}

const prefix = 'Remediation is not allowed, the number of not started or unhealthy machines';

/** A Machine that is neither healthy nor unhealthy counts as unhealthy here. */
export const triggerOf = (
  { spec }: MachineHealthCheck,
  { expected, healthy, unhealthy }: Record<'expected' | 'healthy' | 'unhealthy', number>,
): Trigger => {
  const { unhealthyInRange: range, unhealthyLessThanOrEqualTo: notMore = '100%' } = spec?.remediation?.triggerIf ?? {};
  const [least = 0, most = 0] =
    range === undefined
      ? [0, amountOf(notMore, expected, Math.floor, expected)]
      : (range.match(/\d+/g) ?? []).map(Number);
  const count = expected - healthy;
  if (count >= least && count <= most) return { isAllowed: true, remediationsAllowed: most - count, message: '' };
  const [fault, limit] =
    range === undefined
      ? ['exceeds maxUnhealthy', `maxUnhealthy: ${notMore}`]
      : ['does not fall within the range', `unhealthyRange: ${range}`];
  const message = `${prefix} ${fault} (total: ${expected}, unhealthy: ${unhealthy}, ${limit})`;
  return { isAllowed: false, remediationsAllowed: 0, message };
};
