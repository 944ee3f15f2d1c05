/** CloudWatch alarms, whose states users of the simulation set. */
import { refuse } from './errors.ts';
import { type AccountState, type Handlers, scaled } from './state.ts';

export const alarmStates = ['OK', 'ALARM', 'INSUFFICIENT_DATA'] as const;
export type AlarmState = (typeof alarmStates)[number];
export type AlarmRecord = { region: string; name: string; state: AlarmState };

const idOf = (region: string, name: string): string => `${region}/${name}`;

/** Creates the alarm, or changes its state; EventBridge tells about changes, as well as it can. */
export const setAlarm = (account: AccountState, alarm: AlarmRecord): void => {
  const { behaviour, random, timers, clock, alarms } = account;
  const { region, name, state } = alarm;
  const before = alarms.get(idOf(region, name));
  alarms.put(idOf(region, name), alarm);
  if (before?.state === state) return;
  const send = (which: string, delay: number): void =>
    timers.at(`alarm/${which}/${region}/${name}/${state}`, clock.now() + delay, () =>
      account.onAlarmChange({ region, alarmName: name }),
    );
  if (behaviour.lostEvents === 0 || random.next() >= behaviour.lostEvents)
    send('first', scaled(account, behaviour.delays.event));
  if (behaviour.duplicatedEvents > 0 && random.next() < behaviour.duplicatedEvents)
    send('again', scaled(account, behaviour.delays.event * (1 + 9 * random.next())));
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
