/** The gateway's own responses, as Kubernetes Statuses. */
import { aws_apigateway as apigateway } from 'aws-cdk-lib';
import type { Construct } from 'constructs';

const { ResponseType } = apigateway;

interface Answer {
  type: apigateway.ResponseType;
  code: number;
  reason: string;
  /** In place of the gateway's own message. */
  message?: string;
  /**
   * Only for responses sent before a function starts. Clients repeat a request that is answered with
   * this header, even a write, and a function that failed or timed out may have carried out the write.
   */
  retryAfterSeconds?: number;
}

const answers: Answer[] = [
  { type: ResponseType.BAD_REQUEST_BODY, code: 400, reason: 'BadRequest' },
  // The header Authorization is the only parameter that a method requires.
  { type: ResponseType.BAD_REQUEST_PARAMETERS, code: 401, reason: 'Unauthorized', message: 'Unauthorized' },
  { type: ResponseType.UNAUTHORIZED, code: 401, reason: 'Unauthorized' },
  { type: ResponseType.ACCESS_DENIED, code: 403, reason: 'Forbidden' },
  { type: ResponseType.EXPIRED_TOKEN, code: 401, reason: 'Unauthorized' },
  { type: ResponseType.INVALID_API_KEY, code: 403, reason: 'Forbidden' },
  { type: ResponseType.INVALID_SIGNATURE, code: 401, reason: 'Unauthorized' },
  // The gateway's name for a request without a route.
  {
    type: ResponseType.MISSING_AUTHENTICATION_TOKEN,
    code: 404,
    reason: 'NotFound',
    message: 'the server could not find the requested resource',
  },
  { type: ResponseType.RESOURCE_NOT_FOUND, code: 404, reason: 'NotFound' },
  { type: ResponseType.REQUEST_TOO_LARGE, code: 413, reason: 'RequestEntityTooLarge' },
  { type: ResponseType.UNSUPPORTED_MEDIA_TYPE, code: 415, reason: 'UnsupportedMediaType' },
  // Clients give up after ten attempts: within these, thirty of them can start at once in a new account.
  { type: ResponseType.THROTTLED, code: 429, reason: 'TooManyRequests', retryAfterSeconds: 2 },
  { type: ResponseType.QUOTA_EXCEEDED, code: 429, reason: 'TooManyRequests', retryAfterSeconds: 60 },
  { type: ResponseType.WAF_FILTERED, code: 403, reason: 'Forbidden' },
  { type: ResponseType.API_CONFIGURATION_ERROR, code: 500, reason: 'InternalError' },
  { type: ResponseType.AUTHORIZER_CONFIGURATION_ERROR, code: 500, reason: 'InternalError', retryAfterSeconds: 5 },
  { type: ResponseType.AUTHORIZER_FAILURE, code: 500, reason: 'InternalError', retryAfterSeconds: 5 },
  // Also when Lambda has no concurrency left: the gateway cannot tell that from other failures.
  { type: ResponseType.INTEGRATION_FAILURE, code: 503, reason: 'ServiceUnavailable' },
  { type: ResponseType.INTEGRATION_TIMEOUT, code: 504, reason: 'Timeout' },
  { type: ResponseType.DEFAULT_4XX, code: 400, reason: 'BadRequest' },
  // Also when a function fails.
  { type: ResponseType.DEFAULT_5XX, code: 503, reason: 'ServiceUnavailable' },
];

/** Where an answer has no message, the gateway inserts its own, which is already quoted. */
const statusOf = ({ code, reason, message = 'MESSAGE', retryAfterSeconds }: Answer): string => {
  const status = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason,
    // As in Kubernetes, whose 401 has none.
    ...(code !== 401 && { details: retryAfterSeconds === undefined ? {} : { retryAfterSeconds } }),
    code,
  };
  return JSON.stringify(status).replace('"MESSAGE"', '$context.error.messageString');
};

export const createGatewayResponses = (scope: Construct, restApi: apigateway.RestApi): void => {
  for (const answer of answers) {
    const { type, code, retryAfterSeconds } = answer;
    new apigateway.GatewayResponse(scope, `Answer${type.responseType}`, {
      restApi,
      type,
      statusCode: String(code),
      ...(retryAfterSeconds !== undefined && { responseHeaders: { 'Retry-After': `'${retryAfterSeconds}'` } }),
      templates: { 'application/json': statusOf(answer) },
    });
  }
};
