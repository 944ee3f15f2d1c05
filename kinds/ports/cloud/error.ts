/** Errors of calls, and what their codes mean. */

/**
 * An error response of a service. `code` is AWS's own, such as InsufficientInstanceCapacity or
 * DependencyViolation.
 */
export class CloudError extends Error {
  override readonly name = 'CloudError';
  readonly code: string;
  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Codes that mean that the named resource does not exist. */
export const isNotFound = (code: string): boolean =>
  /NotFound$|\.NotFound|\.Malformed$|^ResourceNotFoundException$|^InvalidResourceId$|^InvalidInstanceType$|^NoSuchEntity$|NotFoundException$|^InvalidInstance$/.test(
    code,
  );

/**
 * Codes that leave the outcome of a call unknown: the service failed, or no response arrived. Only
 * the beginning of a code counts, because others name an unknown, unavailable or network resource,
 * such as InvalidAMIID.Unavailable.
 */
export const isUnclear = (code: string): boolean =>
  /^(Internal|(Service)?Unavailable|(Request)?Time(d)?out|ETIMEDOUT|UnknownError|Network(Failure|ing)|ECONN|EPIPE|Socket)/i.test(
    code,
  );
