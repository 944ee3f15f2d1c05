/** How each adapter of a Lambda function classifies an AWS failure: always as retryable, so nothing is torn down. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { KMSClient } from '@aws-sdk/client-kms';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { SchedulerClient } from '@aws-sdk/client-scheduler';
import { SFNClient } from '@aws-sdk/client-sfn';
import { SQSClient } from '@aws-sdk/client-sqs';
import { SSMClient } from '@aws-sdk/client-ssm';
import { describe, expect, it } from 'vitest';
import { consequenceOf } from '../../../machinery/controller/ports.ts';
import { failureResponse } from '../../../machinery/server/status.ts';
import { systemClock } from '../../memory/clock.ts';
import { virtualClock } from '../../memory/virtual-clock.ts';
import { dynamoTable } from '../dynamodb/table.ts';
import { kmsKeys } from '../keys/kms.ts';
import { parameterMarker } from '../marker/parameter.ts';
import { sqsQueue } from '../queue/index.ts';
import { mappings } from '../timers/mappings.ts';
import { schedules } from '../timers/schedules.ts';
import { stepFunctions } from '../workflows/step-functions.ts';
import { type Answer, answering, refusing, unconnected } from './answers.fixture.ts';

const clock = virtualClock(0);
const key = { pk: 'p', sk: 's' };
const named = (name: string) => Object.assign(new Error('no answer'), { name });

type Config = ReturnType<typeof answering>['config'];
const calls: Record<string, (config: Config) => Promise<unknown>> = {
  'reading the table': (config) =>
    dynamoTable({ client: new DynamoDBClient(config), tableName: 't', clock }).get(key, { consistent: true }),
  'writing the table': (config) =>
    dynamoTable({ client: new DynamoDBClient(config), tableName: 't', clock }).write({ put: { ...key } }),
  'encrypting a Secret': (config) => kmsKeys({ client: new KMSClient(config), keyId: 'k', clock }).dataKey({}),
  'reading a Secret': (config) =>
    kmsKeys({ client: new KMSClient(config), keyId: 'k', clock }).unwrap(new Uint8Array([1]), {}),
  'waking a worker': (config) =>
    sqsQueue({
      client: new SQSClient(config),
      url: 'https://sqs.eu-central-1.amazonaws.com/1/q',
      clock: systemClock,
    }).send('m'),
  'starting a workflow': (config) =>
    stepFunctions({ client: new SFNClient(config), arns: { create: 'arn:aws:states:r:1:stateMachine:create' } }).start({
      definition: 'create',
      name: 'n',
      input: {},
    }),
  'reading the mark': (config) => parameterMarker({ client: new SSMClient(config), installation: 'i' }).read(),
  'writing the mark': (config) =>
    parameterMarker({ client: new SSMClient(config), installation: 'i' }).write({ position: 1, regions: [] }),
  'switching a schedule': (config) => schedules({ client: new SchedulerClient(config), names: ['s'] }).enable(),
  'switching a mapping': (config) => mappings({ client: new LambdaClient(config), uuids: ['u'], clock }).enable(),
};

const table = /table/;
const cases: {
  what: string;
  answer: Answer;
  says: RegExp;
  /** The calls that this failure can affect; all calls when absent. */
  of?: RegExp;
  /** AWS does not answer, so that workflows retry for hours. */
  outage?: true;
  /** The table port's own errors, which the machinery handles and retries. */
  ofTable?: { read: string; write: string };
}[] = [
  {
    what: 'a throttled API',
    answer: refusing('ThrottlingException'),
    says: /asked too often/,
    ofTable: { read: 'Throttled', write: 'Throttled' },
  },
  {
    what: 'a missing permission',
    answer: refusing('AccessDeniedException'),
    says: /refused \w+:\w+: allow it to the role/,
  },
  { what: 'expired credentials', answer: refusing('ExpiredTokenException'), says: /log in again/ },
  {
    what: 'a key from another account',
    answer: refusing('UnrecognizedClientException'),
    says: /check them, the region/,
  },
  { what: 'a table that is gone', answer: refusing('ResourceNotFoundException'), says: /deploy it again/, of: table },
  {
    what: 'a schedule that is gone',
    answer: refusing('ResourceNotFoundException', 404),
    says: /deploy it again/,
    of: /schedule|mapping/,
  },
  { what: 'a queue that is gone', answer: refusing('QueueDoesNotExist'), says: /deploy it again/, of: /worker/ },
  {
    what: 'a workflow that is gone',
    answer: refusing('StateMachineDoesNotExist'),
    says: /deploy it again/,
    of: /workflow/,
  },
  { what: 'a key that is gone', answer: refusing('NotFoundException'), says: /deploy it again/, of: /Secret/ },
  { what: 'a disabled key', answer: refusing('DisabledException'), says: /enable it/, of: /Secret/ },
  {
    what: 'a KMS key that is pending deletion',
    answer: refusing('KMSInvalidStateException'),
    says: /enable it/,
    of: /Secret/,
  },
  { what: 'a queue whose key is disabled', answer: refusing('KmsDisabled'), says: /enable it/, of: /worker/ },
  {
    what: 'a service that fails',
    answer: refusing('InternalFailure', 500),
    says: /failed with status 500/,
    outage: true,
    ofTable: { read: 'Throttled', write: 'OutcomeUnknown' },
  },
  {
    what: 'an endpoint that refuses connections',
    answer: unconnected('ECONNREFUSED'),
    says: /did not answer \(ECONNREFUSED\)/,
    outage: true,
  },
  {
    what: 'a name that does not resolve',
    answer: unconnected('ENOTFOUND'),
    says: /did not answer \(ENOTFOUND\)/,
    outage: true,
  },
  {
    what: 'a request that times out',
    answer: named('TimeoutError'),
    says: /did not answer \(TimeoutError\)/,
    outage: true,
    ofTable: { read: 'Throttled', write: 'OutcomeUnknown' },
  },
  { what: 'no credentials', answer: named('CredentialsProviderError'), says: /no AWS credentials/ },
];

