/** Schedules of EventBridge Scheduler that run only while there is something to look after. */
import { GetScheduleCommand, type SchedulerClient, UpdateScheduleCommand } from '@aws-sdk/client-scheduler';
import { type Attempt, sent } from '../service/error.ts';

export interface SchedulesOptions {
  client: Pick<SchedulerClient, 'send'>;
  /** The names of the schedules, all in one group. */
  names: readonly string[];
  /** `default` when absent. */
  group?: string;
}

/** What fires at intervals, as a whole. Both may be repeated, in any order; the last one counts. */
export interface Timers {
  enable(): Promise<void>;
  disable(): Promise<void>;
}

export const schedules = ({ client, names, group: GroupName }: SchedulesOptions): Timers => {
  const within = GroupName === undefined ? {} : { GroupName };
  const attempt = (action: string, Name: string): Attempt => ({
    action,
    what: `the schedule ${GroupName ?? 'default'}/${Name}`,
  });

  // An update replaces the whole schedule, so it is given back as it was read.
  const turn = async (Name: string, State: 'ENABLED' | 'DISABLED'): Promise<void> => {
    const read = client.send(new GetScheduleCommand({ Name, ...within }));
    const { Arn, CreationDate, LastModificationDate, $metadata, ...found } = await sent(
      read,
      attempt('scheduler:GetSchedule', Name),
    );
    if (found.State === State) return;
    const { ScheduleExpression, Target, FlexibleTimeWindow } = found;
    const update = new UpdateScheduleCommand({
      ...found,
      Name,
      ...within,
      State,
      ScheduleExpression,
      Target,
      FlexibleTimeWindow,
    });
    await sent(client.send(update), attempt('scheduler:UpdateSchedule', Name));
  };
  const turnAll = async (state: 'ENABLED' | 'DISABLED') => {
    for (const name of names) await turn(name, state);
  };
  return { enable: () => turnAll('ENABLED'), disable: () => turnAll('DISABLED') };
};
