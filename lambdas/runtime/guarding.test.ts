/** The guard with SDK clients: whether a stack may be deleted, and whether its mark is removed. */
import { DynamoDBClient, GetItemCommand, QueryCommand } from '@aws-sdk/client-dynamodb';
import {
  DeleteParameterCommand,
  GetParameterCommand,
  GetParameterHistoryCommand,
  SSMClient,
} from '@aws-sdk/client-ssm';
import { beforeEach, describe, expect, it } from 'vitest';
import { sdkError } from '../../adapters/aws/service/sdk-error.fixture.ts';
import { mockedClient } from '../../adapters/aws/service/sdk-mock.fixture.ts';
import { consequenceOf } from '../../machinery/controller/ports.ts';
import { guardingOf } from './guarding.ts';

const [dynamo, ssm] = [mockedClient(DynamoDBClient), mockedClient(SSMClient)];
const stack = 'arn:aws:cloudformation:eu-central-1:111122223333:stack/Capstan-here/1';
/** The guard’s response for an installation without objects. */
const ask = () => guardingOf({ INSTALLATION: 'here', OBJECTS_TABLE: 'objects', WORK_TABLE: 'work' }).refusal(stack);
const removed = () => ssm.commandCalls(DeleteParameterCommand).map(({ args: [{ input }] }) => input);
const parameter = { Name: '/capstan/here/mark' };

beforeEach(() => {
  dynamo.reset();
  ssm.reset();
  dynamo.on(GetItemCommand).resolves({}).on(QueryCommand).resolves({ Items: [] });
  ssm.on(GetParameterCommand).rejects(sdkError('ParameterNotFound')).on(DeleteParameterCommand).resolves({});
});

describe('the guard of an installation without objects', () => {
  it.each([
    { rule: 'removes the mark', answer: undefined },
    { rule: 'continues when the mark is gone', answer: sdkError('ParameterNotFound') },
  ])('$rule', async ({ answer }) => {
    if (answer) ssm.on(DeleteParameterCommand).rejects(answer);
    expect(await ask()).toBeUndefined();
    expect(removed()).toEqual([parameter]);
  });

  it('keeps the mark of an account that other objects have acted on', async () => {
    const Value = '{"position":3,"regions":["eu-central-1"]}';
    ssm.on(GetParameterCommand).resolves({ Parameter: { Value } });
    ssm.on(GetParameterHistoryCommand).resolves({ Parameters: [{ Value }] });
    expect(await ask()).toBeUndefined();
    expect(removed()).toEqual([]);
  });
});

describe('the guard allows nothing and is retried', () => {
  it.each([
    { when: 'DynamoDB denies a query', fails: () => dynamo.on(QueryCommand), code: 'AccessDeniedException' },
    { when: 'the table is gone', fails: () => dynamo.on(QueryCommand), code: 'ResourceNotFoundException' },
    { when: 'the force cannot be read', fails: () => dynamo.on(GetItemCommand), code: 'AccessDeniedException' },
    { when: 'Parameter Store throttles', fails: () => ssm.on(GetParameterCommand), code: 'ThrottlingException' },
    { when: 'Parameter Store denies a read', fails: () => ssm.on(GetParameterCommand), code: 'AccessDeniedException' },
  ])('while $when', async ({ fails, code }) => {
    fails().rejects(sdkError(code));
    const error = await ask().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'ServiceError', code });
    expect(consequenceOf(error)).toBe('retry');
    expect(removed()).toEqual([]);
  });

  it('while Parameter Store denies the deletion, and reports the missing permission', async () => {
    ssm.on(DeleteParameterCommand).rejects(sdkError('AccessDeniedException'));
    const error = await ask().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: 'AccessDeniedException',
      message: expect.stringContaining('ssm:DeleteParameter'),
    });
    expect(consequenceOf(error)).toBe('retry');
  });
});
