import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { events, type FakeAws, openAws, type StackShape, stacks } from './aws.fixture.ts';
import { guardTypes, removeStack } from './remove.ts';

let aws: FakeAws;
let printed: string[];
beforeEach(async () => {
  aws = await openAws();
  printed = [];
  aws.answers.DeleteStack = '';
  aws.answers.UpdateTerminationProtection = '';
});
afterEach(() => aws.close());

const begun = { id: 'Capstan-capstan', type: 'AWS::CloudFormation::Stack', status: 'DELETE_IN_PROGRESS' };
const remove = (shape: StackShape = {}, withoutGuard = false) => {
  const client = new CloudFormationClient({
    endpoint: aws.endpoint,
    region: 'eu-central-1',
    credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
  });
  const { name = 'Capstan-capstan', status = 'UPDATE_COMPLETE', isProtected = false } = shape;
  const stack = {
    StackName: name,
    StackId: `arn:${name}`,
    StackStatus: status as 'UPDATE_COMPLETE',
    EnableTerminationProtection: isProtected,
    CreationTime: new Date(0),
  };
  return removeStack({ client, stack, withoutGuard, print: (line) => printed.push(line), every: 1 });
};
const actions = () => aws.asked.map(({ Action }) => Action);

it('reports each deleted resource until all are gone', async () => {
  aws.answers.DescribeStacks = stacks({ status: 'DELETE_COMPLETE' });
  aws.answers.DescribeStackEvents = events(
    { id: 'Api', status: 'DELETE_COMPLETE' },
    { id: 'Guard', status: 'DELETE_COMPLETE' },
    begun,
  );
  await remove();
  expect(actions()).toEqual(['DeleteStack', 'DescribeStacks', 'DescribeStackEvents']);
  expect(aws.asked[0]).toMatchObject({ StackName: 'Capstan-capstan' });
  expect(printed.slice(1)).toEqual(['  deleted AWS::Lambda::Function Guard', '  deleted AWS::Lambda::Function Api']);
});

const guardType = 'Custom::CapstanGuard';

it('disables termination protection first', async () => {
  aws.answers.DescribeStacks = { code: 'ValidationError', message: 'Stack does not exist' };
  await remove({ isProtected: true });
  expect(actions()).toEqual(['UpdateTerminationProtection', 'DeleteStack', 'DescribeStacks']);
  expect(aws.asked[0]).toMatchObject({ EnableTerminationProtection: 'false' });
});

it('names each resource that could not be deleted, and why', async () => {
  aws.answers.DescribeStacks = stacks({ status: 'DELETE_FAILED' });
  const reason = 'Installation capstan still has 1 Cluster (default/a)';
  aws.answers.DescribeStackEvents = events(
    { id: 'StandsGuard', type: guardType, status: 'DELETE_FAILED', reason },
    begun,
  );
  await expect(remove()).rejects.toThrow(`StandsGuard (${guardType}): ${reason}`);
});

const resource = (type: string, status: string) =>
  `<member><LogicalResourceId>of ${type} ${status}</LogicalResourceId><ResourceType>${type}</ResourceType><ResourceStatus>${status}</ResourceStatus></member>`;

it.each([
  ...guardTypes.map((type) => ({
    rule: `retains a ${type} that failed before, on request`,
    status: 'DELETE_FAILED',
    withoutGuard: true,
    type,
    retained: `of ${type} DELETE_FAILED`,
  })),
  {
    rule: 'retains nothing by default',
    status: 'DELETE_FAILED',
    withoutGuard: false,
    type: guardType,
    retained: undefined,
  },
  {
    rule: 'retains nothing in a stack that was never deleted, because CloudFormation refuses that',
    status: 'UPDATE_COMPLETE',
    withoutGuard: true,
    type: guardType,
    retained: undefined,
  },
])('$rule', async ({ status, withoutGuard, retained, type }) => {
  aws.answers.DescribeStacks = { code: 'ValidationError', message: 'Stack does not exist' };
  aws.answers.DescribeStackResources = `<StackResources>${resource(type, 'DELETE_FAILED')}${resource('AWS::Lambda::Function', 'DELETE_FAILED')}</StackResources>`;
  await remove({ status }, withoutGuard);
  const deletion = aws.asked.find(({ Action }) => Action === 'DeleteStack')!;
  expect(deletion['RetainResources.member.1']).toBe(retained);
  expect(deletion['RetainResources.member.2']).toBeUndefined();
});
