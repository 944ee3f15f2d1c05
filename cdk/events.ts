/** What AWS tells of by itself: instances whose state changed, and executions that ended. */
import { Duration, aws_events as events, type aws_lambda as lambda, type aws_sqs as sqs } from 'aws-cdk-lib';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import type { Construct } from 'constructs';
import type { Functions } from './functions.ts';
import type { Names } from './names.ts';
import type { StateMachines } from './workflows.ts';

export interface EventsOptions {
  functions: Functions;
  names: Names;
  deadLetters: sqs.Queue;
  /** None when operations run without workflows. */
  stateMachines: StateMachines | undefined;
}

/** What is missed is found by looking again, so that old news need not be delivered. */
const target = (handler: lambda.IFunction, deadLetterQueue: sqs.Queue) =>
  new LambdaFunction(handler, { deadLetterQueue, retryAttempts: 8, maxEventAge: Duration.hours(1) });

export const createEvents = (
  scope: Construct,
  { functions, names, deadLetters, stateMachines }: EventsOptions,
): void => {
  // Enabled here, as the schedules are: the first sweep after a deployment disables it where nothing exists.
  new events.Rule(scope, 'InstanceChanges', {
    ruleName: names.instanceRule,
    description: 'EC2 instances whose state changed, or that are about to be interrupted',
    eventPattern: {
      source: ['aws.ec2'],
      detailType: ['EC2 Instance State-change Notification', 'EC2 Spot Instance Interruption Warning'],
    },
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
