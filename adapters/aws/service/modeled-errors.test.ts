/**
 * Each call of an adapter meets every exception that the SDK models, so that an exception of a new SDK
 * version cannot pass for success. `means` lists the exceptions that are an answer, with what the call returns.
 */
import * as dynamodb from '@aws-sdk/client-dynamodb';
import * as eventBridge from '@aws-sdk/client-eventbridge';
import * as kms from '@aws-sdk/client-kms';
import * as scheduler from '@aws-sdk/client-scheduler';
import * as sfn from '@aws-sdk/client-sfn';
import * as sqs from '@aws-sdk/client-sqs';
import * as ssm from '@aws-sdk/client-ssm';
import { describe, expect, it } from 'vitest';
import { consequenceOf } from '../../../machinery/controller/ports.ts';
import { systemClock } from '../../memory/clock.ts';
import { virtualClock } from '../../memory/virtual-clock.ts';
import { dynamoTable } from '../dynamodb/table.ts';
import { kmsKeys } from '../keys/kms.ts';
import { parameterMarker } from '../marker/parameter.ts';
import { removeParameterMark } from '../marker/remove.ts';
import { hideOnSqs, sqsQueue } from '../queue/index.ts';
import { rules } from '../timers/rules.ts';
import { schedules } from '../timers/schedules.ts';
import { stepFunctions } from '../workflows/step-functions.ts';
import { mockedClient } from './sdk-mock.fixture.ts';

const clock = virtualClock(0);
const region = 'eu-central-1';

type Modeled = new (options: { message: string; $metadata: object }) => Error;
/** The exceptions of a client package: all subclasses of its base. */
const modeledIn = (sdk: object, base: abstract new (...given: never[]) => Error): Error[] =>
  Object.values(sdk)
    .filter((one): one is Modeled => typeof one === 'function' && one.prototype instanceof base)
    .map((Exception) => new Exception({ message: 'because', $metadata: { httpStatusCode: 400 } }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));

interface Service {
  mock: { reset(): unknown; onAnyCommand(): { rejects(error: Error): unknown } };
  errors: Error[];
  calls: Record<
    string,
    { run: () => Promise<unknown>; means?: Record<string, unknown>; throws?: Record<string, string> }
  >;
}

const table = dynamoTable({ client: new dynamodb.DynamoDBClient({ region }), tableName: 'objects', clock });
const queue = sqsQueue({
  client: new sqs.SQSClient({ region }),
  url: 'https://sqs.eu-central-1.amazonaws.com/1/q',
  clock: systemClock,
});
const hide = hideOnSqs(new sqs.SQSClient({ region }), () => 'https://sqs.eu-central-1.amazonaws.com/1/q');
const keys = kmsKeys({ client: new kms.KMSClient({ region }), keyId: 'k', clock });
const workflows = stepFunctions({
  client: new sfn.SFNClient({ region }),
  arns: { create: 'arn:aws:states:eu-central-1:111122223333:stateMachine:create' },
});
const execution = { definition: 'create', name: 'n' };
const parameters = new ssm.SSMClient({ region });
const mark = () => parameterMarker({ client: parameters, installation: 'here' });
const timers = schedules({ client: new scheduler.SchedulerClient({ region }), names: ['sweep'] });
const eventRules = rules({ client: new eventBridge.EventBridgeClient({ region }), names: ['changes'] });

