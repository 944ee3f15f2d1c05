import { describe, expect, it } from 'vitest';
import { isDefinite, isPassing as isPassingRead } from '../../../kinds/infrastructure-aws/engine/step.ts';
import { type CloudAction, CloudError, isNotFound } from '../../../kinds/ports/cloud/index.ts';
import { isThrottled } from '../../../kinds/ports/cloud-limits.ts';
import { translated } from './errors.ts';

const answered = (httpStatusCode: number, Code: string, message = 'because') =>
  Object.assign(new Error(message), { name: Code, Code, $metadata: { httpStatusCode } });
const broken = (code: string, name = 'Error') =>
  Object.assign(new Error(`connect ${code}`), { name, code, $metadata: { attempts: 1 } });

const named = (name: string) => Object.assign(new Error('Could not load credentials from any providers'), { name });

const say = (error: unknown, action: CloudAction = 'RunInstances') => translated(error, action, 'ec2 in eu-west-1');

describe('the code of an error', () => {
  it.each([
    { rule: 'the code that EC2 returns', error: answered(400, 'InvalidVpcID.NotFound'), code: 'InvalidVpcID.NotFound' },
    {
      rule: 'the code on the wire, without the prefix that the SDK adds',
      error: Object.assign(answered(404, 'NoSuchEntity'), { name: 'NoSuchEntityException' }),
      code: 'NoSuchEntity',
    },
    {
      rule: 'the error name where the protocol has no code',
      error: Object.assign(answered(400, ''), { name: 'ResourceExistsException', Code: undefined }),
      code: 'ResourceExistsException',
    },
    {
      rule: 'a server error keeps its code and status',
      error: answered(500, 'InsufficientInstanceCapacity'),
      code: 'InsufficientInstanceCapacity',
    },
    {
      rule: 'a throttled call keeps its code',
      error: answered(503, 'RequestLimitExceeded'),
      code: 'RequestLimitExceeded',
    },
    {
      rule: 'an HTML page with status 404 has no meaning',
      error: answered(404, 'NotFound', 'Unknown'),
      code: 'UnknownError',
    },
    { rule: 'an HTML page with status 429 means throttling', error: answered(429, ''), code: 'Throttling' },
    {
      rule: 'an HTML page with status 502 means unavailable',
      error: answered(502, 'UnknownError'),
      code: 'ServiceUnavailable',
    },
    {
      rule: 'missing credentials count as invalid credentials',
      error: named('CredentialsProviderError'),
      code: 'AuthFailure',
    },
    { rule: 'a name that does not resolve', error: broken('ENOTFOUND'), code: 'UnknownEndpoint' },
    { rule: 'a refused connection', error: broken('ECONNREFUSED'), code: 'UnknownEndpoint' },
    {
      rule: 'a connection refused at every address',
      error: Object.assign(new AggregateError([broken('ECONNREFUSED'), broken('ECONNREFUSED')]), { $metadata: {} }),
      code: 'UnknownEndpoint',
    },
    { rule: 'an untrusted certificate', error: broken('SELF_SIGNED_CERT_IN_CHAIN'), code: 'UnknownEndpoint' },
    { rule: 'a missing region', error: new Error('Region is missing'), code: 'UnknownEndpoint' },
    { rule: 'a broken connection', error: broken('ECONNRESET'), code: 'ECONNRESET' },
    {
      rule: 'a response that broke off',
      error: broken('ERR_STREAM_PREMATURE_CLOSE'),
      code: 'NetworkFailure.ERR_STREAM_PREMATURE_CLOSE',
    },
    { rule: 'a request that timed out', error: broken('', 'TimeoutError'), code: 'RequestTimeout' },
    { rule: 'a response that cannot be parsed', error: new SyntaxError('unexpected token'), code: 'UnknownError' },
    { rule: 'no error', error: undefined, code: 'UnknownError' },
  ])('$rule: $code', ({ error, code }) => {
    const { code: actual, cause } = say(error);
    expect({ actual, cause }).toEqual({ actual: code, cause: error });
  });

  it('of an unexpected page is definite, but does not mean that a resource is gone', () => {
    const { code } = say(answered(405, ''), 'GetServiceQuota');
    expect(code).toBe('UnexpectedAnswer');
    expect(isDefinite({ code }) && !isPassingRead(`GetServiceQuota: ${code}`) && !isNotFound(code)).toBe(true);
  });

  it('stays unchanged for an error that is already translated', () => {
    const error = new CloudError('RequestLimitExceeded', 'held back');
    expect(say(error)).toBe(error);
  });
});

