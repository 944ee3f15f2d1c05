import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type FakeAws, identity, openAws, stacks } from './aws.fixture.ts';
import { ensureBootstrapped } from './bootstrap.ts';
import { prepare } from './prepare.ts';
import { openSession } from './session.ts';

let aws: FakeAws;
const region = 'eu-central-1';
const caller = 'arn:aws:iam::111122223333:role/Admin';
const absent = { code: 'ValidationError', message: 'Stack with id Capstan-capstan does not exist' };

beforeEach(async () => {
  aws = await openAws();
  Object.assign(aws.answers, { GetCallerIdentity: identity(), DescribeStacks: absent });
  for (const name of ['AWS_PROFILE', 'AWS_REGION', 'AWS_DEFAULT_REGION', 'AWS_ENDPOINT_URL'])
    vi.stubEnv(name, undefined);
  for (const service of ['STS', 'CLOUDFORMATION', 'SSM']) vi.stubEnv(`AWS_ENDPOINT_URL_${service}`, aws.endpoint);
  vi.stubEnv('AWS_CONFIG_FILE', '/dev/null');
  vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', '/dev/null');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIDEXAMPLE');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await aws.close();
});

const template = (context: object) =>
  `<TemplateBody>${JSON.stringify({ Metadata: { 'capstan.dev/context': context } }).replaceAll('"', '&quot;')}</TemplateBody>`;

describe('a deployment', () => {
  it('makes whoever begins it administrator: the role of a session', async () => {
    const { context, session } = await prepare({ region });
    expect(context).toEqual({ installation: 'capstan', administrators: caller });
    expect(session).toMatchObject({ region, account: '111122223333', isEmulated: false });
  });

  it('begins with what is deployed', async () => {
    aws.answers.DescribeStacks = stacks({ status: 'UPDATE_COMPLETE' });
    aws.answers.GetTemplate = template({ installation: 'capstan', administrators: 'somebody', logRetentionDays: '90' });
    const { context } = await prepare({ region, context: { logRetentionDays: '60' } });
    expect(context).toEqual({ installation: 'capstan', administrators: 'somebody', logRetentionDays: '60' });
    expect(aws.asked.filter(({ Action }) => Action === 'GetTemplate')).toMatchObject([{ TemplateStage: 'Original' }]);
  });

  it('looks at the stacks of the installation that is named', async () => {
    await prepare({ region, context: { installation: 'blue' } });
    const looked = aws.asked.filter((asked) => asked.Action === 'DescribeStacks' && asked.region === region);
    expect(looked.map(({ StackName }) => StackName)).toEqual(['Capstan-blue', 'Capstan-blue-Monitoring']);
  });

  describe('where another region has an installation of the name', () => {
    const elsewhere =
      (status: string, here: ReturnType<typeof stacks> | typeof absent = absent) =>
      (asked: string) => {
        if (asked === region) return here;
        return asked === 'us-east-1' ? stacks({ status }) : absent;
      };

    it('does not begin: what carries their tag could not be told apart', async () => {
      aws.answers.DescribeStacks = elsewhere('UPDATE_COMPLETE');
      await expect(prepare({ region })).rejects.toThrow(
        /there is an installation capstan in us-east-1 .* --context installation=/s,
      );
    });
    it.each(['REVIEW_IN_PROGRESS', 'ROLLBACK_COMPLETE'])('begins where that never came to be (%s)', async (status) => {
      aws.answers.DescribeStacks = elsewhere(status);
      await expect(prepare({ region })).resolves.toMatchObject({ installation: 'capstan' });
    });
    it('goes on with what is deployed here', async () => {
      aws.answers.DescribeStacks = elsewhere('UPDATE_COMPLETE', stacks({}));
      aws.answers.GetTemplate = template({ installation: 'capstan', administrators: 'somebody' });
      await expect(prepare({ region })).resolves.toMatchObject({ installation: 'capstan' });
    });
    it('begins where other regions cannot be looked into', async () => {
      aws.answers.DescribeStacks = (asked) => (asked === region ? absent : { code: 'AccessDenied', status: 403 });
      await expect(prepare({ region })).resolves.toMatchObject({ installation: 'capstan' });
    });
  });

  it('asks for no template where only a change set was ever made', async () => {
    aws.answers.DescribeStacks = stacks({ status: 'REVIEW_IN_PROGRESS' });
    expect((await prepare({ region })).context.administrators).toBe(caller);
  });

  it.each([
    {
      what: 'another is under way',
      answers: { DescribeStacks: stacks({ status: 'UPDATE_IN_PROGRESS' }) },
      says: /another deployment of Capstan-capstan is under way/,
    },
    {
      what: 'one stopped half-way',
      answers: { DescribeStacks: stacks({ status: 'UPDATE_ROLLBACK_FAILED' }) },
      says: /continue-update-rollback/,
    },
    {
      what: 'the caller may not look',
      answers: { DescribeStacks: { code: 'AccessDenied', status: 403 } },
      says: /may not cloudformation:DescribeStacks on the stack Capstan-capstan/,
    },
    {
      what: 'the caller may not read what is deployed',
      answers: { DescribeStacks: stacks({}), GetTemplate: { code: 'AccessDenied', status: 403 } },
      says: /may not cloudformation:GetTemplate/,
    },
    {
      what: 'the credentials have expired',
      answers: { GetCallerIdentity: { code: 'ExpiredToken', status: 403 } },
      says: /have expired: log in again/,
    },
    { what: 'STS is asked too often', answers: { GetCallerIdentity: { code: 'Throttling' } }, says: /asked too often/ },
  ])('does not begin while $what', { timeout: 30_000 }, async ({ answers, says }) => {
    Object.assign(aws.answers, answers);
    await expect(prepare({ region })).rejects.toThrow(says);
  });
});

describe('the bootstrap', () => {
  const ensure = async (isWished = false) => ensureBootstrapped(await openSession({ region }), isWished);

  it('is left alone where it was done', async () => {
    aws.answers.GetParameter = '{"Parameter":{"Value":"28"}}';
    await expect(ensure(true)).resolves.toBeUndefined();
  });
  it('is not done unasked', async () => {
    aws.answers.GetParameter = { code: 'ParameterNotFound' };
    await expect(ensure()).rejects.toThrow(
      /never used in eu-central-1 of account 111122223333: .*npm run deploy -- --bootstrap/,
    );
  });
  it('is not taken for undone by who may not look', async () => {
    aws.answers.GetParameter = { code: 'AccessDeniedException' };
    await expect(ensure()).rejects.toThrow(/may not ssm:GetParameter/);
  });
});
