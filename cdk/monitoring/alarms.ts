/** What a person should hear of. CloudWatch takes a price for each metric that an alarm looks at: few are looked at. */
import { aws_cloudwatch as cloudwatch } from 'aws-cdk-lib';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { type Metrics, type StateMachineArns, sumOf } from './metrics.ts';

interface Alarmed {
  id: string;
  metric: cloudwatch.IMetric;
  /** What it means, and what to do. */
  says: string;
  /** At least this much, 1 when absent. */
  threshold?: number;
  /** In so many periods of five minutes running, 1 when absent. */
  periods?: number;
}

export interface AlarmsOptions {
  installation: string;
  metrics: Metrics;
  frozen: cloudwatch.IMetric;
  held: cloudwatch.IMetric;
  stateMachines: StateMachineArns;
  topic: ITopic;
}

const alarmed = ({ metrics, frozen, held, stateMachines }: AlarmsOptions): Alarmed[] => {
  const errors = (name: Parameters<Metrics['function']>[1]) => metrics.function('Errors', name);
  const ended = Object.entries(stateMachines).map(
    ([name, arn]) => [name.replaceAll('-', ''), metrics.executions('ExecutionsFailed', arn)] as const,
  );
  return [
    {
      id: 'Frozen',
      metric: frozen,
      says: 'The installation is frozen: its objects do not fit its account, as after a restore. Nothing is acted on until a person looks: capstan status',
    },
    {
      id: 'DeadLetters',
      metric: metrics.dead(),
      says: 'Messages could not be handled for hours. The work itself is not lost: the sweep finds it, and looks at everything for changes that were given up. See the logs of the function that the messages name.',
    },
    {
      id: 'ApiFails',
      metric: metrics.api('5XXError'),
      threshold: 5,
      periods: 2,
      says: 'The Kubernetes API answers with 5xx: see the logs of the functions api and watch. With HTTP 503 it may be short of concurrent executions.',
    },
    {
      id: 'ApiThrottled',
      metric: sumOf('Throttled', {
        api: metrics.function('Throttles', 'api'),
        watch: metrics.function('Throttles', 'watch'),
      }),
      threshold: 5,
      periods: 2,
      says: 'The Kubernetes API is short of concurrent executions: ask for a higher quota (a new account has 10), or lower maxConcurrency.',
    },
    {
      id: 'WorkersFail',
      metric: sumOf('Errors', {
        core: errors('reconcile-core'),
        aws: errors('reconcile-aws'),
        workload: errors('reconcile-workload'),
        gc: errors('reconcile-gc'),
      }),
      threshold: 5,
      periods: 3,
      says: 'Workers fail as a whole, not at one object: see their logs. A permission, the key or a table may be missing.',
    },
    {
      id: 'DispatchLags',
      metric: metrics.iteratorAge(),
      threshold: 300_000,
      periods: 2,
      says: 'Changes of objects have not become work for five minutes: see the log of the function dispatch.',
    },
    {
      id: 'SweepFails',
      metric: errors('sweep'),
      periods: 3,
      says: 'What was lost is not being found: see the log of the function sweep.',
    },
    {
      id: 'TasksFail',
      metric: errors('operate'),
      threshold: 5,
      periods: 3,
      says: 'Tasks of workflows fail: see the log of the function operate.',
    },
    {
      id: 'TablesThrottled',
      metric: sumOf('Throttled', {
        objectsRead: metrics.throttles('ReadThrottleEvents', 'objects'),
        objectsWritten: metrics.throttles('WriteThrottleEvents', 'objects'),
        workRead: metrics.throttles('ReadThrottleEvents', 'work'),
        workWritten: metrics.throttles('WriteThrottleEvents', 'work'),
      }),
      threshold: 100,
      periods: 3,
      says: 'DynamoDB refuses requests for want of capacity: see the quotas of the account.',
    },
    ...(ended.length > 0
      ? [
          {
            id: 'OperationsFail',
            metric: sumOf('Failed', { ...Object.fromEntries(ended), held }),
            says: 'An operation on a cluster failed, or something stands in the way of its end: kubectl get clusteroperations -A says which, and why.',
          },
        ]
      : []),
  ];
};

export const createAlarms = (scope: Construct, options: AlarmsOptions): cloudwatch.Alarm[] => {
  const { installation, topic } = options;
  return alarmed(options).map(({ id, metric, says, threshold = 1, periods = 1 }) => {
    const alarm = new cloudwatch.Alarm(scope, id, {
      alarmName: `${installation}-${id}`,
      alarmDescription: says,
      metric,
      threshold,
      evaluationPeriods: periods,
      comparisonOperator: cloudwatch.ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: cloudwatch.TreatMissingData.NOT_BREACHING,
    });
    alarm.addAlarmAction(new SnsAction(topic));
    return alarm;
  });
};
