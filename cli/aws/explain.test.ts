import { createServer, type Server } from 'node:http';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { fromIni } from '@aws-sdk/credential-providers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { CliError } from '../errors.ts';
import { explained } from './explain.ts';

const tried = {
  action: 'cloudformation:DescribeStacks',
  what: 'the stack Capstan-capstan',
  profile: 'dev',
  region: 'eu-central-1',
};

// The developer who runs this test may have an emulator configured.
beforeEach(() => {
  for (const name of Object.keys(process.env)) if (name.startsWith('AWS_')) vi.stubEnv(name, undefined);
});
afterEach(() => vi.unstubAllEnvs());

/** An error as the SDK throws it. */
const thrown = (name: string, message = 'no', more: object = { $metadata: { httpStatusCode: 400 } }): Error =>
  Object.assign(new Error(message), { name }, more);

describe('an AWS error is explained with advice', () => {
  it.each([
    {
      what: 'no credentials',
      error: thrown('CredentialsProviderError', 'Could not load credentials from any providers', {}),
      says: /no AWS credentials of the profile dev were found: log in .*--profile/,
    },
    {
      what: 'an unknown profile',
      error: thrown(
        'CredentialsProviderError',
        'Could not resolve credentials using profile: [dev] in configuration/credentials file(s).',
        {},
      ),
      says: /no credentials for the profile dev: look into ~\/\.aws\/config/,
    },
    {
      what: 'an expired login session',
      error: thrown('CredentialsProviderError', 'The SSO session associated with this profile has expired.', {}),
      says: /aws sso login --profile dev$/,
    },
    {
      what: 'an expired SSO token',
      error: thrown('TokenProviderError', 'Token is expired', {}),
      says: /aws sso login --profile dev$/,
    },
    {
      what: 'no region',
      error: thrown('Error', 'Region is missing', {}),
      says: /no AWS region is set: name one with --region/,
    },
    {
      what: 'expired credentials',
      error: thrown('ExpiredToken'),
      says: /credentials of the profile dev have expired: log in again/,
    },
    {
      what: 'expired credentials, as reported by DynamoDB',
      error: thrown('ExpiredTokenException'),
      says: /have expired/,
    },
    {
      what: 'an unknown access key',
      error: thrown('InvalidClientTokenId'),
      says: /does not know the access key of the profile dev in eu-central-1: .*not enabled/,
    },
    {
      what: 'a wrong secret key',
      error: thrown('SignatureDoesNotMatch'),
      says: /secret key of the profile dev is wrong, or the clock/,
    },
    {
      what: 'a missing permission',
      error: thrown(
        'AccessDenied',
        'User: arn:aws:iam::111122223333:user/ann is not authorized to perform: cloudformation:DescribeStacks on resource: *',
      ),
      says: /arn:aws:iam::111122223333:user\/ann may not cloudformation:DescribeStacks on the stack Capstan-capstan/,
    },
    {
      what: 'a missing permission without a named action',
      error: thrown('AccessDeniedException'),
      says: /the caller may not cloudformation:DescribeStacks/,
    },
    {
      what: 'a refused connection',
      error: thrown('Error', 'connect ECONNREFUSED', { code: 'ECONNREFUSED' }),
      says: /cannot reach the stack Capstan-capstan \(ECONNREFUSED\): check the region \(eu-central-1\)/,
    },
    {
      what: 'a name that does not resolve',
      error: thrown('Error', 'getaddrinfo ENOTFOUND', { code: 'ENOTFOUND' }),
      says: /check the region \(eu-central-1\)/,
    },
    {
      what: 'a timeout',
      error: thrown('TimeoutError', 'Connection timed out', {}),
      says: /cannot reach .*TimeoutError/,
    },
    {
      what: 'an untrusted certificate',
      error: thrown('Error', 'self-signed', { code: 'SELF_SIGNED_CERT_IN_CHAIN' }),
      says: /NODE_EXTRA_CA_CERTS/,
    },
    { what: 'throttling', error: thrown('ThrottlingException'), says: /asked too often/ },
    { what: 'throttling, as reported by STS', error: thrown('Throttling'), says: /asked too often/ },
    {
      what: 'a service failure',
      error: thrown('InternalFailure', 'no', { $metadata: { httpStatusCode: 500 } }),
      says: /failed with status 500 .*try again/,
    },
    {
      what: 'a table that is missing',
      error: thrown('ResourceNotFoundException'),
      says: /deployed in part, or in another account or region/,
    },
    {
      what: 'a key that is disabled',
      error: thrown('DisabledException'),
      says: /the key is disabled .*enable it, nothing is lost/,
    },
    {
      what: 'any other error, with its own message',
      error: thrown('ValidationError', 'Stack is wrong'),
      says: /refused cloudformation:DescribeStacks: ValidationError: Stack is wrong/,
    },
  ])('$what', ({ error, says }) => {
    const known = explained(error, tried);
    expect(known).toBeInstanceOf(CliError);
    expect(known.message).toMatch(says);
    expect(known.message.split('\n')).toHaveLength(1);
  });

  it('passes through an error that is already explained', () => {
    const error = new CliError('said');
    expect(explained(error, tried)).toBe(error);
  });
});

describe('the SDK throws the expected error', () => {
  let server: Server;
  let answer: { status: number; body: string };
  let endpoint: string;
  beforeAll(async () => {
    server = createServer((_, response) =>
      response.writeHead(answer.status, { 'content-type': 'text/xml' }).end(answer.body),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    endpoint = typeof address === 'object' && address !== null ? `http://127.0.0.1:${address.port}` : '';
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' };
  const ask = async (more: object): Promise<string> => {
    const client = new STSClient({ region: 'eu-central-1', endpoint, credentials, maxAttempts: 1, ...more });
    try {
      await client.send(new GetCallerIdentityCommand({}));
      return 'nothing';
    } catch (error) {
      return explained(error, {
        action: 'sts:GetCallerIdentity',
        what: 'AWS STS',
        profile: 'dev',
        region: 'eu-central-1',
      }).message;
    }
  };
  const explanationOf = (code: string) =>
    `<ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><Error><Type>Sender</Type><Code>${code}</Code><Message>no</Message></Error><RequestId>r</RequestId></ErrorResponse>`;

  it.each([
    { code: 'InvalidClientTokenId', status: 403, says: /does not know the access key/ },
    { code: 'ExpiredToken', status: 403, says: /have expired/ },
    { code: 'SignatureDoesNotMatch', status: 403, says: /does not accept the signature/ },
    { code: 'AccessDenied', status: 403, says: /may not sts:GetCallerIdentity/ },
    { code: 'Throttling', status: 400, says: /asked too often/ },
    { code: 'InternalFailure', status: 500, says: /failed with status 500/ },
  ])('$code', async ({ code, status, says }) => {
    answer = { status, body: explanationOf(code) };
    expect(await ask({})).toMatch(says);
  });
  it('where the connection is refused', async () => {
    vi.stubEnv('AWS_ENDPOINT_URL', 'http://127.0.0.1:1');
    expect(await ask({ endpoint: 'http://127.0.0.1:1' })).toMatch(
      /cannot reach AWS STS \(ECONNREFUSED\): requests go to http:\/\/127.0.0.1:1, .* is an emulator running there\?/,
    );
  });
  it('where the profile does not exist', async () => {
    const files = { filepath: '/dev/null', configFilepath: '/dev/null' };
    expect(await ask({ credentials: fromIni({ profile: 'dev', ...files }) })).toMatch(
      /no credentials for the profile dev/,
    );
  });
});
