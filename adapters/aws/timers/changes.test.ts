import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { expect, it } from 'vitest';
import { virtualClock } from '../../memory/virtual-clock.ts';
import { answering } from '../service/answers.fixture.ts';
import { changes } from './changes.ts';

const streamOf = (table: string) => `arn:aws:dynamodb:eu-central-1:111122223333:table/${table}/stream/2026`;

const keep = async ({ stream, reads, state }: { stream?: string; reads: string; state: string }) => {
  const { config } = answering(() => ({
    body: {
      Table: {
        TableName: 'objects',
        ...(stream && { LatestStreamArn: stream, StreamSpecification: { StreamEnabled: true } }),
      },
    },
  }));
  const mapping = answering(() => ({ body: { UUID: 'u', EventSourceArn: reads, State: state } }));
  const watch = changes({
    tables: new DynamoDBClient(config),
    functions: new LambdaClient(mapping.config),
    tableName: 'objects',
    uuid: 'u',
    clock: virtualClock(0),
  });
  const fault = await watch.keep();
  return { fault, enabled: mapping.sent.filter(({ method, body }) => method === 'PUT' && body.Enabled).length };
};

it.each([
  { rule: 'leaves a mapping that reads the stream alone', stream: streamOf('objects'), state: 'Enabled', enabled: 0 },
  { rule: 'enables a disabled mapping', stream: streamOf('objects'), state: 'Disabled', enabled: 1 },
  { rule: 'enables a mapping that is being disabled', stream: streamOf('objects'), state: 'Disabling', enabled: 1 },
  {
    rule: 'reports a table without a stream, such as a restored table',
    state: 'Enabled',
    says: /the table objects has no stream/,
    enabled: 0,
  },
  {
    rule: 'reports a stream that no mapping reads',
    stream: streamOf('restored'),
    state: 'Disabled',
    says: /reads .*objects.* writes to .*restored/,
    enabled: 0,
  },
])('$rule', async ({ stream, state, says, enabled }) => {
  const kept = await keep({ ...(stream && { stream }), reads: streamOf('objects'), state });
  expect(kept.enabled).toBe(enabled);
  if (says) expect(kept.fault).toMatch(says);
  else expect(kept.fault).toBeUndefined();
});
