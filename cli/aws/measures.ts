/** CloudWatch metrics of an installation. */
import { CloudWatchClient, GetMetricDataCommand, type MetricDataQuery } from '@aws-sdk/client-cloudwatch';
import { namesOf, speeds, workerClasses } from '../../cdk/names.ts';
import type { Deployment } from '../client.ts';
import { asking } from './explain.ts';
import { chooseProfile } from './profile.ts';
import { settings } from './session.ts';

/** Seconds. SQS reports metrics of an idle queue up to fifteen minutes late. */
const window = 900;
const period = 60;

export interface Measures {
  /** Age of the oldest message in seconds, per queue. */
  queues: { name: string; age: number | undefined; waiting: number | undefined }[];
  /** Concurrent executions of the streaming function. */
  watches: number | undefined;
}

interface Asked {
  namespace: string;
  metric: string;
  dimension: string;
  value: string;
}
const queryOf = ({ namespace, metric, dimension, value }: Asked, index: number): MetricDataQuery => ({
  Id: `m${index}`,
  MetricStat: {
    Metric: { Namespace: namespace, MetricName: metric, Dimensions: [{ Name: dimension, Value: value }] },
    Period: period,
    Stat: 'Maximum',
  },
});

export const measure = async (
  { installation, region, profile }: Deployment,
  now: number,
  open: (region: string) => Pick<CloudWatchClient, 'send'> = (name) =>
    new CloudWatchClient({ ...settings, region: name }),
): Promise<Measures> => {
  chooseProfile(profile);
  const names = namesOf(installation);
  const queues = [
    ...workerClasses.flatMap((worker) => speeds.map((speed) => names.queue(worker, speed))),
    names.deadLetters,
  ];
  const ofQueue = (metric: string) =>
    queues.map((value): Asked => ({ namespace: 'AWS/SQS', metric, dimension: 'QueueName', value }));
  const asked: Asked[] = [
    ...ofQueue('ApproximateAgeOfOldestMessage'),
    ...ofQueue('ApproximateNumberOfMessagesVisible'),
    {
      namespace: 'AWS/Lambda',
      metric: 'ConcurrentExecutions',
      dimension: 'FunctionName',
      value: names.function('watch'),
    },
  ];
  const request = new GetMetricDataCommand({
    MetricDataQueries: asked.map(queryOf),
    StartTime: new Date(now - window * 1000),
    EndTime: new Date(now),
    ScanBy: 'TimestampDescending',
  });
  const { MetricDataResults = [] } = await asking(open(region).send(request), {
    action: 'cloudwatch:GetMetricData',
    what: `the metrics of ${installation}`,
    profile,
    region,
  });
  const latest = new Map(MetricDataResults.map(({ Id, Values }) => [Id, Values?.[0]]));
  const at = (index: number) => latest.get(`m${index}`);
  return {
    queues: queues.map((name, i) => ({ name, age: at(i), waiting: at(queues.length + i) })),
    watches: at(2 * queues.length),
  };
};
