import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type FakeAws, identity, openAws, type StackShape, stacks } from './aws/aws.fixture.ts';
import { destroy } from './destroy.ts';
import { interruptions } from './interrupt.fixture.ts';

let aws: FakeAws;
let printed: string[];
const region = 'eu-central-1';
const absent = { code: 'ValidationError', message: 'Stack with id Capstan-capstan does not exist' };
const outputs = {
  KeyArn: 'arn:aws:kms:eu-central-1:111122223333:key/own',
  SnapshotBucket: 'capstan-snapshots',
  AuditLogGroup: '/capstan/audit',
};

beforeEach(async () => {
  aws = await openAws();
  Object.assign(aws.answers, { GetCallerIdentity: identity() });
  for (const name of ['AWS_PROFILE', 'AWS_REGION', 'AWS_DEFAULT_REGION', 'AWS_ENDPOINT_URL'])
    vi.stubEnv(name, undefined);
  for (const service of ['STS', 'CLOUDFORMATION']) vi.stubEnv(`AWS_ENDPOINT_URL_${service}`, aws.endpoint);
  vi.stubEnv('AWS_CONFIG_FILE', '/dev/null');
  vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', '/dev/null');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIDEXAMPLE');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
  printed = [];
  vi.spyOn(console, 'log').mockImplementation((text: string) => void printed.push(text));
});
afterEach(async () => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  await aws.close();
});

describe('beside a first deployment that runs', () => {
  it('says that nothing is there yet, and when to run it again', async () => {
    aws.answers.DescribeStacks = absent;
    await destroy({ region, yes: true });
    expect(printed.join('\n')).toMatch(/There is no installation capstan .*if one runs, wait until it ends, then run/);
  });

  it.each<{ what: string; stack: StackShape; force?: boolean; says: RegExp }>([
    {
      what: 'that prepares its change set',
      stack: { status: 'REVIEW_IN_PROGRESS', age: 5 },
      says: /^a first deployment of Capstan-capstan began 5m ago and may still run: wait .* or now with --force$/,
    },
    {
      what: 'whose resources are being created',
      stack: { status: 'CREATE_IN_PROGRESS', age: 5 },
      says: /^Capstan-capstan is CREATE_IN_PROGRESS: another command works on it, or CloudFormation goes on .*Nothing was changed\..*then run this again: {2}aws cloudformation describe-stacks --stack-name Capstan-capstan --region eu-central-1$/,
    },
    {
      what: 'that is being taken back, whatever is forced',
      stack: { status: 'ROLLBACK_IN_PROGRESS', age: 20 },
      force: true,
      says: /^Capstan-capstan is ROLLBACK_IN_PROGRESS: /,
    },
  ])('$what is refused', async ({ stack, force = false, says }) => {
    aws.answers.DescribeStacks = stacks(stack);
    await expect(destroy({ region, yes: true, force })).rejects.toThrow(says);
    expect(aws.asked.map(({ Action }) => Action)).not.toContain('DeleteStack');
  });
});

it('names what goes on and what is left when it is interrupted', async () => {
  const { interrupt, output, codes } = interruptions();
  aws.answers.DescribeStacks = stacks({ outputs });
  aws.answers.DeleteStack = () => {
    interrupt();
    return { code: 'AccessDenied' };
  };
  await expect(destroy({ region, yes: true })).rejects.toThrow('DeleteStack');
  expect(codes).toEqual([130]);
  expect(output()).toContain('Interrupted. CloudFormation goes on with a deletion that has begun. See it:');
  expect(output()).toContain('aws cloudformation describe-stacks --stack-name Capstan-capstan --region eu-central-1');
  expect(output()).toContain('destroy  with the same options');
  for (const name of Object.values(outputs)) expect(output()).toContain(`\n  ${name}`);
});

it('says that nothing was changed when it is interrupted before', async () => {
  const { interrupt, output } = interruptions();
  aws.answers.DescribeStacks = () => {
    interrupt();
    return absent;
  };
  await destroy({ region, yes: true });
  expect(output()).toBe('\nInterrupted. Nothing was changed.\n');
});
