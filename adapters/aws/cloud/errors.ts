/** Translates errors of AWS, the network and the SDK into the port's error: AWS's code, with advice. */
import { type CloudAction, CloudError, isMutating, isUnclear } from '../../../kinds/ports/cloud/index.ts';
import { iamActionOf } from './permissions.ts';

interface Thrown {
  name?: string;
  message?: string;
  /** Node's code of a connection error. */
  code?: string;
  /** The code on the wire; the SDK appends "Exception" to class names of the query protocol. */
  Code?: string;
  $metadata?: { httpStatusCode?: number };
  /** Errors of a connection that was tried with several addresses. */
  errors?: Thrown[];
}
interface Meaning {
  code: string;
  message: string;
}

/** No response, or a failure of the service: only reads may be repeated at once. */
export const isPassing = (code: string): boolean => isUnclear(code) || code === 'UnknownEndpoint';

/**
 * `where` is "<service> in <region>". Equal causes give equal messages, because conditions show them: encoded
 * details and times are removed.
 */
export const translated = (error: unknown, action: CloudAction, where: string): CloudError => {
  if (error instanceof CloudError) return error;
  const thrown = (error ?? {}) as Thrown;
  const status = thrown.$metadata?.httpStatusCode;
  const { code, message } = status === undefined ? unanswered(thrown, where) : refused(thrown, status, action, where);
  return new CloudError(code, message, { cause: error });
};

const steady = (message = ''): string =>
  message
    .replace(/\s*Encoded authorization failure message: \S+/, '')
    .replace(/\s*\(?Request ?ID: [\w-]+\)?/gi, '')
    .trim();

const denied = /^(UnauthorizedOperation|AccessDenied(Exception)?)$/;
const expired = /^(ExpiredToken(Exception)?|RequestExpired)$/;
const misSigned = /^(SignatureDoesNotMatch|InvalidSignatureException|IncompleteSignature(Exception)?)$/;
const mistaken =
  /^(AuthFailure|InvalidClientTokenId|UnrecognizedClientException|MissingAuthenticationToken(Exception)?)$/;
/**
 * Codes that the SDK invents for responses without one. It makes NotFound of any 404, such as a proxy's, so
 * NotFound does not prove that a resource is gone.
 */
const generic = new Set(['', 'Error', 'NotFound', 'Unknown', 'UnknownError', 'SyntaxError', 'TypeError']);

const refused = (
  { name = '', Code, message = '' }: Thrown,
  status: number,
  action: CloudAction,
  where: string,
): Meaning => {
  const code = Code || name;
  if (denied.test(code))
    return { code, message: `${steady(message)} Allow Capstan's role ${iamActionOf(action)} on this.` };
  if (expired.test(code))
    return { code, message: 'the AWS credentials have expired, or the clock is wrong: log in again, or set the clock' };
  if (misSigned.test(code))
    return { code, message: `${where} does not accept the signature: check the secret access key, and the clock` };
  // EC2 also returns AuthFailure for resources of another account.
  if (mistaken.test(code) && /credential|token|access key|^$/i.test(message)) {
    const check = 'check that they are valid, and that the region is enabled in the account';
    return { code, message: `${where} does not accept these AWS credentials: ${check}` };
  }
  if (!generic.has(code)) return { code, message: steady(message) };
  return { code: unreadable(status, action), message: `${where} answered with status ${status} and nothing readable` };
};

/** A proxy may have answered, so it is unknown whether the call reached the service. */
const unreadable = (status: number, action: CloudAction): string => {
  if (status === 429) return 'Throttling';
  if (status >= 500) return 'ServiceUnavailable';
  // A read has no effect, and a retry would not help here.
  return isMutating(action) || status < 400 ? 'UnknownError' : 'UnexpectedAnswer';
};

const unresolved = new Set(['ENOTFOUND', 'EAI_AGAIN']);
const untrusted = /^(CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_)/;

const unanswered = ({ name = '', code, message, errors }: Thrown, where: string): Meaning => {
  // AuthFailure is AWS's code for this; the outcome of earlier attempts is unknown.
  if (name === 'CredentialsProviderError' || name === 'TokenProviderError') {
    const remedy = 'set AWS_PROFILE, or log in again with "aws sso login"';
    return { code: 'AuthFailure', message: `no AWS credentials: ${steady(message)}: ${remedy}` };
  }
  const connection = code ?? errors?.[0]?.code;
  const check = 'check the region, the network and its proxy, and AWS_ENDPOINT_URL if that is set';
  const unreached = (why: string) => ({ code: 'UnknownEndpoint', message: `${why}: ${check}` });
  if (name === 'EndpointError' || message?.startsWith('Region ')) return unreached(steady(message));
  if (name === 'TimeoutError') return { code: 'RequestTimeout', message: `${where} did not answer in time: ${check}` };
  // An unreadable response is one of these, so the outcome is unknown.
  if (connection === undefined) return { code: 'UnknownError', message: steady(message) };
  if (unresolved.has(connection)) return unreached(`the name of ${where} cannot be resolved`);
  if (connection === 'ECONNREFUSED') return unreached(`nothing listens where ${where} should be`);
  if (untrusted.test(connection)) return unreached(`the certificate of ${where} cannot be trusted (${connection})`);
  // These errors may occur after the request was sent.
  const known = /^(ECONN|EPIPE|ETIMEDOUT)/.test(connection);
  const broken = `the connection to ${where} broke (${connection}): ${check}`;
  return { code: known ? connection : `NetworkFailure.${connection}`, message: broken };
};
