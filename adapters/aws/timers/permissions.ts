/** What a role must be allowed to switch what polls and fires. The policies of a deployment are made from these tables. */

/** On `arn:…:event-source-mapping:<uuid>` of each mapping. */
export const mappingPermissions = {
  GetEventSourceMapping: ['lambda:GetEventSourceMapping'],
  UpdateEventSourceMapping: ['lambda:UpdateEventSourceMapping'],
} as const;

/** On each schedule; an update gives its target's role again, which must be passed (to scheduler.amazonaws.com). */
export const schedulePermissions = {
  GetSchedule: ['scheduler:GetSchedule'],
  UpdateSchedule: ['scheduler:UpdateSchedule', 'iam:PassRole'],
} as const;