describe('the outcome of a failed call', () => {
  it.each([
    { rule: 'a client error', error: answered(400, 'InvalidParameterValue'), is: 'definite' },
    { rule: 'a missing permission', error: answered(403, 'UnauthorizedOperation'), is: 'definite' },
    { rule: 'a refused connection', error: broken('ECONNREFUSED'), is: 'definite' },
    { rule: 'a name that does not resolve', error: broken('EAI_AGAIN'), is: 'definite' },
    { rule: 'missing credentials', error: named('CredentialsProviderError'), is: 'definite' },
    { rule: 'a server error', error: answered(500, 'InternalError'), is: 'unknown' },
    { rule: 'an unavailable service', error: answered(503, 'Unavailable'), is: 'unknown' },
    { rule: 'an HTML page from a proxy', error: answered(502, 'UnknownError'), is: 'unknown' },
    { rule: 'an HTML page with status 404', error: answered(404, 'NotFound', 'Unknown'), is: 'unknown' },
    { rule: 'a broken connection', error: broken('EPIPE'), is: 'unknown' },
    { rule: 'a connection that timed out', error: broken('ETIMEDOUT'), is: 'unknown' },
    { rule: 'an unreachable host', error: broken('EHOSTUNREACH'), is: 'unknown' },
    { rule: 'a request that timed out', error: broken('', 'TimeoutError'), is: 'unknown' },
    { rule: 'a response that cannot be parsed', error: new TypeError('x is undefined'), is: 'unknown' },
  ])('is $is for $rule', ({ error, is }) => {
    const { code } = say(error);
    expect(isDefinite({ code }) ? 'definite' : 'unknown').toBe(is);
    expect(isNotFound(code)).toBe(false);
    if (is === 'unknown') expect(isPassingRead(`DescribeVpcs: ${code}`)).toBe(true);
  });

  it.each([
    'RequestLimitExceeded',
    'Throttling',
    'ThrottlingException',
    'ThrottledException',
    'TooManyRequestsException',
  ])('%s counts as throttling', (code) => expect(isThrottled(say(answered(400, code)).code)).toBe(true));
});

describe('the message of an error', () => {
  it.each([
    {
      rule: 'names the missing permission, without the encoded part that differs each time',
      error: answered(
        403,
        'UnauthorizedOperation',
        'You are not authorized to perform this operation. Encoded authorization failure message: rk3f-_A',
      ),
      message: "You are not authorized to perform this operation. Allow Capstan's role ec2:RunInstances on this.",
    },
    {
      rule: 'tells the user to log in again, without timestamps',
      error: answered(400, 'RequestExpired', 'Request has expired. Timestamp date is 2026-01-01T00:00:00Z'),
      message: 'the AWS credentials have expired, or the clock is wrong: log in again, or set the clock',
    },
    {
      rule: 'mentions that the region may not be enabled',
      error: answered(401, 'AuthFailure', 'AWS was not able to validate the provided access credentials'),
      message:
        'ec2 in eu-west-1 does not accept these AWS credentials: check that they are valid, and that the region is enabled in the account',
    },
    {
      rule: 'keeps what EC2 says about a resource of another account',
      error: answered(400, 'AuthFailure', "The address '203.0.113.1' does not belong to you."),
      message: "The address '203.0.113.1' does not belong to you.",
    },
    {
      rule: 'omits the request ID',
      error: answered(400, 'InvalidState', 'Not now. (Request ID: 8f2e-11)'),
      message: 'Not now.',
    },
    {
      rule: 'says what to check when the endpoint does not answer',
      error: broken('ENOTFOUND'),
      message:
        'the name of ec2 in eu-west-1 cannot be resolved: check the region, the network and its proxy, and AWS_ENDPOINT_URL if that is set',
    },
  ])('$rule', ({ error, message }) => expect(say(error).message).toBe(message));
});
