/** The smaller adapters, each against a service with state. */
import { randomUUID } from 'node:crypto';
import {
  CreateKeyCommand,
  DisableKeyCommand,
  EnableKeyCommand,
  KMSClient,
  ScheduleKeyDeletionCommand,
} from '@aws-sdk/client-kms';
import {
  CreateScheduleCommand,
  CreateScheduleGroupCommand,
  DeleteScheduleCommand,
  DeleteScheduleGroupCommand,
  GetScheduleCommand,
  SchedulerClient,
} from '@aws-sdk/client-scheduler';
import { CreateQueueCommand, DeleteQueueCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { DeleteParameterCommand, ListTagsForResourceCommand, SSMClient } from '@aws-sdk/client-ssm';
import { afterEach, describe, expect, it } from 'vitest';
import { kmsKeys } from '../../../adapters/aws/keys/kms.ts';
import { parameterMarker, parameterNameOf } from '../../../adapters/aws/marker/parameter.ts';
import { hideOnSqs, sqsQueue } from '../../../adapters/aws/queue/index.ts';
import { schedules } from '../../../adapters/aws/timers/schedules.ts';
import { systemClock } from '../../../adapters/memory/clock.ts';
import { clientConfig } from './endpoint.ts';

const undo: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});
const id = () => `capstan-contract-${randomUUID().slice(0, 8)}`;

describe('the queue', () => {
  const client = new SQSClient(clientConfig('SQS'));
  const open = async () => {
    const attributes = { VisibilityTimeout: '30' };
    const { QueueUrl } = await client.send(new CreateQueueCommand({ QueueName: id(), Attributes: attributes }));
    undo.push(() => client.send(new DeleteQueueCommand({ QueueUrl })));
    return QueueUrl!;
  };
  const receive = async (QueueUrl: string, WaitTimeSeconds: number) => {
    const request = new ReceiveMessageCommand({
      QueueUrl,
      WaitTimeSeconds,
      MessageSystemAttributeNames: ['ApproximateReceiveCount'],
    });
    return (await client.send(request)).Messages?.[0];
  };

  it('delivers a message after its delay, and not before', async () => {
    const url = await open();
    await sqsQueue({ client, url, clock: systemClock }).send('later', 3);
    expect(await receive(url, 0)).toBeUndefined();
    expect(await receive(url, 10)).toMatchObject({ Body: 'later', Attributes: { ApproximateReceiveCount: '1' } });
  });

  it('redelivers a message that was put back, after its delay', async () => {
    const url = await open();
    await sqsQueue({ client, url, clock: systemClock }).send('again');
    const { ReceiptHandle: receipt = '' } = (await receive(url, 5))!;
    await hideOnSqs(client, () => url)({ id: '', message: '', deliveries: 1, receipt, queue: '' }, 2);
    expect(await receive(url, 0)).toBeUndefined();
    expect(await receive(url, 10)).toMatchObject({ Body: 'again', Attributes: { ApproximateReceiveCount: '2' } });
  });

  it('reports a missing queue', async () => {
    const url = await open();
    await undo.pop()!();
    await expect(sqsQueue({ client, url, clock: systemClock }).send('x')).rejects.toThrow('deploy it again');
  });
});

