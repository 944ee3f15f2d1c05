/** Metrics from log entries. A metric costs money only in hours in which it was counted. */
import { aws_cloudwatch as cloudwatch, Duration, aws_logs as logs } from 'aws-cdk-lib';
import type { Construct } from 'constructs';

const metricNamespace = 'Capstan';

export interface EntriesOptions {
  installation: string;
  /** The name of the metric. */
  name: string;
  /** A CloudWatch filter pattern. */
  pattern: string;
  /** Log groups by the construct id of their filter. */
  logGroups: Record<string, string>;
}

/** Matching entries in five minutes. */
export const countEntries = (
  scope: Construct,
  { installation, name, pattern, logGroups }: EntriesOptions,
): cloudwatch.Metric => {
  const metricName = `${name}-${installation}`;
  for (const [id, logGroupName] of Object.entries(logGroups)) {
    new logs.CfnMetricFilter(scope, id, {
      logGroupName,
      filterPattern: pattern,
      metricTransformations: [{ metricNamespace, metricName, metricValue: '1' }],
    });
  }
  return new cloudwatch.Metric({
    namespace: metricNamespace,
    metricName,
    statistic: 'Sum',
    period: Duration.minutes(5),
  });
};
