/** API Gateway: requests as its functions are given them, and what they answer as it is sent. */
import type { ProxyAnswer } from '../../../adapters/aws/lambda/http.ts';
import { proxyEventOf } from '../../../emulator/front/event.ts';
import type { LambdaHandler } from '../../../lambdas/handle.ts';

const api = { id: 'simulated', stage: 'prod' };
const account = '000000000000';
/** Statuses without a body. */
const bodiless = [204, 304];

const eventOf = async (request: Request, now: Date, requestId: string) => {
  const body = Buffer.from(await request.arrayBuffer());
  return {
    ...proxyEventOf(request, api, account, { now, requestId }),
    ...(body.length > 0 && { body: body.toString('base64'), isBase64Encoded: true }),
  };
};

const responseOf = ({ statusCode, multiValueHeaders, body, isBase64Encoded }: ProxyAnswer): Response => {
  const headers = new Headers();
  for (const [name, values] of Object.entries(multiValueHeaders)) for (const one of values) headers.append(name, one);
  const bytes = bodiless.includes(statusCode) ? null : Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8');
  return new Response(bytes, { status: statusCode, headers });
};

export interface Passing {
  /** When it comes. */
  now: number;
  requestId: string;
  /** Milliseconds that the function may take. */
  limit: number;
}

export const throughGateway = async (
  request: Request,
  handler: LambdaHandler<ProxyAnswer>,
  { now, requestId, limit }: Passing,
): Promise<Response> => {
  const event = await eventOf(request, new Date(now), requestId);
  return responseOf(await handler(event, { awsRequestId: requestId, getRemainingTimeInMillis: () => limit }));
};
