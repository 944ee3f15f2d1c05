import type { FieldError } from './kind.ts';

export interface StatusCause {
  reason?: string;
  message?: string;
  field?: string;
}

export interface StatusDetails {
  name?: string;
  group?: string;
  kind?: string;
  uid?: string;
  causes?: StatusCause[];
  retryAfterSeconds?: number;
}

/** A refusal that the API server returns as a metav1.Status. */
export class ApiError extends Error {
  readonly code: number;
  readonly reason: string;
  readonly details: StatusDetails | undefined;

  constructor(code: number, reason: string, message: string, details?: StatusDetails, options?: ErrorOptions) {
    super(message, options);
    this.name = reason;
    this.code = code;
    this.reason = reason;
    this.details = details;
  }
}

type Resource = { group: string; plural: string };
const qualified = ({ group, plural }: Resource) => (group ? `${plural}.${group}` : plural);
const detailsOf = (of: Resource, name: string): StatusDetails => ({
  name,
  ...(of.group && { group: of.group }),
  kind: of.plural,
});

export const badRequest = (message: string): ApiError => new ApiError(400, 'BadRequest', message);
export const notFound = (of: Resource, name: string): ApiError =>
  new ApiError(404, 'NotFound', `${qualified(of)} "${name}" not found`, detailsOf(of, name));
export const alreadyExists = (of: Resource, name: string): ApiError =>
  new ApiError(409, 'AlreadyExists', `${qualified(of)} "${name}" already exists`, detailsOf(of, name));
export const conflict = (
  of: Resource,
  name: string,
  why = 'the object has been modified; please apply your changes to the latest version and try again',
): ApiError =>
  new ApiError(
    409,
    'Conflict',
    `Operation cannot be fulfilled on ${qualified(of)} "${name}": ${why}`,
    detailsOf(of, name),
  );
export const forbidden = (of: Resource, name: string, why: string, causes?: StatusCause[]): ApiError =>
  new ApiError(403, 'Forbidden', `${qualified(of)} "${name}" is forbidden: ${why}`, {
    ...detailsOf(of, name),
    ...(causes && { causes }),
  });
export const expired = (message: string): ApiError => new ApiError(410, 'Expired', message);
/** Carries a token with which the list continues at the newest state. */
export class ContinueExpired extends ApiError {
  readonly continue: string;
  constructor(message: string, token: string) {
    super(410, 'Expired', message);
    this.continue = token;
  }
}
export const unavailable = (message: string, retryAfterSeconds = 1): ApiError =>
  new ApiError(503, 'ServiceUnavailable', message, { retryAfterSeconds });
export const tooManyRequests = (message: string, retryAfterSeconds = 1): ApiError =>
  new ApiError(429, 'TooManyRequests', message, { retryAfterSeconds });
export const tooLarge = (message: string): ApiError => new ApiError(413, 'RequestEntityTooLarge', message);

const prefixes: Record<FieldError['reason'], string> = {
  FieldValueRequired: 'Required value',
  FieldValueInvalid: 'Invalid value',
  FieldValueNotSupported: 'Unsupported value',
  FieldValueDuplicate: 'Duplicate value',
  FieldValueForbidden: 'Forbidden',
  FieldValueTypeInvalid: 'Invalid value',
  FieldValueTooLong: 'Too long',
  FieldValueTooMany: 'Too many',
  FieldValueNotFound: 'Not found',
};

/** A value as JSON with its fields in order, which is how Kubernetes shows it in messages. */
const shownValue = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(shownValue).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([key, field]) => `${JSON.stringify(key)}:${shownValue(field)}`).join(',')}}`;
};

/** The message of one cause, as field.Error prints it without its path. */
export const fieldMessage = ({ reason, value, detail }: FieldError): string => {
  const valueless =
    reason === 'FieldValueRequired' || reason === 'FieldValueForbidden' || reason === 'FieldValueTooLong';
  const head = valueless || value === undefined ? prefixes[reason] : `${prefixes[reason]}: ${shownValue(value)}`;
  return detail ? `${head}: ${detail}` : head;
};

/** A 422 with one cause for each fault. */
export const invalid = (of: { group: string; kind: string }, name: string, errors: FieldError[]): ApiError => {
  const lines = errors.map((e) => (e.field ? `${e.field}: ${fieldMessage(e)}` : fieldMessage(e)));
  const all = lines.length === 1 ? lines[0] : `[${lines.join(', ')}]`;
  return new ApiError(422, 'Invalid', `${of.group ? `${of.kind}.${of.group}` : of.kind} "${name}" is invalid: ${all}`, {
    ...(name && { name }),
    ...(of.group && { group: of.group }),
    ...(of.kind && { kind: of.kind }),
    causes: errors.map((e) => ({ reason: e.reason, message: fieldMessage(e), field: e.field })),
  });
};
