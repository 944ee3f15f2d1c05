/** Status checks and scheduled events of instances. */
import type { Calls } from '../call.ts';
import type { Page } from '../shared.ts';
import type { InstanceStateName } from './instance.ts';

/** `ok`, `impaired`, `initializing`, `insufficient-data` or `not-applicable`. */
export type StatusSummary = { Status: string };
/**
 * EC2's status checks of an instance. A completed or canceled event stays listed for days, with
 * `[Completed]` or `[Canceled]` before its description.
 */
export type InstanceStatus = {
  InstanceId: string;
  InstanceState: { Name: InstanceStateName };
  SystemStatus: StatusSummary;
  InstanceStatus: StatusSummary;
  AttachedEbsStatus?: StatusSummary;
  Events: InstanceEvent[];
};
export type InstanceEvent = {
  Code: string;
  Description: string;
  /** RFC 3339: when the event begins at the earliest. */
  NotBefore?: string;
};
export interface InstanceStatusActions {
  /**
   * Only running instances unless IncludeAllInstances is set. At most 100 ids a call; MaxResults is
   * for calls without ids.
   */
  DescribeInstanceStatus: [
    { InstanceIds?: string[]; IncludeAllInstances?: boolean } & Page,
    { InstanceStatuses: InstanceStatus[]; NextToken?: string },
  ];
}

export const instanceStatusCalls = {
  DescribeInstanceStatus: {},
} as const satisfies Calls<InstanceStatusActions>;