const answered = { TaskDoesNotExist: undefined, TaskTimedOut: undefined, InvalidToken: undefined };
const foreign = { IncorrectKeyException: 'ForeignDataKey', InvalidCiphertextException: 'ForeignDataKey' };
const services: Record<string, Service> = {
  SQS: {
    mock: mockedClient(sqs.SQSClient),
    errors: modeledIn(sqs, sqs.SQSServiceException),
    calls: {
      send: { run: () => queue.send('wake') },
      hide: { run: () => hide({ id: 'm', message: '', deliveries: 1, receipt: 'r', queue: 'q' }, 1) },
    },
  },
  KMS: {
    mock: mockedClient(kms.KMSClient),
    errors: modeledIn(kms, kms.KMSServiceException),
    calls: {
      dataKey: { run: () => keys.dataKey({}), throws: foreign },
      unwrap: { run: () => keys.unwrap(new Uint8Array([1]), {}), throws: foreign },
    },
  },
  'Step Functions': {
    mock: mockedClient(sfn.SFNClient),
    errors: modeledIn(sfn, sfn.SFNServiceException),
    calls: {
      start: { run: () => workflows.start({ ...execution, input: {} }), means: { ExecutionAlreadyExists: undefined } },
      describe: { run: () => workflows.describe(execution), means: { ExecutionDoesNotExist: undefined } },
      stop: {
        run: () => workflows.stop({ ...execution, error: 'Cancelled', cause: 'c' }),
        means: { ExecutionDoesNotExist: undefined },
      },
      succeed: { run: () => workflows.succeed('token', {}), means: answered },
      fail: { run: () => workflows.fail('token', 'Refused', 'c'), means: answered },
    },
  },
  'Parameter Store': {
    mock: mockedClient(ssm.SSMClient),
    errors: modeledIn(ssm, ssm.SSMServiceException),
    calls: {
      read: { run: () => mark().read(), means: { ParameterNotFound: undefined } },
      furthest: { run: () => mark().furthest(), means: { ParameterNotFound: undefined } },
      write: { run: () => mark().write({ position: 1, regions: [] }) },
      remove: { run: () => removeParameterMark(parameters, 'here'), means: { ParameterNotFound: undefined } },
    },
  },
  Scheduler: {
    mock: mockedClient(scheduler.SchedulerClient),
    errors: modeledIn(scheduler, scheduler.SchedulerServiceException),
    calls: { enable: { run: timers.enable }, disable: { run: timers.disable }, keep: { run: () => timers.keep(true) } },
  },
  EventBridge: {
    mock: mockedClient(eventBridge.EventBridgeClient),
    errors: modeledIn(eventBridge, eventBridge.EventBridgeServiceException),
    // The events of these rules are hints: waking must not wait for a rule that was deleted.
    calls: {
      enable: { run: eventRules.enable, means: { ResourceNotFoundException: undefined } },
      disable: { run: eventRules.disable, means: { ResourceNotFoundException: undefined } },
      keep: { run: () => eventRules.keep(true), means: { ResourceNotFoundException: undefined } },
    },
  },
};

describe.each(Object.entries(services))('%s', (_, { mock, errors, calls }) => {
  it('models exceptions', () => expect(errors.length).toBeGreaterThan(3));

  it.each(Object.entries(calls))('%s: an exception is retried unless it is an answer', async (_call, {
    run,
    means = {},
    throws = {},
  }) => {
    const known = new Set(errors.map(({ name }) => name));
    expect(Object.keys(means).filter((name) => !known.has(name))).toEqual([]);
    for (const error of errors) {
      mock.reset();
      mock.onAnyCommand().rejects(error);
      const outcome = await run().then(
        (value) => ({ value }),
        (thrown: Error) => ({
          thrown: thrown.name,
          code: (thrown as { code?: string }).code,
          consequence: consequenceOf(thrown),
        }),
      );
      expect({ [error.name]: outcome }).toEqual({
        [error.name]:
          error.name in means
            ? { value: means[error.name] }
            : { thrown: throws[error.name] ?? 'ServiceError', code: error.name, consequence: 'retry' },
      });
    }
  });
});

describe('DynamoDB', () => {
  const mock = mockedClient(dynamodb.DynamoDBClient);
  /** Errors that the machinery knows of any table. All others are retried with advice. */
  const known: Record<string, string> = {
    ConditionalCheckFailedException: 'Refused',
    ProvisionedThroughputExceededException: 'Throttled',
    ReplicatedWriteConflictException: 'Throttled',
    RequestLimitExceeded: 'Throttled',
    ThrottlingException: 'Throttled',
    TransactionConflictException: 'Throttled',
    TransactionInProgressException: 'Throttled',
    // Defects of a request: a retry cannot help.
    IdempotentParameterMismatchException: 'IdempotentParameterMismatchException',
    ItemCollectionSizeLimitExceededException: 'ItemCollectionSizeLimitExceededException',
    TransactionCanceledException: 'TransactionCanceledException',
  };
  const key = { pk: 'p', sk: 's' };
  const calls: Record<string, () => Promise<unknown>> = {
    get: () => table.get(key, { consistent: true }),
    query: () => table.query({ pk: 'p', consistent: true }),
    put: () => table.write({ put: key }),
    update: () => table.write({ update: key, set: { n: 1 } }),
    delete: () => table.write({ delete: key }),
    transact: () => table.transact('t', [{ put: key }]),
  };

  it.each(Object.entries(calls))('%s: an exception is retried unless the request is at fault', async (_, run) => {
    const seen = new Map<string, string>();
    const expected = new Map<string, string>();
    for (const error of modeledIn(dynamodb, dynamodb.DynamoDBServiceException)) {
      mock.reset();
      mock.onAnyCommand().rejects(error);
      const thrown = await run().catch((one: Error) => one);
      seen.set(error.name, thrown instanceof Error ? thrown.name : 'nothing thrown');
      expected.set(error.name, known[error.name] ?? 'ServiceError');
    }
    expect(Object.fromEntries(seen)).toEqual(Object.fromEntries(expected));
    expect(Object.keys(known).filter((name) => !expected.has(name))).toEqual([]);
  });
});
