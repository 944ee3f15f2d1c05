import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type FakeAws, identity, openAws, stacks } from '../cli/aws/aws.fixture.ts';
import { findDeployed } from './deployed.ts';

let aws: FakeAws;
const [account, region] = ['111122223333', 'eu-central-1'];
const recorded = { 'capstan.dev/context': { administrators: 'arn' }, 'capstan.dev/named': ['administrators'] };
const template = `<TemplateBody>${JSON.stringify({ Metadata: recorded }).replaceAll('"', '&quot;')}</TemplateBody>`;
const absent = { code: 'ValidationError', message: 'Stack with id Capstan-capstan does not exist' };
const unknown = { isKnown: false, context: {}, named: [] };

beforeEach(async () => {
  aws = await openAws();
  Object.assign(aws.answers, {
    GetCallerIdentity: identity(),
    DescribeStacks: stacks({ status: 'UPDATE_COMPLETE' }),
    GetTemplate: template,
  });
  for (const name of ['AWS_PROFILE', 'AWS_REGION', 'AWS_DEFAULT_REGION']) vi.stubEnv(name, undefined);
  vi.stubEnv('AWS_ENDPOINT_URL', aws.endpoint);
  vi.stubEnv('AWS_CONFIG_FILE', '/dev/null');
  vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', '/dev/null');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIDEXAMPLE');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await aws.close();
});

const find = async (destination: { account: string; region: string } | undefined) => {
  const printed: string[] = [];
  return { found: await findDeployed('Capstan-capstan', destination, (line) => printed.push(line)), printed };
};

describe('the settings of the deployed installation', () => {
  it('are read from its template', async () => {
    const { found, printed } = await find({ account, region });
    expect(found).toEqual({
      isKnown: true,
      context: { administrators: 'arn', multiRegionKey: 'false' },
      named: ['administrators'],
    });
    expect(printed).toEqual([]);
  });

  it.each([
    { rule: 'are known to be none without a stack', answer: absent },
    { rule: 'are known to be none of a stack that was only planned', answer: stacks({ status: 'REVIEW_IN_PROGRESS' }) },
  ])('$rule', async ({ answer }) => {
    aws.answers.DescribeStacks = answer;
    expect((await find({ account, region })).found).toEqual({ isKnown: true, context: {}, named: [] });
  });

  it('are not looked for where the CDK has no account', async () => {
    expect(await find(undefined)).toEqual({ found: unknown, printed: [] });
    expect(aws.asked).toEqual([]);
  });

  it.each([
    {
      rule: 'of another account than the CDK deploys to are not taken',
      destination: { account: '444455556666', region },
      says: /of account 111122223333; with --profile, set AWS_PROFILE/,
    },
    {
      rule: 'stay unknown when the caller may not read them',
      destination: { account, region },
      answers: { GetTemplate: { code: 'AccessDenied', status: 403, message: 'not authorized' } },
      says: /cannot be read: not authorized/,
    },
  ])('$rule, which is said', async ({ destination, answers = {}, says }) => {
    Object.assign(aws.answers, answers);
    const { found, printed } = await find(destination);
    expect(found).toEqual(unknown);
    expect(printed).toEqual([expect.stringMatching(says)]);
  });
});
