/** Events from AWS: state changes of instances, and ended executions. */
import { Duration, aws_events as events, type aws_lambda as lambda, type aws_sqs as sqs } from 'aws-cdk-lib';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import type { Construct } from 'constructs';
import type { Functions } from './functions.ts';
import type { Names } from './names.ts';
import { createForwarding } from './regions.ts';
import type { StateMachines } from './workflows.ts';

export interface EventsOptions {
  functions: Functions;
  names: Names;
  deadLetters: sqs.Queue;
  /** Absent when operations run without workflows. */
  stateMachines: StateMachines | undefined;
  /** Further regions with clusters. */
  regions: readonly string[];
}

/** Sweeps find what is missed, so old events need no delivery. */
const target = (handler: lambda.IFunction, deadLetterQueue: sqs.Queue) =>
  new LambdaFunction(handler, { deadLetterQueue, retryAttempts: 8, maxEventAge: Duration.hours(1) });

const instancePattern = {
  source: ['aws.ec2', 'aws.health', 'aws.cloudwatch', 'aws.autoscaling'],
  detailType: [
    'EC2 Instance State-change Notification',
    'EC2 Spot Instance Interruption Warning',
    'EC2 Instance Rebalance Recommendation',
    'EC2 Capacity Reservation Instance Interruption Warning',
    'AWS Health Event',
    'CloudWatch Alarm State Change',
    'EC2 Instance Launch Successful',
    'EC2 Instance Launch Unsuccessful',
    'EC2 Instance Terminate Successful',
    'EC2 Instance Terminate Unsuccessful',
    'EC2 Instance-launch Lifecycle Action',
    'EC2 Instance-terminate Lifecycle Action',
    'EC2 Auto Scaling Instance Refresh Succeeded',
    'EC2 Auto Scaling Instance Refresh Failed',
    'EC2 Auto Scaling Instance Refresh Cancelled',
  ],
  // AWS Health reports all services; the events of others name none.
  detail: { service: ['EC2', { exists: false }] },
};

export const createEvents = (
  scope: Construct,
  { functions, names, deadLetters, stateMachines, regions }: EventsOptions,
): void => {
  if (regions.length > 0) createForwarding(scope, { names, regions, eventPattern: instancePattern });
  // Enabled like the schedules: the first sweep after a deployment disables it if no object exists.
  new events.Rule(scope, 'InstanceChanges', {
    ruleName: names.instanceRule,
    description: 'EC2 instances that changed, or are about to be interrupted or retired, and CloudWatch alarms',
    eventPattern: instancePattern,
    targets: [target(functions.instances.function, deadLetters)],
  });
  if (!stateMachines) return;
  new events.Rule(scope, 'ExecutionChanges', {
    description: 'Executions of our workflows that ended',
    eventPattern: {
      source: ['aws.states'],
      detailType: ['Step Functions Execution Status Change'],
      detail: {
        stateMachineArn: Object.values(stateMachines).map(({ stateMachineArn }) => stateMachineArn),
        status: ['SUCCEEDED', 'FAILED', 'TIMED_OUT', 'ABORTED'],
      },
    },
    targets: [target(functions.executions.function, deadLetters)],
  });
};
