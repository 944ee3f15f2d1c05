/** That the installation froze is said in the logs of its workers. */
import { aws_cloudwatch as cloudwatch, Duration, aws_logs as logs } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { type Names, workerClasses } from '../names.ts';

const metricNamespace = 'Capstan';
const metricName = 'InstallationFrozen';

/** The entry that `adapters/installation/position.ts` writes. */
const entry = '"Installation frozen"';

/** A metric costs something only in the hours in which it was counted. */
export const createFrozenMetric = (scope: Construct, names: Names, installation: string): cloudwatch.Metric => {
  for (const worker of workerClasses) {
    const name = `reconcile-${worker}` as const;
    new logs.CfnMetricFilter(scope, `Frozen${worker}`, {
      logGroupName: names.log(name),
      filterPattern: entry,
      metricTransformations: [{ metricNamespace, metricName: `${metricName}-${installation}`, metricValue: '1' }],
    });
  }
  return new cloudwatch.Metric({
    namespace: metricNamespace,
    metricName: `${metricName}-${installation}`,
    statistic: 'Sum',
    period: Duration.minutes(5),
  });
};
