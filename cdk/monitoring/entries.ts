/** Metrics of entries in logs. One costs something only in the hours in which it was counted. */
import { aws_cloudwatch as cloudwatch, Duration, aws_logs as logs } from 'aws-cdk-lib';
import type { Construct } from 'constructs';

const metricNamespace = 'Capstan';

export interface EntriesOptions {
  installation: string;
  /** Of the metric. */
  name: string;
  /** Which entries, in CloudWatch's syntax for filters. */
  pattern: string;
  /** The log groups that are looked at, by what their filters are called in the stack. */
  logGroups: Record<string, string>;
}

/** How many such entries came in five minutes. */
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
