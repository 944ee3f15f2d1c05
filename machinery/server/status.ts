/** metav1.Status: the response of every refusal, and of a successful deletion. */
import { ApiError, ContinueExpired, type StatusDetails, unavailable } from '../api/errors.ts';
import { OutcomeUnknown, Throttled } from '../ports.ts';
import { MalformedJson } from './json.ts';

export const unauthorized = (): ApiError => new ApiError(401, 'Unauthorized', 'Unauthorized');
export const notServed = (): ApiError =>
  new ApiError(404, 'NotFound', 'the server could not find the requested resource', {});
/** 405 for a verb that the path does not support; only custom resources name the verb. */
export const methodNotAllowed = (
  resource: { group: string; plural: string; custom?: boolean },
  verb: string,
): ApiError => {
  const { group, plural, custom } = resource;
  if (!custom)
    return new ApiError(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {});
  const qualified = group ? `${plural}.${group}` : plural;
  const details = { ...(group && { group }), kind: plural };
  return new ApiError(405, 'MethodNotAllowed', `${verb} is not supported on resources of kind "${qualified}"`, details);
};
export const notAcceptable = (accepted: string[]): ApiError =>
  new ApiError(406, 'NotAcceptable', `only the following media types are accepted: ${accepted.join(', ')}`);
export const unsupportedMediaType = (accepted: string[]): ApiError =>
  new ApiError(
    415,
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
  );

export interface StatusBody {
  kind: 'Status';
  apiVersion: 'v1';
  metadata: { continue?: string };
  status: 'Success' | 'Failure';
  message?: string;
  reason?: string;
  details?: StatusDetails;
  code?: number;
}

const head = { kind: 'Status', apiVersion: 'v1', metadata: {} } as const;

export const success = (details: StatusDetails): StatusBody => ({ ...head, status: 'Success', details });

/** Retry-After in seconds for faults that an operator must fix. */
const mending = 10;

/** A dependency of the server fails, with a message that says what an operator can do. */
const isActionableFailure = (error: unknown): error is Error =>
  error instanceof Error && ['retry', 'wait'].includes((error as { consequence?: string }).consequence ?? '');

/**
 * Any error as a Status. An unexpected error is the server's fault, and the response shows no
 * internals.
 */
export const failure = (error: unknown): StatusBody & { code: number } => {
  if (error instanceof ApiError) {
    const { code, reason, message, details } = error;
    const metadata = error instanceof ContinueExpired ? { continue: error.continue } : {};
    const why = { message, ...(reason && { reason }), ...(details && { details }), code };
    return { ...head, metadata, status: 'Failure', ...why };
  }
  if (error instanceof MalformedJson) return failure(new ApiError(400, 'BadRequest', error.message));
  if (error instanceof Throttled) return failure(unavailable('the store is busy, please try again'));
  if (error instanceof OutcomeUnknown)
    return failure(new ApiError(504, 'Timeout', 'the request took too long, and may have been carried out', {}));
  if (isActionableFailure(error)) return failure(unavailable(error.message, mending));
  const message = 'Internal error occurred: the request could not be completed';
  return {
    ...head,
    status: 'Failure',
    message,
    reason: 'InternalError',
    details: { causes: [{ message }] },
    code: 500,
  };
};

/**
 * The error of a partly executed request, without Retry-After: the client must not simply repeat
 * it.
 */
export const onceBegun = (error: unknown): unknown => {
  const { code, reason = 'InternalError', message = '', details = {} } = failure(error);
  const { retryAfterSeconds, ...rest } = details;
  return retryAfterSeconds === undefined ? error : new ApiError(code, reason, message, rest, { cause: error });
};

export const jsonResponse = (body: unknown, status = 200, headers: Record<string, string> = {}): Response =>
  new Response(`${JSON.stringify(body)}\n`, {
    status,
    headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-cache, private', ...headers },
  });

export const failureResponse = (error: unknown): Response => {
  const body = failure(error);
  const retry = body.details?.retryAfterSeconds;
  const headers: Record<string, string> = retry === undefined ? {} : { 'Retry-After': String(retry) };
  if (body.code === 401) headers['WWW-Authenticate'] = 'Bearer realm="capstan"';
  return jsonResponse(body, body.code, headers);
};
