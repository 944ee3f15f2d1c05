/** Translates errors of AWS and of the network into advice. */
import { translated } from '../../adapters/aws/service/error.ts';
import { CliError } from '../errors.ts';

/** The attempted call, for messages: `action` as in IAM, `what` such as `the stack Capstan-capstan`. */
export interface Tried {
  action: string;
  what: string;
  profile?: string | undefined;
  region?: string | undefined;
}

interface Thrown {
  name: string;
  message: string;
  /** An error code of the network, such as ECONNREFUSED. */
  code: string;
  status: number | undefined;
}

const thrownOf = (error: unknown): Thrown => {
  const { name, message, code, cause, $metadata } = (error ?? {}) as {
    name?: string;
    message?: string;
    code?: string;
    cause?: { code?: string };
    $metadata?: { httpStatusCode?: number };
  };
  return {
    name: name ?? 'Error',
    message: message ?? String(error),
    code: code ?? cause?.code ?? '',
    status: $metadata?.httpStatusCode,
  };
};

interface KnownFailure {
  is: (thrown: Thrown) => boolean;
  says: (tried: Tried, thrown: Thrown) => string;
}

const named =
  (...names: string[]) =>
  ({ name }: Thrown): boolean =>
    names.includes(name);
const saying =
  (pattern: RegExp) =>
  ({ message }: Thrown): boolean =>
    pattern.test(message);
const either =
  (...each: KnownFailure['is'][]) =>
  (thrown: Thrown): boolean =>
    each.some((is) => is(thrown));

const of = (profile: string | undefined): string => (profile ? ` of the profile ${profile}` : '');
const withProfile = (profile: string | undefined): string => (profile ? ` --profile ${profile}` : '');
/** The endpoints that replace AWS's. */
const endpoints = (): string => {
  const set = Object.keys(process.env).filter((name) => /^AWS_ENDPOINT_URL/.test(name));
  return [...new Set(set.map((name) => process.env[name]))].join(', ');
};

/** The first match explains the error. */
const knownFailures: readonly KnownFailure[] = [
  {
    is: either(named('TokenProviderError', 'SSOTokenProviderFailure'), saying(/\bSSO session\b|\bsso login\b/i)),
    says: ({ profile }) => `the login${of(profile)} has ended: run  aws sso login${withProfile(profile)}`,
  },
  {
    is: saying(/Could not resolve credentials using profile|profile .*(could not be found|not found)/i),
    says: ({ profile }) =>
      `there are no credentials for the profile ${profile ?? 'that AWS_PROFILE names'}: look into ~/.aws/config and ~/.aws/credentials, or name another with --profile`,
  },
  {
    is: either(named('CredentialsProviderError'), saying(/Could not load credentials/)),
    says: ({ profile }) =>
      `no AWS credentials${of(profile)} were found: log in (aws sso login, aws configure), or name a profile with --profile`,
  },
  {
    is: saying(/Region is missing/),
    says: () => 'no AWS region is set: name one with --region, or set AWS_REGION',
  },
  {
    is: either(named('ExpiredToken', 'ExpiredTokenException', 'RequestExpired', 'TokenRefreshRequired')),
    says: ({ profile }) =>
      `the AWS credentials${of(profile)} have expired: log in again, for example with  aws sso login${withProfile(profile)}`,
  },
  {
    is: either(named('InvalidClientTokenId', 'UnrecognizedClientException', 'OptInRequired', 'AuthFailure')),
    says: ({ profile, region }) =>
      `AWS does not know the access key${of(profile)} in ${region ?? 'this region'}: it was deleted or belongs elsewhere, or the region is not enabled for the account`,
  },
  {
    is: either(
      named('SignatureDoesNotMatch', 'InvalidSignatureException', 'IncompleteSignature', 'RequestTimeTooSkewed'),
    ),
    says: ({ profile }) =>
      `AWS does not accept the signature: the secret key${of(profile)} is wrong, or the clock of this machine is`,
  },
  {
    is: either(
      named('AccessDenied', 'AccessDeniedException', 'UnauthorizedOperation', 'NotAuthorized', 'AuthorizationError'),
      saying(/is not authorized to perform/),
    ),
    says: ({ action, what }, { message }) => {
      const [, whom, refused] = /User: (\S+) is not authorized to perform: ([\w:*-]+)/.exec(message) ?? [];
      return `${whom ?? 'the caller'} may not ${refused ?? action} on ${what}: have an administrator of the account allow it, and look for policies that deny it (docs/deployment.md lists what a deployment needs)`;
    },
  },
  {
    is: either(
      ({ name, code }) =>
        /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ECONNRESET|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EPIPE)$/.test(code) ||
        name === 'TimeoutError',
    ),
    says: ({ what, region }, { name, code }) => {
      const set = endpoints();
      const whether = set
        ? `requests go to ${set}, for AWS_ENDPOINT_URL is set: is an emulator running there?`
        : `check the region (${region ?? 'none'}), the network, and HTTPS_PROXY where there is one`;
      return `cannot reach ${what} (${code || name}): ${whether}`;
    },
  },
  {
    is: ({ code }) => /CERT|SELF_SIGNED|UNABLE_TO_VERIFY/.test(code),
    says: ({ what }, { code }) =>
      `cannot trust the certificate of ${what} (${code}): something between here and AWS replaces it; name its authority in NODE_EXTRA_CA_CERTS`,
  },
  {
    is: ({ name }) => /Throttl|TooManyRequests|RequestLimitExceeded|SlowDown/.test(name),
    says: ({ what, action }) => `${what} is asked too often by this account (${action}): wait a minute and try again`,
  },
  {
    is: ({ status }) => status !== undefined && status >= 500,
    says: ({ what, action }, { status }) =>
      `${what} failed with status ${status} at ${action}: nothing is lost, try again`,
  },
];

/** As CliError; an existing CliError is returned as it is. */
export const explained = (error: unknown, tried: Tried): CliError => {
  if (error instanceof CliError) return error;
  const thrown = thrownOf(error);
  const failure = knownFailures.find(({ is }) => is(thrown));
  const says = failure ? failure.says(tried, thrown) : translated(error, tried).message;
  return new CliError(says, 1, { cause: error });
};

/** Returns the answer, or throws the explained error. */
export const asking = async <T>(request: Promise<T>, tried: Tried): Promise<T> => {
  try {
    return await request;
  } catch (error) {
    throw explained(error, tried);
  }
};
