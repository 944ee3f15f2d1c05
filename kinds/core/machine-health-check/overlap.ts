/** Keeps MachineHealthChecks that check one Machine from undoing each other's findings. Pure. */
import { conditionOf } from '../../../machinery/api/conditions.ts';
import { labelMatcher } from '../../../machinery/api/labels.ts';
import type { Cluster } from '../cluster/schema.ts';
import { isDeleting } from '../contract/machines.ts';
import type { Machine } from '../machine/schema.ts';
import type { MachineHealthCheck } from './schema.ts';
import { isPaused, type Target, type Verdict, verdictOf } from './verdict.ts';

/** Whether the verdict would replace an unhealthy finding that the Machine reports. */
export const contradicts = ({ health, ...verdict }: Verdict, { status }: Machine): boolean => {
  const before = conditionOf(status?.conditions, 'HealthCheckSucceeded');
  if (before?.status !== 'False' || health === 'pending') return false;
  const finding = 'condition' in verdict ? verdict.condition : undefined;
  return before.reason !== finding?.reason || before.message !== finding?.message;
};

/**
 * A Machine is healthy only if every check finds it so; of several unhealthy findings, it reports
 * that of the first check by name.
 */
export const isOverruled = (
  { health }: Verdict,
  target: Target,
  check: MachineHealthCheck,
  others: readonly MachineHealthCheck[],
  { cluster, now }: { cluster: Cluster; now: number },
): boolean =>
  others.some(
    (other) =>
      other.metadata.name !== check.metadata.name &&
      (health === 'healthy' || other.metadata.name < check.metadata.name) &&
      !isDeleting(other) &&
      !isPaused(other) &&
      labelMatcher(other.spec?.selector)(target.machine.metadata.labels) &&
      verdictOf(target, other, cluster, now).health === 'unhealthy',
  );