const caught = async (run: Promise<unknown>): Promise<Error> => {
  try {
    await run;
  } catch (error) {
    return error as Error;
  }
  throw new Error('nothing went wrong');
};

describe.each(cases)('$what', ({ answer, says, of, outage, ofTable }) => {
  const here = Object.entries(calls).filter(([name]) => !of || of.test(name));
  it.each(here)('makes %s retryable, with advice', async (name, call) => {
    const error = await caught(call(answering(() => answer).config));
    expect(consequenceOf(error)).toBe('retry');
    if (ofTable && table.test(name)) {
      expect(error.name).toBe(name.startsWith('reading') ? ofTable.read : ofTable.write);
      return;
    }
    expect(error.name).toBe(outage ? 'ServiceUnavailable' : 'ServiceError');
    expect(error.message).toMatch(says);
  });

  it('answers the API client with a Status that says why and when to retry', async () => {
    const [, call] = here[0]!;
    const response = failureResponse(await caught(call(answering(() => answer).config)));
    const status = (await response.json()) as { message: string };
    expect(response.status).toBe(503);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(status).toMatchObject({ kind: 'Status', reason: 'ServiceUnavailable', code: 503 });
    expect(status.message).toMatch(ofTable ? /please try again/ : says);
  });
});

it('answers 504 Timeout to a write whose outcome is unknown', async () => {
  const call = calls['writing the table']!;
  const response = failureResponse(await caught(call(answering(() => named('TimeoutError')).config)));
  expect([response.status, await response.json()]).toMatchObject([504, { reason: 'Timeout' }]);
});

it('hides internal details of an unexpected error', async () => {
  const response = failureResponse(new TypeError('x of undefined at /var/task/index.mjs'));
  expect([response.status, await response.text()]).toEqual([500, expect.not.stringContaining('/var/task')]);
});
