/** What AWS, the network or the SDK answered, as the port's error: AWS's own code, and what a person can do. */
import { type CloudAction, CloudError } from '../../../kinds/ports/cloud.ts';
import { iamActionOf } from './permissions.ts';

interface Thrown {
  name?: string;
  message?: string;
  /** Node's, of what happened to a connection. */
  code?: string;
  /** The word on the wire; SDK classes of the query protocol add "Exception" to it. */
  Code?: string;
  $metadata?: { httpStatusCode?: number };
  errors?: unknown[];
}

const unresolved = new Set(['ENOTFOUND', 'EAI_AGAIN']);
const untrusted = /^(CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_|ERR_SSL_|EPROTO$)/;
/** What the SDK calls an answer that says nothing about itself. */
const generic = new Set(['', 'Error', 'UnknownError', 'Unknown', 'SyntaxError', 'TypeError']);

const denied = /^(UnauthorizedOperation|AccessDenied(Exception)?|Client\.UnauthorizedOperation|NotAuthorized)$/;
const expired = /^(ExpiredToken(Exception)?|RequestExpired|TokenRefreshRequired)$/;
const mistaken =
  /^(AuthFailure|InvalidClientTokenId|UnrecognizedClientException|InvalidAccessKeyId|MissingAuthenticationToken(Exception)?)$/;
const misSigned = /^(SignatureDoesNotMatch|InvalidSignatureException|IncompleteSignature(Exception)?)$/;
const throttled = /Throttl|RequestLimitExceeded|TooManyRequests|SlowDown|BandwidthLimitExceeded/;

export const isThrottled = (code: string): boolean => throttled.test(code);

/** Whether a call that ended so may be repeated at once, if it may be repeated at all: no answer, or one that it failed. */
export const isPassing = (code: string): boolean =>
  !isThrottled(code) &&
  /Internal|Unavailable|Timeout|TimedOut|ECONNRESET|EPIPE|UnknownError|NetworkFailure/i.test(code);

/**
 * `where` is "<service> in <region>". Messages are the same for the same cause at any time, since conditions show them: what
 * AWS encodes anew in every refusal, and the times in it, are left out.
 */
export const translated = (error: unknown, action: CloudAction, where: string): CloudError => {
  if (error instanceof CloudError) return error;
  const thrown = firstOf(error);
  const { code, message } = meaning(thrown, action, where);
  return new CloudError(code, message, { cause: error });
};

/** Of a connection tried by several addresses, the first failure stands for all. */
const firstOf = (error: unknown): Thrown => {
  const thrown = (error ?? {}) as Thrown;
  return thrown.errors?.length ? { ...(thrown.errors[0] as Thrown), name: 'Error' } : thrown;
};

const meaning = (thrown: Thrown, action: CloudAction, where: string): { code: string; message: string } => {
  const { name = '', message = '', code: connection = '', $metadata } = thrown;
  const status = $metadata?.httpStatusCode;
  if (name === 'CredentialsProviderError' || name === 'TokenProviderError')
    // AuthFailure is what AWS would say: nothing is known of calls before this one.
    return {
      code: 'AuthFailure',
      message: `no AWS credentials: ${steady(message)}; set AWS_PROFILE, or log in again with "aws sso login"`,
    };
  if (status === undefined) return unanswered(name, connection, message, where);

  const code = thrown.Code || name;
  if (denied.test(code))
    return {
      code,
      message: `${steady(message)} Allow Capstan's role ${iamActionOf(action)} on this.`,
    };
  if (expired.test(code))
    return { code, message: 'the AWS credentials have expired, or the clock is wrong; log in again, or set the clock' };
  // EC2 says AuthFailure of what belongs to another account, too.
  if (mistaken.test(code) && /credential|token|access key|^$/i.test(message))
    return {
      code,
      message: `${where} does not accept these AWS credentials; check that they are valid and that the region is enabled in the account`,
    };
  if (misSigned.test(code))
    return { code, message: `${where} does not accept the signature; check the secret access key and the clock` };
  if (!generic.has(code)) return { code, message: steady(message) };
  // A proxy or a load balancer in between; whether the service itself was reached is not known.
  if (status >= 500) return { code: 'ServiceUnavailable', message: `${where} answered with status ${status}` };
  return { code: 'UnknownError', message: `${where} answered with status ${status} and nothing that could be read` };
};

const unanswered = (name: string, code: string, message: string, where: string): { code: string; message: string } => {
  const check = 'check the region, the network and any proxy, and AWS_ENDPOINT_URL if that is set';
  // These never reached the service: nothing was done.
  if (unresolved.has(code))
    return { code: 'UnknownEndpoint', message: `the name of ${where} cannot be resolved; ${check}` };
  if (code === 'ECONNREFUSED')
    return { code: 'UnknownEndpoint', message: `nothing listens where ${where} should be; ${check}` };
  if (untrusted.test(code))
    return { code: 'UnknownEndpoint', message: `the certificate of ${where} cannot be trusted (${code}); ${check}` };
  if (name === 'TimeoutError' || name === 'AbortError')
    return { code: 'RequestTimeout', message: `${where} did not answer in time; ${check}` };
  if (code)
    return {
      code: /^E[A-Z]+$/.test(code) ? networkCode(code) : code,
      message: `the connection to ${where} broke (${code}); ${check}`,
    };
  if (name === 'EndpointError') return { code: 'UnknownEndpoint', message: `${steady(message)}; ${check}` };
  // An answer that could not be read is one of these, so nobody knows what has been done.
  return { code: 'UnknownError', message: steady(message) };
};

/** EHOSTUNREACH and its kin may come after the request has gone. */
const networkCode = (code: string): string => (/^(ECONN|EPIPE|ETIMEDOUT)/.test(code) ? code : `NetworkFailure.${code}`);

const steady = (message: string): string =>
  message
    .replace(/\s*Encoded authorization failure message: \S+/, '')
    .replace(/\s*\(?Request ?ID: [\w-]+\)?/gi, '')
    .trim();
