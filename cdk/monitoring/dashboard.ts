/** One dashboard. At most 50 metrics: an account's first three dashboards of that size are free. */
import { aws_cloudwatch as cloudwatch } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { workerClasses } from '../names.ts';
import type { Metrics, StateMachineArns } from './metrics.ts';

export interface DashboardOptions {
  installation: string;
  metrics: Metrics;
  alarms: cloudwatch.Alarm[];
  stateMachines: StateMachineArns;
}

const graph = (title: string, left: cloudwatch.IMetric[], right: cloudwatch.IMetric[] = []) =>
  new cloudwatch.GraphWidget({ title, left, right, width: 8, height: 6 });

/** What means the same as a metric of `/metrics` has its name. */
const named = (label: string, metric: cloudwatch.Metric) => metric.with({ label });

export const createDashboard = (scope: Construct, options: DashboardOptions): cloudwatch.Dashboard => {
  const { installation, metrics, alarms, stateMachines } = options;
  const workers = workerClasses.map((worker) => `reconcile-${worker}` as const);
  const executions = Object.values(stateMachines);
  return new cloudwatch.Dashboard(scope, 'Dashboard', {
    dashboardName: installation,
    widgets: [
      [new cloudwatch.AlarmStatusWidget({ title: 'Alarms', alarms, width: 24, height: 3 })],
      [
        graph(
          'API requests',
          [named('apiserver_request_total', metrics.api('Count'))],
          [
            named('apiserver_request_total{code="4xx"}', metrics.api('4XXError')),
            named('apiserver_request_total{code="5xx"}', metrics.api('5XXError')),
          ],
        ),
        graph('API latency', [metrics.latency('p50'), metrics.latency('p99')]),
        graph('Open watches and requests', [
          named('apiserver_longrunning_requests', metrics.concurrency('watch')),
          metrics.concurrency('api'),
        ]),
      ],
      [
        graph(
          'Passes',
          workers.map((name) => metrics.function('Invocations', name)),
          workers.map((name) => metrics.function('Errors', name)),
        ),
        graph('Work that waits', [
          ...workerClasses.map((worker) => metrics.waiting(worker, 'hot')),
          ...workerClasses.map((worker) => metrics.waiting(worker, 'slow')),
        ]),
        graph('Age of changes when they become work', [metrics.iteratorAge()]),
      ],
      [
        graph(
          'Operations',
          executions.flatMap((arn) => [
            metrics.executions('ExecutionsStarted', arn),
            metrics.executions('ExecutionsSucceeded', arn),
          ]),
          executions.map((arn) => metrics.executions('ExecutionsFailed', arn)),
        ),
        graph('Capacity of the tables', [
          metrics.consumed('ConsumedReadCapacityUnits', 'objects'),
          metrics.consumed('ConsumedWriteCapacityUnits', 'objects'),
          metrics.consumed('ConsumedReadCapacityUnits', 'work'),
          metrics.consumed('ConsumedWriteCapacityUnits', 'work'),
        ]),
        graph('Sweeps and dead letters', [metrics.function('Invocations', 'sweep')], [metrics.dead()]),
      ],
    ],
  });
};
