/** What EC2's status checks and scheduled events mean for the Machine on the instance. Pure. */
import type { ConditionDraft } from '../../../machinery/api/reconcile.ts';
import { hostHealthy, hostMaintenanceScheduled, hostRetirementScheduled } from '../../core/contract/host-health.ts';
import type { InstanceEvent, InstanceStatus } from '../../ports/cloud/index.ts';

const checks = [
  { field: 'SystemStatus', reason: 'SystemStatusCheckFailed', name: 'system' },
  { field: 'InstanceStatus', reason: 'InstanceStatusCheckFailed', name: 'instance' },
  { field: 'AttachedEbsStatus', reason: 'AttachedEbsStatusCheckFailed', name: 'attached EBS' },
] as const;

const healthOf = (status: InstanceStatus): ConditionDraft[] => {
  const failed = checks.filter(({ field }) => status[field]?.Status === 'impaired');
  const [first] = failed;
  if (!first) return [];
  const names = failed.map(({ name }) => name).join(' and ');
  const message = `EC2 reports a failed ${names} status check of instance ${status.InstanceId}`;
  return [{ type: hostHealthy, status: 'False', reason: first.reason, message }];
};

/** An event that is over stays listed with one of these before its description. */
const isOver = ({ Description }: InstanceEvent): boolean => /^\[(Completed|Canceled)\]/.test(Description);

/** After these the instance does not come back by itself. */
const retirements: readonly string[] = ['instance-retirement', 'instance-stop'];

/** `instance-stop` as a reason: InstanceStop. */
const reasonOf = (code: string): string =>
  code
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('') || 'Unknown';

const byTime = (a: InstanceEvent, b: InstanceEvent): number =>
  (a.NotBefore ?? '') < (b.NotBefore ?? '') ? -1 : (a.NotBefore ?? '') > (b.NotBefore ?? '') ? 1 : 0;

const scheduled = (type: string, id: string, events: readonly InstanceEvent[]): ConditionDraft[] => {
  const [first] = events.toSorted(byTime);
  if (!first) return [];
  const when = first.NotBefore ? `, not before ${first.NotBefore}` : '';
  const message = `EC2 has scheduled ${first.Code} of instance ${id}${when}: ${first.Description}`;
  return [{ type, status: 'True', reason: reasonOf(first.Code), message }];
};

/** The conditions to report; empty while there is nothing to report. */
export const findingsOf = (status: InstanceStatus): ConditionDraft[] => {
  const events = status.Events.filter((event) => !isOver(event));
  const { true: final = [], false: passing = [] } = Object.groupBy(events, ({ Code }) =>
    retirements.includes(Code) ? 'true' : 'false',
  );
  return [
    ...healthOf(status),
    ...scheduled(hostRetirementScheduled, status.InstanceId, final),
    ...scheduled(hostMaintenanceScheduled, status.InstanceId, passing),
  ];
};
