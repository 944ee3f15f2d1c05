/** Webhooks that are AWS Lambda functions: the URL of their invocations, and their events and answers. */
import { exactJson } from '../../machinery/api/exact.ts';
import { isObject } from '../../machinery/api/object.ts';

/** The text that a function answers. `timeout`: in milliseconds. */
export type InvokeFunction = (name: string, event: unknown, timeout: number) => Promise<string>;

const invocations =
  /^https:\/\/lambda\.[a-z0-9-]+\.amazonaws\.com(?:\.cn)?\/2015-03-31\/functions\/([^/]+)\/invocations$/;

/** The name or ARN of the function at a URL; undefined if there is none. */
export const functionAt = (url: string): string | undefined => {
  const found = invocations.exec(url);
  return found ? decodeURIComponent(found[1]!) : undefined;
};

/** The event that a function's own URL would send, in the format 2.0. */
export const eventOf = (path: string, query: string, body: unknown) => ({
  version: '2.0',
  routeKey: '$default',
  rawPath: path || '/',
  rawQueryString: query,
  headers: { 'content-type': 'application/json', accept: 'application/json' },
  requestContext: { http: { method: 'POST', path: path || '/', protocol: 'HTTP/1.1' } },
  body: JSON.stringify(body),
  isBase64Encoded: false,
});

export const jsonOf = (text: string): unknown => {
  try {
    return exactJson(text);
  } catch (error) {
    throw error instanceof SyntaxError ? new Error('the answer is no JSON') : error;
  }
};

/** An answer may be a response with status and body, or the body itself. */
export const bodyOf = (text: string): unknown => {
  const answer = jsonOf(text);
  if (!isObject(answer) || answer.statusCode === undefined) return answer;
  const { statusCode, body, isBase64Encoded } = answer;
  if (statusCode !== 200) throw new Error(`the server responded with the status code ${statusCode}`);
  if (typeof body !== 'string') return body;
  return jsonOf(isBase64Encoded ? Buffer.from(body, 'base64').toString() : body);
};
