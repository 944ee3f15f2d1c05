import { setTimeout as delay } from 'node:timers/promises';
import { CloudWatchClient, PutMetricAlarmCommand, SetAlarmStateCommand } from '@aws-sdk/client-cloudwatch';
import { afterAll, beforeAll, inject } from 'vitest';
import { awsCloud } from '../../../adapters/aws/cloud/index.ts';
import { systemClock } from '../../../adapters/memory/clock.ts';
import { autoScalingContract } from '../../contract/auto-scaling.contract.ts';
import { cloudContract } from '../../contract/cloud.contract.ts';
import type { CloudUnderTest } from '../../contract/cloud.fixture.ts';
import { cloudListsContract } from '../../contract/cloud-lists.contract.ts';
import { moto as deviations, motoGroups } from './deviations.ts';
import { type Moto, startMoto } from './moto.ts';

const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
let moto: Moto;
beforeAll(async () => {
  moto = await startMoto(inject('programs').motoServer);
});
afterAll(() => moto.stop());

const open = async (): Promise<CloudUnderTest> => {
  await moto.reset();
  return {
    cloud: awsCloud({
      clock: systemClock,
      clients: { endpoint: moto.endpoint, credentials },
      resolveEndpoint: async (at) => ({ ...at, Resolves: true }),
    }),
    region: 'us-east-1',
    settle: async (done) => {
      for (let tries = 0; tries < 600 && !(await done()); tries++) await delay(100);
    },
    alarm: async (AlarmName, StateValue) => {
      const client = new CloudWatchClient({ region: 'us-east-1', endpoint: moto.endpoint, credentials });
      await client.send(
        new PutMetricAlarmCommand({
          AlarmName,
          Namespace: 'AWS/SQS',
          MetricName: 'ApproximateNumberOfMessagesVisible',
          Statistic: 'Average',
          Period: 60,
          EvaluationPeriods: 1,
          Threshold: 1,
          ComparisonOperator: 'GreaterThanThreshold',
        }),
      );
      await client.send(new SetAlarmStateCommand({ AlarmName, StateValue, StateReason: 'a test' }));
      client.destroy();
    },
    close: async () => {},
  };
};

cloudContract('AWS, as moto has it', open, deviations);
cloudListsContract('AWS, as moto has it', open);
autoScalingContract('AWS, as moto has it', open, motoGroups);