describe('the keys', () => {
  const client = new KMSClient(clientConfig('KMS'));
  const open = async () => {
    const { KeyMetadata } = await client.send(new CreateKeyCommand({ Description: 'of a contract' }));
    const KeyId = KeyMetadata!.KeyId!;
    undo.push(() => client.send(new ScheduleKeyDeletionCommand({ KeyId, PendingWindowInDays: 7 })));
    return { KeyId, keys: kmsKeys({ client, keyId: KeyId, clock: systemClock }) };
  };

  it('unwrap their data keys, under the same context only', async () => {
    const { KeyId, keys } = await open();
    const { key, wrapped } = await keys.dataKey({ use: 'objects', namespace: 'team' });
    expect(key).toHaveLength(32);
    const elsewhere = kmsKeys({ client, keyId: KeyId, clock: systemClock });
    expect(await elsewhere.unwrap(wrapped, { namespace: 'team', use: 'objects' })).toEqual(key);
    await expect(keys.unwrap(wrapped, { use: 'objects', namespace: 'other' })).rejects.toThrow('not for this use');
    await expect(keys.unwrap(new Uint8Array(200), { use: 'objects', namespace: 'team' })).rejects.toThrow();
  });

  it('fail while they are disabled, and work afterwards', async () => {
    const { KeyId, keys } = await open();
    const { key, wrapped } = await keys.dataKey({});
    await client.send(new DisableKeyCommand({ KeyId }));
    await expect(keys.unwrap(wrapped, {})).rejects.toThrow('enable it');
    await client.send(new EnableKeyCommand({ KeyId }));
    expect(await keys.unwrap(wrapped, {})).toEqual(key);
  });
});

describe('the schedules', () => {
  const client = new SchedulerClient(clientConfig('SCHEDULER'));

  it('are enabled and disabled, and otherwise unchanged', async () => {
    const [GroupName, Name] = [id(), 'sweep'];
    await client.send(new CreateScheduleGroupCommand({ Name: GroupName }));
    undo.push(() => client.send(new DeleteScheduleGroupCommand({ Name: GroupName })));
    await client.send(
      new CreateScheduleCommand({
        Name,
        GroupName,
        State: 'DISABLED',
        ScheduleExpression: 'rate(10 minutes)',
        FlexibleTimeWindow: { Mode: 'OFF' },
        Description: 'of a contract',
        Target: {
          Arn: 'arn:aws:lambda:us-east-1:000000000000:function:nothing',
          RoleArn: 'arn:aws:iam::000000000000:role/nothing',
          Input: '{"sweep":true}',
          RetryPolicy: { MaximumRetryAttempts: 1, MaximumEventAgeInSeconds: 60 },
        },
      }),
    );
    undo.push(() => client.send(new DeleteScheduleCommand({ Name, GroupName })));
    const read = async () => {
      const found = await client.send(new GetScheduleCommand({ Name, GroupName }));
      const { $metadata, CreationDate, LastModificationDate, State, ...rest } = found;
      return { State, rest };
    };
    const before = await read();
    const timers = schedules({ client, names: [Name], group: GroupName });
    for (const _ of [1, 2]) await timers.enable();
    expect(await read()).toEqual({ State: 'ENABLED', rest: before.rest });
    for (const _ of [1, 2]) await timers.disable();
    expect(await read()).toEqual(before);
    await expect(schedules({ client, names: ['gone'], group: GroupName }).enable()).rejects.toThrow('is not there');
  });
});

describe('the marker', () => {
  const client = new SSMClient(clientConfig('SSM'));

  it('stores the mark in a parameter with the installation’s tag', async () => {
    const installation = id();
    const marker = parameterMarker({ client, installation });
    expect(await marker.read()).toBeUndefined();
    await marker.write({ position: 1, regions: ['eu-central-1'] });
    const Name = parameterNameOf(installation);
    undo.push(() => client.send(new DeleteParameterCommand({ Name })));
    await marker.write({ position: 2, regions: ['eu-central-1', 'us-east-1'] });
    await parameterMarker({ client, installation }).write({ position: 3, regions: [] });
    expect(await marker.read()).toEqual({ position: 3, regions: [] });
    await marker.write({ position: 2, regions: [] });
    expect([await marker.read(), await marker.furthest()]).toMatchObject([{ position: 2 }, { position: 3 }]);
    const tags = new ListTagsForResourceCommand({ ResourceType: 'Parameter', ResourceId: Name });
    expect((await client.send(tags)).TagList).toEqual([{ Key: 'capstan.dev/control-plane', Value: installation }]);
  });
});
