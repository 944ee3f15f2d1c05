/** Scaling activities: what a group does to one instance, why, and how it ends. */
import { sendEvent } from './events.ts';
import { type ActivityRecord, type GroupRecord, groupNamed, timeText, viewActivity } from './group.ts';
import { newUuid } from './naming.ts';
import type { AccountState, GroupChange, Handlers } from './state.ts';

/** As far back as anyone looks. */
const mostKept = 100;

/** Reports something of a group on the account's event bus. */
export const reportGroup = (
  account: AccountState,
  { region, name }: GroupRecord,
  type: string,
  key: string,
  detail: Record<string, unknown>,
): void => {
  const event: GroupChange = { region, type, detail: { ...detail, AutoScalingGroupName: name } };
  sendEvent(account, `${name}/${type}/${key}`, () => account.onGroupChange(event));
};

/** As causes have times. */
export const toTheSecond = (time: number): string => `${timeText(time).slice(0, 19)}Z`;

export const beginActivity = (
  account: AccountState,
  group: GroupRecord,
  description: string,
  because: string,
): ActivityRecord => {
  const started = account.clock.now();
  const activity: ActivityRecord = {
    id: newUuid(account.random),
    description,
    cause: `At ${toTheSecond(started)} ${because}.`,
    status: 'InProgress',
    started,
  };
  group.activities = [activity, ...group.activities].slice(0, mostKept);
  return activity;
};

const eventOf = { Launching: 'EC2 Instance Launch', Terminating: 'EC2 Instance Terminate' };

/** Ends an activity, and reports how. */
export const endActivity = (
  account: AccountState,
  group: GroupRecord,
  id: string,
  { status, message, instanceId }: Pick<ActivityRecord, 'status' | 'message'> & { instanceId?: string },
): void => {
  const activity = group.activities.find((one) => one.id === id);
  // The group keeps only the newest ones.
  if (!activity || activity.ended !== undefined) return;
  Object.assign(activity, { status, ended: account.clock.now(), ...(message && { message }) });
  const what = activity.description.startsWith('Launching') ? eventOf.Launching : eventOf.Terminating;
  reportGroup(account, group, `${what} ${status === 'Successful' ? 'Successful' : 'Unsuccessful'}`, id, {
    ActivityId: id,
    Description: activity.description,
    Cause: activity.cause,
    StatusCode: status,
    ...(message && { StatusMessage: message }),
    ...(instanceId && { EC2InstanceId: instanceId }),
    StartTime: timeText(activity.started),
    EndTime: timeText(activity.ended!),
  });
};

export const setActivityStatus = (group: GroupRecord, id: string, status: ActivityRecord['status']): void => {
  const activity = group.activities.find((one) => one.id === id);
  if (activity && activity.ended === undefined) activity.status = status;
};

export const scalingActivityActions = {
  DescribeScalingActivities: (call, { AutoScalingGroupName, MaxRecords = mostKept }) => ({
    Activities: groupNamed(call, AutoScalingGroupName).activities.slice(0, MaxRecords).map(viewActivity),
  }),
} satisfies Handlers;
