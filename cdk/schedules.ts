/** Schedules that are enabled only while there is work. */
import { Duration, aws_iam as iam, aws_scheduler as scheduler } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { Functions } from './functions.ts';
import type { Names } from './names.ts';
import { scheduled, scheduleNames } from './scheduled.ts';

export interface Schedules {
  role: iam.Role;
}

/** Enabled here, like the queue mappings: the first sweep after a deployment disables them if there is no work. */
export const createSchedules = (scope: Construct, functions: Functions, names: Names, source: SourceOf): Schedules => {
  const group = new scheduler.CfnScheduleGroup(scope, 'Schedules', { name: names.scheduleGroup });
  const role = new iam.Role(scope, 'SchedulesRole', {
    // Only for this installation's schedules, so that other users of the scheduler cannot assume it.
    assumedBy: new iam.ServicePrincipal('scheduler.amazonaws.com', {
      conditions: { StringEquals: { 'aws:SourceAccount': source.account, 'aws:SourceArn': source.group } },
    }),
  });
  const policy = new iam.Policy(scope, 'SchedulesPolicy', {
    roles: [role],
    statements: [
      new iam.PolicyStatement({
        actions: ['lambda:InvokeFunction'],
        resources: [...new Set(scheduleNames.map((name) => scheduled[name].function))].map(
          (name) => functions[name].function.functionArn,
        ),
      }),
    ],
  });
  for (const name of scheduleNames) {
    const { function: invoked, minutes } = scheduled[name];
    const schedule = new scheduler.CfnSchedule(scope, `Every${name}`, {
      name: names.schedule(name),
      groupName: names.scheduleGroup,
      scheduleExpression: scheduler.ScheduleExpression.rate(Duration.minutes(minutes)).expressionString,
      flexibleTimeWindow: { mode: 'OFF' },
      state: 'ENABLED',
      target: {
        arn: functions[invoked].function.functionArn,
        roleArn: role.roleArn,
        input: JSON.stringify({ run: name }),
        // The next run does the same.
        retryPolicy: { maximumRetryAttempts: 0, maximumEventAgeInSeconds: 60 },
      },
    });
    schedule.node.addDependency(group, policy);
  }
  return { role };
};

export interface SourceOf {
  account: string;
  /** The group's ARN, which the scheduler presents when it assumes the role. */
  group: string;
}
