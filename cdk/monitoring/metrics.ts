/** The CloudWatch metrics of an installation, by the names of its resources. */
import { aws_cloudwatch as cloudwatch, Duration } from 'aws-cdk-lib';
import type { DefinitionName } from '../../stepfunctions/index.ts';
import type { FunctionName, Names, Speed, WorkerClass } from '../names.ts';

const period = Duration.minutes(5);

export interface Watched {
  names: Names;
  tables: { objects: string; work: string };
  stage: string;
}

export const metricsOf = ({ names, tables, stage }: Watched) => {
  const metric = (namespace: string, metricName: string, dimensionsMap: Record<string, string>, statistic = 'Sum') =>
    new cloudwatch.Metric({ namespace, metricName, dimensionsMap, statistic, period });
  return {
    api: (name: '4XXError' | '5XXError' | 'Count') =>
      metric('AWS/ApiGateway', name, { ApiName: names.api, Stage: stage }),
    latency: (statistic: string) =>
      metric('AWS/ApiGateway', 'Latency', { ApiName: names.api, Stage: stage }, statistic),
    function: (name: 'Errors' | 'Invocations' | 'Throttles', of: FunctionName) =>
      metric('AWS/Lambda', name, { FunctionName: names.function(of) }),
    concurrency: (of: FunctionName) =>
      metric('AWS/Lambda', 'ConcurrentExecutions', { FunctionName: names.function(of) }, 'Maximum'),
    iteratorAge: () => metric('AWS/Lambda', 'IteratorAge', { FunctionName: names.function('dispatch') }, 'Maximum'),
    waiting: (worker: WorkerClass, speed: Speed) =>
      metric('AWS/SQS', 'ApproximateNumberOfMessagesVisible', { QueueName: names.queue(worker, speed) }, 'Maximum'),
    /** Seconds. SQS ignores messages that were received three times, so a permanently failing message does not raise it. */
    oldest: (worker: WorkerClass, speed: Speed) =>
      metric('AWS/SQS', 'ApproximateAgeOfOldestMessage', { QueueName: names.queue(worker, speed) }, 'Maximum'),
    /** Timers: messages that are due later. */
    delayed: (worker: WorkerClass, speed: Speed) =>
      metric('AWS/SQS', 'ApproximateNumberOfMessagesDelayed', { QueueName: names.queue(worker, speed) }, 'Maximum'),
    dead: () => metric('AWS/SQS', 'ApproximateNumberOfMessagesVisible', { QueueName: names.deadLetters }, 'Maximum'),
    executions: (name: 'ExecutionsFailed' | 'ExecutionsStarted' | 'ExecutionsSucceeded', arn: string) =>
      metric('AWS/States', name, { StateMachineArn: arn }),
    throttles: (name: 'ReadThrottleEvents' | 'WriteThrottleEvents', table: 'objects' | 'work') =>
      metric('AWS/DynamoDB', name, { TableName: tables[table] }),
    consumed: (name: 'ConsumedReadCapacityUnits' | 'ConsumedWriteCapacityUnits', table: 'objects' | 'work') =>
      metric('AWS/DynamoDB', name, { TableName: tables[table] }),
  };
};
export type Metrics = ReturnType<typeof metricsOf>;

export type StateMachineArns = Partial<Record<DefinitionName, string>>;

const filled = (metrics: Record<string, cloudwatch.IMetric>) => Object.keys(metrics).map((id) => `FILL(${id}, 0)`);

/**
 * The sum of several metrics as one expression, because an alarm costs per metric. A missing data point is not zero, and a
 * plain sum with a gap is a gap, which would hide the failures of the others.
 */
export const sumOf = (
  label: string,
  metrics: Record<string, cloudwatch.IMetric>,
  every = period,
): cloudwatch.MathExpression =>
  new cloudwatch.MathExpression({
    label,
    expression: `SUM([${filled(metrics).join(', ')}])`,
    usingMetrics: metrics,
    period: every,
  });

/** How much more a metric is than in the period before. */
export const riseOf = (label: string, metric: Record<string, cloudwatch.IMetric>): cloudwatch.MathExpression =>
  new cloudwatch.MathExpression({ label, expression: `DIFF(${filled(metric).join()})`, usingMetrics: metric, period });

/** The maximum of several metrics. */
export const largestOf = (label: string, metrics: Record<string, cloudwatch.IMetric>): cloudwatch.MathExpression =>
  new cloudwatch.MathExpression({
    label,
    expression: `MAX([${filled(metrics).join(', ')}])`,
    usingMetrics: metrics,
    period,
  });

/** 1 in a period with data of any `while` metric and no data of `beats`, else 0. */
export const silenceOf = (
  label: string,
  {
    while: present,
    beats,
    period: every,
  }: { while: Record<string, cloudwatch.IMetric>; beats: cloudwatch.IMetric; period: Duration },
): cloudwatch.MathExpression =>
  new cloudwatch.MathExpression({
    label,
    expression: `IF(SUM([${filled(present).join(', ')}]) > 0 AND FILL(beats, 0) < 1, 1, 0)`,
    usingMetrics: { ...present, beats },
    period: every,
  });
