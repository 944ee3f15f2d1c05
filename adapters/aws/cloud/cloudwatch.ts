/** Calls of CloudWatch. */
import {
  CloudWatchClient,
  type CompositeAlarm,
  DescribeAlarmsCommand,
  type MetricAlarm,
} from '@aws-sdk/client-cloudwatch';
import type { AlarmSummary } from '../../../kinds/ports/cloud/index.ts';
import { list, record, text, textIfAny } from './decode.ts';
import type { ClientConfig, Operations } from './operations.ts';
import { given } from './sdk-input.ts';

const fields = { AlarmName: text, StateValue: text };

export const operations = (config: ClientConfig): Operations<'cloudwatch'> => {
  const client = new CloudWatchClient(config);
  return {
    DescribeAlarms: (input) =>
      client.send(new DescribeAlarmsCommand(given(input))).then(
        record({
          MetricAlarms: list(record<MetricAlarm, AlarmSummary>(fields)),
          CompositeAlarms: list(record<CompositeAlarm, AlarmSummary>(fields)),
          NextToken: textIfAny,
        }),
      ),
  };
};
