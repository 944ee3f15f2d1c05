/** What AWS, the network or the SDK answered, as the port's error: AWS's own code, and what a person can do. */
import { type CloudAction, CloudError, isMutating, isUnclear } from '../../../kinds/ports/cloud.ts';
import { iamActionOf } from './permissions.ts';

interface Thrown {
  name?: string;
  message?: string;
  /** Node's, of what happened to a connection. */
  code?: string;
  /** The word on the wire; the SDK's classes of the query protocol add "Exception" to it. */
  Code?: string;
  $metadata?: { httpStatusCode?: number };
  /** Of a connection that was tried by several addresses. */
  errors?: Thrown[];
}
interface Meaning {
  code: string;
  message: string;
}

/** Whether there was no answer, or one that says that the service failed: what only reads may be repeated after, at once. */
export const isPassing = (code: string): boolean => isUnclear(code) || code === 'UnknownEndpoint';

/**
 * `where` is "<service> in <region>". Messages are the same for the same cause at any time, since conditions show them: what
 * AWS encodes anew in every refusal, and the times in it, are left out.
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
 * What the SDK calls an answer that has no code of its own. NotFound is what it makes of any page with status 404: a proxy's
 * word, from which nobody may conclude that a resource is gone.
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
  // EC2 says AuthFailure of what belongs to another account, too.
  if (mistaken.test(code) && /credential|token|access key|^$/i.test(message)) {
    const check = 'check that they are valid, and that the region is enabled in the account';
    return { code, message: `${where} does not accept these AWS credentials: ${check}` };
  }
  if (!generic.has(code)) return { code, message: steady(message) };
  return { code: unreadable(status, action), message: `${where} answered with status ${status} and nothing readable` };
};

/** A proxy or the like in between has answered: nobody knows whether the service was reached. */
const unreadable = (status: number, action: CloudAction): string => {
  if (status === 429) return 'Throttling';
  if (status >= 500) return 'ServiceUnavailable';
  // For a question that makes no difference; and this is not over by asking again.
  return isMutating(action) || status < 400 ? 'UnknownError' : 'UnexpectedAnswer';
};

const unresolved = new Set(['ENOTFOUND', 'EAI_AGAIN']);
const untrusted = /^(CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_)/;

const unanswered = ({ name = '', code, message, errors }: Thrown, where: string): Meaning => {
  // AuthFailure is what AWS would say: of calls before this one nothing is known.
  if (name === 'CredentialsProviderError' || name === 'TokenProviderError') {
    const remedy = 'set AWS_PROFILE, or log in again with "aws sso login"';
    return { code: 'AuthFailure', message: `no AWS credentials: ${steady(message)}: ${remedy}` };
  }
  const connection = code ?? errors?.[0]?.code;
  const check = 'check the region, the network and its proxy, and AWS_ENDPOINT_URL if that is set';
  const unreached = (why: string) => ({ code: 'UnknownEndpoint', message: `${why}: ${check}` });
  if (name === 'EndpointError' || message?.startsWith('Region ')) return unreached(steady(message));
  if (name === 'TimeoutError') return { code: 'RequestTimeout', message: `${where} did not answer in time: ${check}` };
  // An answer that could not be read is one of these, so nobody knows what has been done.
  if (connection === undefined) return { code: 'UnknownError', message: steady(message) };
  if (unresolved.has(connection)) return unreached(`the name of ${where} cannot be resolved`);
  if (connection === 'ECONNREFUSED') return unreached(`nothing listens where ${where} should be`);
  if (untrusted.test(connection)) return unreached(`the certificate of ${where} cannot be trusted (${connection})`);
  // These may come after the request has gone.
  const known = /^(ECONN|EPIPE|ETIMEDOUT)/.test(connection);
  const broken = `the connection to ${where} broke (${connection}): ${check}`;
  return { code: known ? connection : `NetworkFailure.${connection}`, message: broken };
};
