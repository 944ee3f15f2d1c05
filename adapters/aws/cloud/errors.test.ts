import { describe, expect, it } from 'vitest';
import { isDefinite, isPassing as isPassingRead } from '../../../kinds/infrastructure-aws/aws-cluster/step.ts';
import { type CloudAction, CloudError, isNotFound } from '../../../kinds/ports/cloud.ts';
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
    { rule: 'is that of EC2', error: answered(400, 'InvalidVpcID.NotFound'), code: 'InvalidVpcID.NotFound' },
    {
      rule: 'is the one on the wire, without what the SDK adds',
      error: Object.assign(answered(404, 'NoSuchEntity'), { name: 'NoSuchEntityException' }),
      code: 'NoSuchEntity',
    },
    {
      rule: 'is the name where the protocol has no other',
      error: Object.assign(answered(400, ''), { name: 'ResourceExistsException', Code: undefined }),
      code: 'ResourceExistsException',
    },
    {
      rule: 'is kept with the status of a server error',
      error: answered(500, 'InsufficientInstanceCapacity'),
      code: 'InsufficientInstanceCapacity',
    },
    { rule: 'is kept of a throttled call', error: answered(503, 'RequestLimitExceeded'), code: 'RequestLimitExceeded' },
    {
      rule: 'of a page with status 404 says nothing',
      error: answered(404, 'NotFound', 'Unknown'),
      code: 'UnknownError',
    },
    { rule: 'of a page with status 429 is that of throttling', error: answered(429, ''), code: 'Throttling' },
    { rule: 'of a page with status 502 says so', error: answered(502, 'UnknownError'), code: 'ServiceUnavailable' },
    { rule: 'of no credentials is that of wrong ones', error: named('CredentialsProviderError'), code: 'AuthFailure' },
    { rule: 'of a name without address', error: broken('ENOTFOUND'), code: 'UnknownEndpoint' },
    { rule: 'of nobody listening', error: broken('ECONNREFUSED'), code: 'UnknownEndpoint' },
    {
      rule: 'of nobody listening at any address',
      error: Object.assign(new AggregateError([broken('ECONNREFUSED'), broken('ECONNREFUSED')]), { $metadata: {} }),
      code: 'UnknownEndpoint',
    },
    { rule: 'of a wrong certificate', error: broken('SELF_SIGNED_CERT_IN_CHAIN'), code: 'UnknownEndpoint' },
    { rule: 'of a region that is none', error: new Error('Region is missing'), code: 'UnknownEndpoint' },
    { rule: 'of a connection that broke', error: broken('ECONNRESET'), code: 'ECONNRESET' },
    {
      rule: 'of an answer that broke off',
      error: broken('ERR_STREAM_PREMATURE_CLOSE'),
      code: 'NetworkFailure.ERR_STREAM_PREMATURE_CLOSE',
    },
    { rule: 'of no answer in time', error: broken('', 'TimeoutError'), code: 'RequestTimeout' },
    { rule: 'of an answer that cannot be read', error: new SyntaxError('unexpected token'), code: 'UnknownError' },
    { rule: 'of no error at all', error: undefined, code: 'UnknownError' },
  ])('$rule: $code', ({ error, code }) => {
    const { code: said, cause } = say(error);
    expect({ said, cause }).toEqual({ said: code, cause: error });
  });

  it('of a page that answers a question is definite, but does not say that anything is gone', () => {
    const { code } = say(answered(405, ''), 'GetServiceQuota');
    expect(code).toBe('UnexpectedAnswer');
    expect(isDefinite({ code }) && !isPassingRead(`GetServiceQuota: ${code}`) && !isNotFound(code)).toBe(true);
  });

  it('stays as it is of an error that has been translated', () => {
    const error = new CloudError('RequestLimitExceeded', 'held back');
    expect(say(error)).toBe(error);
  });
});

describe('what follows from an error', () => {
  it.each([
    { rule: 'a refusal', error: answered(400, 'InvalidParameterValue'), is: 'definite' },
    { rule: 'a missing permission', error: answered(403, 'UnauthorizedOperation'), is: 'definite' },
    { rule: 'nobody listening', error: broken('ECONNREFUSED'), is: 'definite' },
    { rule: 'no address', error: broken('EAI_AGAIN'), is: 'definite' },
    { rule: 'no credentials', error: named('CredentialsProviderError'), is: 'definite' },
    { rule: 'a service that failed', error: answered(500, 'InternalError'), is: 'unknown' },
    { rule: 'a service that is away', error: answered(503, 'Unavailable'), is: 'unknown' },
    { rule: 'a page of a proxy', error: answered(502, 'UnknownError'), is: 'unknown' },
    { rule: 'a page that is not there', error: answered(404, 'NotFound', 'Unknown'), is: 'unknown' },
    { rule: 'a connection that broke', error: broken('EPIPE'), is: 'unknown' },
    { rule: 'a connection that timed out', error: broken('ETIMEDOUT'), is: 'unknown' },
    { rule: 'a host that went out of reach', error: broken('EHOSTUNREACH'), is: 'unknown' },
    { rule: 'no answer in time', error: broken('', 'TimeoutError'), is: 'unknown' },
    { rule: 'an answer that cannot be read', error: new TypeError('x is undefined'), is: 'unknown' },
  ])('of $rule is $is', ({ error, is }) => {
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
  ])('%s is for the buckets', (code) => expect(isThrottled(say(answered(400, code)).code)).toBe(true));
});

describe('the message of an error', () => {
  it.each([
    {
      rule: 'names the permission that is missing, without what is encoded anew each time',
      error: answered(
        403,
        'UnauthorizedOperation',
        'You are not authorized to perform this operation. Encoded authorization failure message: rk3f-_A',
      ),
      message: "You are not authorized to perform this operation. Allow Capstan's role ec2:RunInstances on this.",
    },
    {
      rule: 'tells to log in again, without the times',
      error: answered(400, 'RequestExpired', 'Request has expired. Timestamp date is 2026-01-01T00:00:00Z'),
      message: 'the AWS credentials have expired, or the clock is wrong: log in again, or set the clock',
    },
    {
      rule: 'points to a region that is not enabled',
      error: answered(401, 'AuthFailure', 'AWS was not able to validate the provided access credentials'),
      message:
        'ec2 in eu-west-1 does not accept these AWS credentials: check that they are valid, and that the region is enabled in the account',
    },
    {
      rule: "leaves alone what EC2 says about another account's resource",
      error: answered(400, 'AuthFailure', "The address '203.0.113.1' does not belong to you."),
      message: "The address '203.0.113.1' does not belong to you.",
    },
    {
      rule: 'leaves out the id of the request',
      error: answered(400, 'InvalidState', 'Not now. (Request ID: 8f2e-11)'),
      message: 'Not now.',
    },
    {
      rule: 'says where to look when nothing answers',
      error: broken('ENOTFOUND'),
      message:
        'the name of ec2 in eu-west-1 cannot be resolved: check the region, the network and its proxy, and AWS_ENDPOINT_URL if that is set',
    },
  ])('$rule', ({ error, message }) => expect(say(error).message).toBe(message));
});
