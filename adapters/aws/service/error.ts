/** Errors of AWS services, with advice. */

/** Retried: it ends when an administrator removes the cause. */
export class ServiceError extends Error {
  override readonly name: string = 'ServiceError';
  /** AWS's code, or Unreachable, Unreadable or NoCredentials. */
  readonly code: string;
  readonly consequence = 'retry';
  /** `refused`: without effect; otherwise the outcome is unknown. */
  readonly outcome: 'refused' | 'unknown';
  constructor(code: string, message: string, outcome: 'refused' | 'unknown' = 'unknown') {
    super(message);
    this.code = code;
    this.outcome = outcome;
  }
}

/** AWS does not answer: the call says nothing about its permissions or parameters. */
export class ServiceUnavailable extends ServiceError {
  override readonly name = 'ServiceUnavailable';
}

interface Thrown {
  name?: string;
  message?: string;
  code?: string;
  $metadata?: { httpStatusCode?: number };
}

const denied =
  /^(AccessDenied(Exception)?|UnauthorizedOperation|NotAuthorized|KmsAccessDenied(Exception)?|KMS\.AccessDenied.*)$/;
const missing =
  /^(QueueDoesNotExist|AWS\.SimpleQueueService\.NonExistentQueue|StateMachineDoesNotExist|StateMachineDeleting|ResourceNotFoundException|NotFoundException)$/;
const disabled =
  /^(DisabledException|KMSInvalidStateException|KmsInvalidState(Exception)?|KmsDisabled|KMS\.DisabledException|KMS\.InvalidStateException)$/i;
const expired = /^(ExpiredToken(Exception)?|RequestExpired)$/;
const mistaken = /^(UnrecognizedClientException|InvalidClientTokenId|InvalidSignatureException|SignatureDoesNotMatch)$/;
const throttled = /Throttl|TooManyRequests|RequestLimitExceeded|KmsThrottl|LimitExceeded|TooManyUpdates/;

const locked = /\bobject lock\b|\bWORM\b/i;

const unanswered = new Set(['TimeoutError', 'AbortError']);

/** `what` is the resource, such as `the queue https://…`; `action` the IAM action of the call. */
export interface Attempt {
  action: string;
  what: string;
}

const advice = (code: string, status: number | undefined, message: string, { action, what }: Attempt): string => {
  const response = [code, message.trim().replace(/\.$/, '')].filter(Boolean).join(': ');
  if (locked.test(message))
    return `${what} refused ${action}, and no permission helps before the lock ends (${response})`;
  if (denied.test(code))
    return `${what} refused ${action}: allow it to the role that called, and look for policies that deny it (${response})`;
  if (missing.test(code))
    return `${what} is not there: the installation is deployed in part, or in another account or region; deploy it again`;
  if (disabled.test(code))
    return `${what} cannot be used: the key is disabled or about to be deleted; enable it, nothing is lost until then`;
  if (expired.test(code)) return `${what} refused expired credentials: log in again, or set the clock`;
  if (mistaken.test(code)) return `${what} does not accept these credentials: check them, the region and the clock`;
  if (throttled.test(code)) return `${what} is asked too often by this account (${action})`;
  if (status !== undefined && status >= 500) return `${what} failed with status ${status}`;
  return `${what} refused ${action}: ${response}`;
};

/** Requests and responses may contain secrets, so keep only AWS's message. */
export const translated = (error: unknown, attempt: Attempt): ServiceError => {
  const { name = 'Error', message = '', code, $metadata } = (error ?? {}) as Thrown;
  if (name === 'CredentialsProviderError')
    return new ServiceError('NoCredentials', `no AWS credentials to reach ${attempt.what}: set AWS_PROFILE, or log in`);
  const status = $metadata?.httpStatusCode;
  if (status !== undefined && status < 500)
    return new ServiceError(name, advice(name, status, message, attempt), 'refused');
  if (status !== undefined) return new ServiceUnavailable(name, advice(name, status, message, attempt));
  if (code !== undefined || unanswered.has(name))
    return new ServiceUnavailable(
      'Unreachable',
      `${attempt.what} did not answer (${code ?? name}): check the region, the network, and AWS_ENDPOINT_URL if that is set`,
    );
  return new ServiceError('Unreadable', `${attempt.what} gave an answer that cannot be used: ${message}`);
};

/** Whether AWS answered with one of these codes. */
export const isAnswer = (error: unknown, ...names: string[]): boolean => names.includes((error as Thrown)?.name ?? '');

export const sent = async <T>(request: Promise<T>, attempt: Attempt): Promise<T> => {
  try {
    return await request;
  } catch (error) {
    throw translated(error, attempt);
  }
};
