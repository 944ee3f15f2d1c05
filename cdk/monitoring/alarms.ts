/** Alarms. CloudWatch charges per metric that an alarm reads, so they read few. */
import { aws_cloudwatch as cloudwatch, Duration } from 'aws-cdk-lib';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { workerClasses } from '../names.ts';
import { scheduled } from '../scheduled.ts';
import { largestOf, type Metrics, riseOf, silenceOf, sumOf } from './metrics.ts';

interface Alarmed {
  id: string;
  metric: cloudwatch.IMetric;
  /** What it means and what to do. */
  says: string;
  /** The threshold; 1 by default. */
  threshold?: number;
  /** Consecutive periods of the metric; 1 by default. */
  periods?: number;
  /** How many of the periods must breach; all by default. */
  of?: number;
}

export interface AlarmsOptions {
  installation: string;
  metrics: Metrics;
  frozen: cloudwatch.IMetric;
  /** Undefined when operations run without workflows. */
  failed: cloudwatch.IMetric | undefined;
  undispatched: cloudwatch.IMetric;
  lasting: cloudwatch.IMetric;
  topic: ITopic;
}

/** Seconds. A polled queue delivers within seconds; behind a backlog, within minutes. */
const longestWait = 900;
/**
 * Longer than the interval between two sweeps, so that each period contains one; also longer than the waits between
 * the retries of a message, of a task and of an event.
 */
const heartbeat = Duration.minutes(scheduled.sweep.minutes + 5);

const ofWorkers = (metric: (name: `reconcile-${(typeof workerClasses)[number]}`) => cloudwatch.IMetric) =>
  Object.fromEntries(workerClasses.map((worker) => [worker, metric(`reconcile-${worker}`)]));

/** Detects clusters that nothing polls, sweeps or dispatches: each alarm covers what another depends on. */
const alive = ({ metrics, undispatched }: AlarmsOptions): Alarmed[] => [
  {
    id: 'MessagesWait',
    // A slow queue is polled only during a resync, and keeps its messages in between.
    metric: largestOf(
      'Oldest',
      Object.fromEntries(workerClasses.map((worker) => [worker, metrics.oldest(worker, 'hot')])),
    ),
    threshold: longestWait,
    periods: 2,
    says: `A message has waited for ${longestWait / 60} minutes: the workers do not poll, or cannot keep up. Look whether the event source mappings of the queues are enabled; the next sweep enables them. With throttles, raise maxConcurrency and the account's quota.`,
  },
  {
    id: 'SweepMissing',
    // The prober of each Cluster has a timer, so delayed messages indicate that there are some.
    metric: silenceOf('Silent', {
      while: { workload: metrics.delayed('workload', 'hot') },
      beats: metrics.function('Invocations', 'sweep'),
      period: heartbeat,
    }),
    periods: 2,
    says: 'There is work, and the sweep has not run for half an hour: nothing finds lost work or enables what is off. Look whether the schedules of the installation are enabled: capstan doctor says so, and how to start a sweep, which enables them.',
  },
  {
    id: 'ChangesUndispatched',
    metric: undispatched,
    says: 'The table of objects and the event source mapping of its stream have come apart, as after a restore by hand: what users apply leads to nothing. Or the stream lost changes, which the sweep has dispatched now. The log of the sweep says which; docs/restore.md says what to do.',
  },
  {
    id: 'DispatchLags',
    metric: metrics.iteratorAge(),
    threshold: 300_000,
    periods: 2,
    says: 'Changes of objects have not become work for five minutes: see the log of the function dispatch.',
  },
  {
    id: 'WorkersThrottled',
    metric: sumOf(
      'Throttled',
      ofWorkers((name) => metrics.function('Throttles', name)),
    ),
    threshold: 5,
    periods: 3,
    says: 'Workers are short of concurrent executions: ask for a higher quota (a new account has 10), or close watches.',
  },
];

const alarmed = (options: AlarmsOptions): Alarmed[] => {
  const { metrics, frozen, failed, lasting } = options;
  const errors = (name: Parameters<Metrics['function']>[1]) => metrics.function('Errors', name);
  return [
    {
      id: 'Frozen',
      metric: frozen,
      says: 'The installation is frozen: its objects do not fit its account, as after a restore. Nothing is acted on until a person looks: capstan status',
    },
    {
      id: 'ObjectsFail',
      metric: lasting,
      says: 'Something about single objects has failed for half an hour, or a sweep had to skip them; all others go on. A permission, a quota or a region may be missing, or an object is damaged. The logs of the workers and of the sweep name them and say why: capstan logs. Each object rings once, and again after a day.',
    },
    {
      id: 'DeadLetters',
      // A message stays for fourteen days. The next one must ring too.
      metric: riseOf('Rise', { dead: metrics.dead() }),
      says: 'Messages could not be handled for hours. The work itself is not lost: the sweep finds it, and looks at everything for changes that were given up. capstan dead-letters list shows them; see the logs of the function that they name. The alarm ends while they remain, and rings again with the next one.',
    },
    {
      id: 'ApiFails',
      metric: metrics.api('5XXError'),
      threshold: 5,
      periods: 2,
      says: 'The Kubernetes API answers with 5xx: see the logs of the functions api and watch. With HTTP 503 it may be short of concurrent executions.',
    },
    {
      id: 'ApiRefuses',
      metric: metrics.api('4XXError'),
      threshold: 1000,
      periods: 3,
      says: 'The Kubernetes API has refused more than three requests a second for a quarter of an hour: a stranger floods it, or a client has lost its rights. The access log says which addresses and which status; docs/cost.md says what a flood costs and how to end it.',
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
      metric: sumOf('Errors', ofWorkers(errors), heartbeat),
      threshold: 5,
      periods: 2,
      says: 'Workers fail as a whole, not at one object: see their logs. A permission, the key or a table may be missing.',
    },
    {
      id: 'SweepFails',
      metric: errors('sweep').with({ period: heartbeat }),
      // Within three hours, as a resync runs only once an hour.
      periods: 12,
      of: 3,
      says: 'Sweeps or resyncs fail: what was lost is not being found. See the log of the function sweep.',
    },
    {
      id: 'TasksFail',
      metric: errors('operate').with({ period: heartbeat }),
      threshold: 2,
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
    ...alive(options),
    ...(failed
      ? [
          {
            id: 'OperationsFail',
            metric: failed,
            says: 'An operation on a cluster failed, or something stands in the way of its end: kubectl get clusteroperations -A says which, and why.',
          },
        ]
      : []),
  ];
};

export const createAlarms = (scope: Construct, options: AlarmsOptions): cloudwatch.Alarm[] => {
  const { installation, topic } = options;
  return alarmed(options).map(({ id, metric, says, threshold = 1, periods = 1, of = periods }) => {
    const alarm = new cloudwatch.Alarm(scope, id, {
      alarmName: `${installation}-${id}`,
      alarmDescription: says,
      metric,
      threshold,
      evaluationPeriods: periods,
      datapointsToAlarm: of,
      comparisonOperator: cloudwatch.ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: cloudwatch.TreatMissingData.NOT_BREACHING,
    });
    alarm.addAlarmAction(new SnsAction(topic));
    return alarm;
  });
};
