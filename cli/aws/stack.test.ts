import type { Stack } from '@aws-sdk/client-cloudformation';
import {
  CloudFormationClient,
  DescribeStackEventsCommand,
  DescribeStacksCommand,
  GetTemplateCommand,
  type ResourceStatus,
  type StackEvent,
} from '@aws-sdk/client-cloudformation';
import { beforeEach, describe, expect, it } from 'vitest';
import { sdkError } from '../../adapters/aws/service/sdk-error.fixture.ts';
import { mockedClient } from '../../adapters/aws/service/sdk-mock.fixture.ts';
import { CliError } from '../errors.ts';
import { deployedContext, expectAbandoned, failuresOf, findStack, lastEvents, standingInTheWay } from './stack.ts';

describe('a stack', () => {
  it.each([
    'CREATE_COMPLETE',
    'UPDATE_COMPLETE',
    'UPDATE_ROLLBACK_COMPLETE',
    'ROLLBACK_COMPLETE',
    'REVIEW_IN_PROGRESS',
  ])('in state %s can be updated', (status) =>
    expect(standingInTheWay('Capstan-x', status, 'eu-central-1')).toBeUndefined());
  it.each([
    { status: 'CREATE_IN_PROGRESS', says: /another deployment of Capstan-x is under way/ },
    { status: 'UPDATE_COMPLETE_CLEANUP_IN_PROGRESS', says: /wait until it ends/ },
    { status: 'DELETE_IN_PROGRESS', says: /under way \(DELETE_IN_PROGRESS\)/ },
    {
      status: 'UPDATE_ROLLBACK_FAILED',
      says: /aws cloudformation continue-update-rollback --stack-name Capstan-x --region eu-central-1/,
    },
    { status: 'ROLLBACK_FAILED', says: /npm run destroy/ },
    { status: 'CREATE_FAILED', says: /npm run destroy/ },
    { status: 'DELETE_FAILED', says: /npm run destroy/ },
    { status: 'UPDATE_FAILED', says: /aws cloudformation rollback-stack/ },
    { status: 'OF_ANOTHER_KIND', says: /OF_ANOTHER_KIND/ },
  ])('in state $status cannot be updated, and the error says what to do', ({ status, says }) =>
    expect(standingInTheWay('Capstan-x', status, 'eu-central-1')).toMatch(says));
});

const stacks = mockedClient(CloudFormationClient);
const client = new CloudFormationClient({ region: 'eu-central-1' });
beforeEach(() => void stacks.reset());

describe('the stack of an installation', () => {
  it('is found by its name', async () => {
    const stack = { StackName: 'Capstan-x', StackStatus: 'UPDATE_COMPLETE' as const, CreationTime: new Date(0) };
    stacks.on(DescribeStacksCommand, { StackName: 'Capstan-x' }).resolves({ Stacks: [stack] });
    expect(await findStack(client, 'Capstan-x')).toEqual(stack);
  });
  it('is undefined where it does not exist', async () => {
    stacks.on(DescribeStacksCommand).rejects(sdkError('ValidationError', 'Stack with id Capstan-x does not exist'));
    expect(await findStack(client, 'Capstan-x')).toBeUndefined();
  });
  it.each([
    sdkError('ValidationError', 'the name is too long'),
    sdkError('AccessDenied'),
    sdkError('ThrottlingException'),
  ])('is not mistaken for absent after $name: $message', async (error) => {
    stacks.on(DescribeStacksCommand).rejects(error);
    await expect(findStack(client, 'Capstan-x')).rejects.toBeInstanceOf(CliError);
  });
});

describe('the context of the deployed stack', () => {
  it.each([
    {
      rule: 'comes from the template metadata',
      body: '{"Metadata":{"capstan.dev/context":{"oidc":"[]"}}}',
      is: { oidc: '[]', multiRegionKey: 'false' },
    },
    { rule: 'is empty without metadata', body: '{"Resources":{}}', is: {} },
    { rule: 'is empty when the metadata is malformed', body: '{"Metadata":{"capstan.dev/context":{"a":1}}}', is: {} },
    { rule: 'is empty for a YAML template', body: 'Resources: {}', is: {} },
  ])('$rule', async ({ body, is }) => {
    stacks
      .on(GetTemplateCommand, { StackName: 'Capstan-x', TemplateStage: 'Original' })
      .resolves({ TemplateBody: body });
    expect(await deployedContext(client, 'Capstan-x')).toEqual(is);
  });
  it('is not mistaken for empty when the template is unreadable', async () => {
    stacks.on(GetTemplateCommand).rejects(sdkError('AccessDenied'));
    await expect(deployedContext(client, 'Capstan-x')).rejects.toThrow('cloudformation:GetTemplate');
  });
});

describe('stack events', () => {
  const stack = {
    StackName: 'Capstan-x',
    StackId: 'arn:stack',
    PhysicalResourceId: 'arn:stack',
    EventId: '0',
    Timestamp: new Date(),
  };
  const event = (
    LogicalResourceId: string,
    ResourceStatus: ResourceStatus,
    ResourceStatusReason?: string,
  ): StackEvent => ({
    ...stack,
    PhysicalResourceId: LogicalResourceId,
    LogicalResourceId,
    ResourceStatus,
    ...(ResourceStatusReason && { ResourceStatusReason }),
  });
  const begun = { ...stack, ResourceStatus: 'UPDATE_IN_PROGRESS' as const };

  it('cover the last operation across pages', async () => {
    stacks
      .on(DescribeStackEventsCommand)
      .resolvesOnce({ StackEvents: [event('b', 'UPDATE_FAILED', 'because')], NextToken: 'more' })
      .resolvesOnce({
        StackEvents: [event('a', 'UPDATE_COMPLETE'), begun, event('old', 'CREATE_FAILED')],
        NextToken: 'more',
      });
    const events = await lastEvents(client, 'arn:stack');
    expect(events.map(({ LogicalResourceId }) => LogicalResourceId)).toEqual(['b', 'a', undefined]);
    expect(stacks.calls().map(({ args: [{ input }] }) => input)).toEqual([
      { StackName: 'arn:stack', NextToken: undefined },
      { StackName: 'arn:stack', NextToken: 'more' },
    ]);
  });

  it('list the first failure first and omit resources cancelled because of it', () => {
    const failures = failuresOf([
      { ...stack, ResourceStatus: 'UPDATE_FAILED', ResourceStatusReason: 'the stack' },
      event('c', 'CREATE_FAILED', 'Resource creation cancelled'),
      event('b', 'CREATE_FAILED', 'second'),
      event('a', 'CREATE_FAILED', 'first'),
    ]);
    expect(failures.map(({ ResourceStatusReason }) => ResourceStatusReason)).toEqual(['first', 'second']);
  });
});

describe('a stack that was never deployed', () => {
  const now = Date.parse('2026-01-01T01:00:00Z');
  const stack = (StackStatus: 'REVIEW_IN_PROGRESS' | 'CREATE_COMPLETE', minutes: number): Stack => ({
    StackName: 'Capstan-capstan',
    StackStatus,
    CreationTime: new Date(now - minutes * 60_000),
  });
  it('may belong to a deployment that runs', () =>
    expect(() => expectAbandoned(stack('REVIEW_IN_PROGRESS', 5), now)).toThrow(
      /a first deployment of Capstan-capstan began 5m ago and may still run.*again in 10m, or now with --force/,
    ));
  it.each([stack('REVIEW_IN_PROGRESS', 15), stack('CREATE_COMPLETE', 1)])('is left after $StackStatus', (one) =>
    expect(() => expectAbandoned(one, now)).not.toThrow());
});
