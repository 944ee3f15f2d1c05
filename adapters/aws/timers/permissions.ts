/** IAM actions for switching mappings, schedules and rules. */

/** On `arn:…:event-source-mapping:<uuid>` of each mapping. */
export const mappingPermissions = {
  GetEventSourceMapping: ['lambda:GetEventSourceMapping'],
  UpdateEventSourceMapping: ['lambda:UpdateEventSourceMapping'],
} as const;

/** On each schedule. An update passes the target's role again to scheduler.amazonaws.com. */
export const schedulePermissions = {
  GetSchedule: ['scheduler:GetSchedule'],
  UpdateSchedule: ['scheduler:UpdateSchedule', 'iam:PassRole'],
} as const;

/** On each rule. */
export const rulePermissions = {
  DescribeRule: ['events:DescribeRule'],
  EnableRule: ['events:EnableRule'],
  DisableRule: ['events:DisableRule'],
} as const;

/** On the table whose changes are dispatched, and on the mapping of its stream. */
export const changesPermissions = {
  DescribeTable: ['dynamodb:DescribeTable'],
  GetEventSourceMapping: ['lambda:GetEventSourceMapping'],
} as const;
