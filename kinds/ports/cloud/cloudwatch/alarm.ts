/** Alarms of CloudWatch. */
import type { Calls } from '../call.ts';

/** `StateValue`: OK, ALARM or INSUFFICIENT_DATA. */
export type AlarmSummary = { AlarmName: string; StateValue: string };
export interface AlarmActions {
  /** CloudWatch; alarms that do not exist are left out. */
  DescribeAlarms: [
    { AlarmNames: string[]; AlarmTypes?: ('MetricAlarm' | 'CompositeAlarm')[]; MaxRecords?: number },
    { MetricAlarms: AlarmSummary[]; CompositeAlarms: AlarmSummary[]; NextToken?: string },
  ];
}

export const alarmCalls = {
  DescribeAlarms: {},
} as const satisfies Calls<AlarmActions>;
