/** CloudWatch alarms, whose states users of the simulation set. */
import { refuse } from './errors.ts';
import { sendEvent } from './events.ts';
import type { AccountState, Handlers } from './state.ts';

export const alarmStates = ['OK', 'ALARM', 'INSUFFICIENT_DATA'] as const;
export type AlarmState = (typeof alarmStates)[number];
export type AlarmRecord = { region: string; name: string; state: AlarmState };

const idOf = (region: string, name: string): string => `${region}/${name}`;

/** Creates the alarm, or changes its state; EventBridge tells about changes, as well as it can. */
export const setAlarm = (account: AccountState, alarm: AlarmRecord): void => {
  const { alarms } = account;
  const { region, name, state } = alarm;
  const before = alarms.get(idOf(region, name));
  alarms.put(idOf(region, name), alarm);
  if (before?.state === state) return;
  sendEvent(account, `${idOf(region, name)}/${state}`, () => account.onAlarmChange({ region, alarmName: name }));
};

export const removeAlarm = ({ alarms }: AccountState, region: string, name: string): void =>
  alarms.delete(idOf(region, name));

const most = 100;

export const alarmActions = {
  DescribeAlarms: ({ account, region }, { AlarmNames, MaxRecords = 50 }) => {
    if (AlarmNames.length > most || MaxRecords > most)
      refuse('ValidationError', `Value must be less than or equal to ${most}`);
    const found = AlarmNames.flatMap((name) => account.alarms.get(idOf(region, name)) ?? []);
    return {
      MetricAlarms: found.slice(0, MaxRecords).map(({ name, state }) => ({ AlarmName: name, StateValue: state })),
      CompositeAlarms: [],
    };
  },
} satisfies Handlers;
