/** Schedules of EventBridge Scheduler that are enabled only while there is work. */
import { GetScheduleCommand, type SchedulerClient, UpdateScheduleCommand } from '@aws-sdk/client-scheduler';
import { type Attempt, sent } from '../service/error.ts';
import type { Switch } from './awake.ts';

export interface SchedulesOptions {
  client: Pick<SchedulerClient, 'send'>;
  /** In one group. The first is enabled first and disabled last. */
  names: readonly string[];
  /** `default` by default. */
  group?: string;
}

export const schedules = ({ client, names, group: GroupName }: SchedulesOptions): Switch => {
  const within = GroupName === undefined ? {} : { GroupName };
  const attempt = (action: string, Name: string): Attempt => ({
    action,
    what: `the schedule ${GroupName ?? 'default'}/${Name}`,
  });

  // An update replaces the whole schedule, so pass back what was read.
  const turn = async (Name: string, State: 'ENABLED' | 'DISABLED', unless?: 'ENABLED' | 'DISABLED'): Promise<void> => {
    const read = client.send(new GetScheduleCommand({ Name, ...within }));
    const { Arn, CreationDate, LastModificationDate, $metadata, ...found } = await sent(
      read,
      attempt('scheduler:GetSchedule', Name),
    );
    if (found.State === unless) return;
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
  const inTurn = async (all: readonly string[], run: (name: string) => Promise<void>) => {
    for (const name of all) await run(name);
  };
  const off = names.toReversed();
  return {
    enable: () => inTurn(names, (name) => turn(name, 'ENABLED')),
    disable: () => inTurn(off, (name) => turn(name, 'DISABLED')),
    keep: (enabled) => {
      const state = enabled ? 'ENABLED' : 'DISABLED';
      return inTurn(enabled ? names : off, (name) => turn(name, state, state));
    },
  };
};
