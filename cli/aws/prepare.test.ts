import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Progress } from '../../tools/progress.d.mts';
import { type FakeAws, identity, openAws, stacks } from './aws.fixture.ts';
import { ensureBootstrapped } from './bootstrap.ts';
import { prepare } from './prepare.ts';
import { openSession } from './session.ts';
import type { Context } from './stack.ts';

let aws: FakeAws;
const ignore = () => undefined;
const silent: Progress = { step: ignore, detail: ignore, line: ignore, done: ignore, failed: ignore };
const region = 'eu-central-1';
const other = 'arn:aws:iam::111122223333:role/Other';
const caller = 'arn:aws:iam::111122223333:role/Admin';
const accountSettings = 'GET /2016-08-19/account-settings';
const gatewayAccount = 'GET /account';
const limits = (UnreservedConcurrentExecutions: number) =>
  JSON.stringify({ AccountLimit: { ConcurrentExecutions: 1000, UnreservedConcurrentExecutions } });
const absent = { code: 'ValidationError', message: 'Stack with id Capstan-capstan does not exist' };

beforeEach(async () => {
  aws = await openAws();
  Object.assign(aws.answers, {
    GetCallerIdentity: identity(),
    DescribeStacks: absent,
    [accountSettings]: limits(10),
    [gatewayAccount]: '{}',
  });
  for (const name of ['AWS_PROFILE', 'AWS_REGION', 'AWS_DEFAULT_REGION', 'AWS_ENDPOINT_URL'])
    vi.stubEnv(name, undefined);
  for (const service of ['STS', 'CLOUDFORMATION', 'SSM', 'LAMBDA', 'API_GATEWAY'])
    vi.stubEnv(`AWS_ENDPOINT_URL_${service}`, aws.endpoint);
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
    expect(context).toEqual({ installation: 'capstan', administrators: caller, accountConcurrency: '10' });
    expect(session).toMatchObject({ region, account: '111122223333', isEmulated: false });
  });

  it('begins with what is deployed', async () => {
    aws.answers.DescribeStacks = stacks({ status: 'UPDATE_COMPLETE' });
    aws.answers.GetTemplate = template({ installation: 'capstan', administrators: other, logRetentionDays: '90' });
    const { context } = await prepare({ region, context: { logRetentionDays: '60' } });
    expect(context).toMatchObject({ installation: 'capstan', administrators: other, logRetentionDays: '60' });
    expect(aws.asked.filter(({ Action }) => Action === 'GetTemplate')).toMatchObject([{ TemplateStage: 'Original' }]);
  });

  it.each<{ what: string; context: Context; says: RegExp }>([
    { what: 'unknown', context: { colour: 'red' }, says: /there is no colour: it is one of installation, / },
    { what: 'no number', context: { maxConcurrency: 'many' }, says: /maxConcurrency/ },
    { what: 'no JSON', context: { oidc: '{' }, says: /oidc is no JSON/ },
    {
      what: 'no administrator that AWS could name',
      context: { administrators: `${caller},arn:aws:iam::1:role/x` },
      says: /has "arn:aws:iam::1:role\/x", which is neither the ARN/,
    },
    { what: 'no administrator at all', context: { administrators: 'ann' }, says: /has "ann"/ },
  ])('asks AWS nothing when a value is $what', async ({ context, says }) => {
    await expect(prepare({ region, context })).rejects.toMatchObject({
      message: expect.stringMatching(says),
      exitCode: 2,
    });
    expect(aws.asked).toEqual([]);
  });

  it.each<{ what: string; context: Context; says: RegExp }>([
    {
      what: 'an issuer whose tokens are not taken',
      context: { administrators: `${caller},https://issuer.example#ann` },
      says: /https:\/\/issuer.example#ann, whose issuer is not among oidc/,
    },
    { what: 'AWS identities that are not let in', context: { sts: 'false' }, says: /sts=false refuses AWS identities/ },
    {
      what: 'half a domain',
      context: { domainName: 'a.example' },
      says: /domainName and certificateArn come together/,
    },
  ])('refuses $what', async ({ context, says }) => {
    await expect(prepare({ region, context })).rejects.toThrow(says);
  });

  describe('of an account whose API Gateway has a role for its logs', () => {
    const role = JSON.stringify({ cloudwatchRoleArn: 'arn:aws:iam::111122223333:role/Logs' });
    const hasAsked = () => aws.asked.some(({ Action }) => Action === gatewayAccount);
    beforeEach(() => {
      aws.answers[gatewayAccount] = role;
    });

    it('leaves the role alone', async () => {
      expect((await prepare({ region })).context.accountLogging).toBe('false');
    });
    it.each(['true', 'false'])('does what is typed, accountLogging=%s, without asking', async (accountLogging) => {
      const { context } = await prepare({ region, context: { accountLogging } });
      expect(context.accountLogging).toBe(accountLogging);
      expect(hasAsked()).toBe(false);
    });
    it.each([
      { deployed: {} },
      { deployed: { accountLogging: 'false' } },
    ])('keeps what is deployed, $deployed, because the role may be its own', async ({ deployed }) => {
      aws.answers.DescribeStacks = stacks({ status: 'UPDATE_COMPLETE' });
      aws.answers.GetTemplate = template({ administrators: caller, ...deployed });
      const { context } = await prepare({ region });
      expect(context.accountLogging).toBe(deployed.accountLogging);
      expect(hasAsked()).toBe(false);
    });
    it('says which permission is missing when it may not look', async () => {
      aws.answers[gatewayAccount] = { code: 'AccessDeniedException', status: 403 };
      await expect(prepare({ region })).rejects.toThrow(/apigateway:GET/);
    });
  });

  describe('whose administrators leave out the caller', () => {
    it('is refused, with how to add oneself', async () => {
      await expect(prepare({ region, context: { administrators: other } })).rejects.toThrow(
        `--context administrators=${other},${caller}`,
      );
    });
    it('is accepted when that is said', async () => {
      const { context } = await prepare({ region, context: { administrators: other }, withoutMe: true });
      expect(context.administrators).toBe(other);
    });
    it('is accepted when the list is the deployed one', async () => {
      aws.answers.DescribeStacks = stacks({});
      aws.answers.GetTemplate = template({ administrators: other });
      await expect(prepare({ region })).resolves.toMatchObject({ context: { administrators: other } });
      await expect(prepare({ region, context: { administrators: `${other},${other}x` } })).rejects.toThrow(/leave out/);
    });
    it.each([
      'arn:aws:sts::111122223333:assumed-role/Admin/bob',
      'arn:aws:iam::111122223333:role/team/Admin',
    ])('knows the caller in %s', async (administrators) => {
      await expect(prepare({ region, context: { administrators } })).resolves.toBeDefined();
    });
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
      aws.answers.GetTemplate = template({ installation: 'capstan', administrators: other });
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
  const ensure = async (isWished = false) => ensureBootstrapped(await openSession({ region }), isWished, silent);

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
