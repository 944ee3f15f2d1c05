/** Event sources of the functions: queues, and the stream of changes. */
import {
  Duration,
  aws_lambda as lambda,
  type aws_sns as sns,
  aws_lambda_event_sources as sources,
  type aws_sqs as sqs,
} from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { concurrencyOf } from './concurrency.ts';
import type { DeployedFunction, Functions } from './functions.ts';
import { messagesAtOnce, stream } from './limits.ts';
import type { Speed, WorkerClass } from './names.ts';
import { perQueue, type Queues, queueId } from './queues.ts';
import type { Settings } from './settings.ts';
import type { Tables } from './tables.ts';

export interface MappingsOptions {
  tables: Tables;
  queues: Queues;
  functions: Functions;
  /** Receives changes that the stream discards. */
  lostChanges: sns.Topic;
  settings: Settings;
}

const reads = ({ role }: DeployedFunction, queue: sqs.Queue) =>
  role.addToPolicy(
    new PolicyStatement({
      actions: ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:ChangeMessageVisibility', 'sqs:GetQueueAttributes'],
      resources: [queue.queueArn],
    }),
  );

/**
 * Always enabled: reading costs nothing, and it wakes everything else. A change that cannot be dispatched is
 * retried for hours and then discarded, with an alarm, so that it does not block later ones. It created no
 * work item, so the sweep resyncs everything.
 */
const createStreamMapping = (
  scope: Construct,
  { tables, lostChanges, settings, functions: { dispatch } }: MappingsOptions,
) => {
  dispatch.role.addToPolicy(
    new PolicyStatement({
      actions: ['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator'],
      resources: [tables.objects.tableStreamArn!],
    }),
  );
  dispatch.role.addToPolicy(new PolicyStatement({ actions: ['sns:Publish'], resources: [lostChanges.topicArn] }));
  // ListStreams supports no resource-level permissions.
  dispatch.role.addToPolicy(new PolicyStatement({ actions: ['dynamodb:ListStreams'], resources: ['*'] }));
  return new lambda.EventSourceMapping(scope, 'Changes', {
    target: dispatch.function,
    eventSourceArn: tables.objects.tableStreamArn!,
    startingPosition: lambda.StartingPosition.TRIM_HORIZON,
    batchSize: stream.batchSize,
    // Dispatch does not depend on the order of changes, which AWS keeps only for each slot then.
    parallelizationFactor: concurrencyOf(settings).batchesPerShard,
    bisectBatchOnError: true,
    reportBatchItemFailures: true,
    retryAttempts: stream.retryAttempts,
    maxRecordAge: Duration.hours(stream.maxRecordHours),
    onFailure: new sources.SnsDlq(lostChanges),
    filters: [
      lambda.FilterCriteria.filter({
        eventName: lambda.FilterRule.isEqual('INSERT'),
        dynamodb: { Keys: { pk: { S: lambda.FilterRule.beginsWith('l#') } } },
      }),
    ],
  });
};

export type QueueMappings = Record<WorkerClass, Record<Speed, lambda.EventSourceMapping>>;

/**
 * Enabled here, although the sweep disables them when idle: a deployment in the middle of an operation must
 * not leave one disabled.
 */
const createQueueMappings = (scope: Construct, { queues, functions, settings }: MappingsOptions): QueueMappings => {
  const { perQueue: workersOf, hasSlowQueues } = concurrencyOf(settings);
  return perQueue((worker, speed) => {
    const queue = queues.of[worker][speed];
    const reconciling = functions[`reconcile-${worker}`];
    reads(reconciling, queue);
    return new lambda.EventSourceMapping(scope, `${queueId(worker, speed)}Messages`, {
      target: reconciling.function,
      eventSourceArn: queue.queueArn,
      batchSize: messagesAtOnce[worker],
      reportBatchItemFailures: true,
      maxConcurrency: workersOf[worker],
      // At a low concurrency limit resyncs go to the hot queue.
      ...(speed === 'slow' && !hasSlowQueues && { enabled: false }),
    });
  });
};

export interface Mappings {
  /** The mapping of the objects' stream. */
  changes: lambda.EventSourceMapping;
  queues: QueueMappings;
}

export const createMappings = (scope: Construct, options: MappingsOptions): Mappings => ({
  changes: createStreamMapping(scope, options),
  queues: createQueueMappings(scope, options),
});
