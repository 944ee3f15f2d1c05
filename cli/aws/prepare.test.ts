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
  it('makes the caller administrator, by the role of its session', async () => {
    const { context, session } = await prepare({ region });
    expect(context).toEqual({
      installation: 'capstan',
      administrators: caller,
      accountConcurrency: '10',
      accountLogging: 'true',
    });
    expect(session).toMatchObject({ region, account: '111122223333', isEmulated: false });
  });

  it('starts from the deployed context', async () => {
    aws.answers.DescribeStacks = stacks({ status: 'UPDATE_COMPLETE' });
    aws.answers.GetTemplate = template({ installation: 'capstan', administrators: other, logRetentionDays: '90' });
    const { context } = await prepare({ region, context: { logRetentionDays: '60' } });
    expect(context).toMatchObject({ installation: 'capstan', administrators: other, logRetentionDays: '60' });
    expect(aws.asked.filter(({ Action }) => Action === 'GetTemplate')).toMatchObject([{ TemplateStage: 'Original' }]);
  });

  it.each<{ what: string; context: Context; says: RegExp }>([
    { what: 'unknown', context: { colour: 'red' }, says: /there is no colour: it is one of installation, / },
    { what: 'not a number', context: { maxConcurrency: 'many' }, says: /maxConcurrency/ },
    { what: 'not JSON', context: { oidc: '{' }, says: /oidc is no JSON/ },
    {
      what: 'not an AWS identity',
      context: { administrators: `${caller},arn:aws:iam::1:role/x` },
      says: /has "arn:aws:iam::1:role\/x", which is neither the ARN/,
    },
    { what: 'not an identity at all', context: { administrators: 'ann' }, says: /has "ann"/ },
  ])('calls no AWS API when a value is $what', async ({ context, says }) => {
    await expect(prepare({ region, context })).rejects.toMatchObject({
      message: expect.stringMatching(says),
      exitCode: 2,
    });
    expect(aws.asked).toEqual([]);
  });

  it.each<{ what: string; context: Context; says: RegExp }>([
    {
      what: 'an issuer whose tokens are not accepted',
      context: { administrators: `${caller},https://issuer.example#ann` },
      says: /https:\/\/issuer.example#ann, whose issuer is not among oidc/,
    },
    {
      what: 'AWS identities while STS is switched off',
      context: { sts: 'false' },
      says: /sts=false refuses AWS identities/,
    },
    {
      what: 'an incomplete domain',
      context: { domainName: 'a.example' },
      says: /domainName and certificateArn come together/,
    },
  ])('refuses $what', async ({ context, says }) => {
    await expect(prepare({ region, context })).rejects.toThrow(says);
  });

  it('tells the CDK which values return to their defaults', async () => {
    aws.answers.DescribeStacks = stacks({ status: 'UPDATE_COMPLETE' });
    aws.answers.GetTemplate = template({ administrators: other, alarmEmail: 'a@b.example' });
    const { context, given } = await prepare({ region, context: { alarmEmail: '' } });
    expect(context.alarmEmail).toBeUndefined();
    expect(given).toEqual({ ...context, alarmEmail: '' });
  });

  describe('in an account whose API Gateway has no logging role', () => {
    it('makes one, which the user did not ask for', async () => {
      const { context, makesLoggingRole } = await prepare({ region });
      expect({ accountLogging: context.accountLogging, makesLoggingRole }).toEqual({
        accountLogging: 'true',
        makesLoggingRole: true,
      });
    });
    it('makes one for a user who asks for it', async () => {
      const { makesLoggingRole } = await prepare({ region, context: { accountLogging: 'true' } });
      expect(makesLoggingRole).toBe(false);
    });
  });

  describe('in an account whose API Gateway already has a logging role', () => {
    const role = JSON.stringify({ cloudwatchRoleArn: 'arn:aws:iam::111122223333:role/Logs' });
    const hasAsked = () => aws.asked.some(({ Action }) => Action === gatewayAccount);
    beforeEach(() => {
      aws.answers[gatewayAccount] = role;
    });

    it('keeps that role', async () => {
      expect(await prepare({ region })).toMatchObject({ makesLoggingRole: false });
      expect((await prepare({ region })).context.accountLogging).toBeUndefined();
    });
    it.each(['true', 'false'])('follows --context accountLogging=%s without a lookup', async (accountLogging) => {
      const { context } = await prepare({ region, context: { accountLogging } });
      expect(context.accountLogging).toBe(accountLogging);
      expect(hasAsked()).toBe(false);
    });
    it.each([
      { deployed: {} },
      { deployed: { accountLogging: 'true' } },
    ])('keeps the deployed value, $deployed, because the role may be its own', async ({ deployed }) => {
      aws.answers.DescribeStacks = stacks({ status: 'UPDATE_COMPLETE' });
      aws.answers.GetTemplate = template({ administrators: caller, ...deployed });
      const { context } = await prepare({ region });
      expect(context.accountLogging).toBe(deployed.accountLogging);
      expect(hasAsked()).toBe(false);
    });
    it('names the missing permission when the lookup is denied', async () => {
      aws.answers[gatewayAccount] = { code: 'AccessDeniedException', status: 403 };
      await expect(prepare({ region })).rejects.toThrow(/apigateway:GET/);
    });
  });

  describe('whose administrators omit the caller', () => {
    it('is refused, and says how to add the caller', async () => {
      await expect(prepare({ region, context: { administrators: other } })).rejects.toThrow(
        `--context administrators=${other},${caller}`,
      );
    });
    it('is accepted with --without-me', async () => {
      const { context } = await prepare({ region, context: { administrators: other }, withoutMe: true });
      expect(context.administrators).toBe(other);
    });
    it('is accepted when the deployed list omits the caller too', async () => {
      aws.answers.DescribeStacks = stacks({});
      aws.answers.GetTemplate = template({ administrators: other });
      await expect(prepare({ region })).resolves.toMatchObject({ context: { administrators: other } });
      await expect(prepare({ region, context: { administrators: `${other},${other}x` } })).rejects.toThrow(/leave out/);
    });
    it.each([
      'arn:aws:sts::111122223333:assumed-role/Admin/bob',
      'arn:aws:iam::111122223333:role/team/Admin',
    ])('recognises the caller in %s', async (administrators) => {
      await expect(prepare({ region, context: { administrators } })).resolves.toBeDefined();
    });
  });

  it('reads the stacks of the named installation', async () => {
    await prepare({ region, context: { installation: 'blue' } });
    const looked = aws.asked.filter((asked) => asked.Action === 'DescribeStacks' && asked.region === region);
    expect(looked.map(({ StackName }) => StackName)).toEqual(['Capstan-blue', 'Capstan-blue-Monitoring']);
  });

  describe('when another region has an installation of the same name', () => {
    const elsewhere =
      (status: string, here: ReturnType<typeof stacks> | typeof absent = absent) =>
      (asked: string) => {
        if (asked === region) return here;
        return asked === 'us-east-1' ? stacks({ status }) : absent;
      };

    it('is refused, because tags could not tell the two apart', async () => {
      aws.answers.DescribeStacks = elsewhere('UPDATE_COMPLETE');
      await expect(prepare({ region })).rejects.toThrow(
        /there is an installation capstan in us-east-1 .* --context installation=/s,
      );
    });
    it.each([
      'REVIEW_IN_PROGRESS',
      'ROLLBACK_COMPLETE',
    ])('is accepted when that installation was never completed (%s)', async (status) => {
      aws.answers.DescribeStacks = elsewhere(status);
      await expect(prepare({ region })).resolves.toMatchObject({ installation: 'capstan' });
    });
    it('is accepted when the installation exists here as well', async () => {
      aws.answers.DescribeStacks = elsewhere('UPDATE_COMPLETE', stacks({}));
      aws.answers.GetTemplate = template({ installation: 'capstan', administrators: other });
      await expect(prepare({ region })).resolves.toMatchObject({ installation: 'capstan' });
    });
    it('is accepted when other regions cannot be read', async () => {
      aws.answers.DescribeStacks = (asked) => (asked === region ? absent : { code: 'AccessDenied', status: 403 });
      await expect(prepare({ region })).resolves.toMatchObject({ installation: 'capstan' });
    });
  });

  it('reads no template of a stack that only ever had a change set', async () => {
    aws.answers.DescribeStacks = stacks({ status: 'REVIEW_IN_PROGRESS' });
    expect((await prepare({ region })).context.administrators).toBe(caller);
  });

  it.each([
    {
      what: 'another deployment is in progress',
      answers: { DescribeStacks: stacks({ status: 'UPDATE_IN_PROGRESS' }) },
      says: /another deployment of Capstan-capstan is under way/,
    },
    {
      what: 'a deployment stopped half-way',
      answers: { DescribeStacks: stacks({ status: 'UPDATE_ROLLBACK_FAILED' }) },
      says: /continue-update-rollback/,
    },
    {
      what: 'the caller may not describe the stacks',
      answers: { DescribeStacks: { code: 'AccessDenied', status: 403 } },
      says: /may not cloudformation:DescribeStacks on the stack Capstan-capstan/,
    },
    {
      what: 'the caller may not read the template',
      answers: { DescribeStacks: stacks({}), GetTemplate: { code: 'AccessDenied', status: 403 } },
      says: /may not cloudformation:GetTemplate/,
    },
    {
      what: 'the credentials have expired',
      answers: { GetCallerIdentity: { code: 'ExpiredToken', status: 403 } },
      says: /have expired: log in again/,
    },
    { what: 'STS throttles', answers: { GetCallerIdentity: { code: 'Throttling' } }, says: /asked too often/ },
  ])('does not begin while $what', { timeout: 30_000 }, async ({ answers, says }) => {
    Object.assign(aws.answers, answers);
    await expect(prepare({ region })).rejects.toThrow(says);
  });
});

describe('bootstrapping', () => {
  const ensure = async (isWished = false) =>
    ensureBootstrapped(await openSession({ region }), isWished, silent, ignore);

  it('is skipped when the bootstrap stack exists', async () => {
    aws.answers.GetParameter = '{"Parameter":{"Value":"28"}}';
    await expect(ensure(true)).resolves.toBeUndefined();
  });
  it('does not happen without consent', async () => {
    aws.answers.GetParameter = { code: 'ParameterNotFound' };
    await expect(ensure()).rejects.toThrow(
      /never used in eu-central-1 of account 111122223333: .*npm run deploy -- --bootstrap/,
    );
  });
  it('is not assumed missing when the caller may not look', async () => {
    aws.answers.GetParameter = { code: 'AccessDeniedException' };
    await expect(ensure()).rejects.toThrow(/may not ssm:GetParameter/);
  });
});
