/** SDK clients whose requests go to a function of the test, which answers in AWS's formats. */
import { Readable } from 'node:stream';

export interface Sent {
  /** From `X-Amz-Target`, or the last segment of the path. */
  operation: string;
  method: string;
  path: string;
  body: Record<string, unknown>;
}
export type Answer = { status?: number; body?: unknown; headers?: Record<string, string> } | Error;

interface HttpRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string | Uint8Array;
}

/** Client settings; `sent` records the requests in order. */
export const answering = (answer: (sent: Sent) => Answer) => {
  const sent: Sent[] = [];
  const handle = async ({ method, path, headers, body }: HttpRequest) => {
    const text =
      body === undefined ? '' : new TextDecoder().decode(typeof body === 'string' ? Buffer.from(body) : body);
    const operation = headers['x-amz-target']?.split('.').at(-1) ?? path;
    const request = { operation, method, path, body: text === '' ? {} : JSON.parse(text) };
    sent.push(request);
    const given = answer(request);
    if (given instanceof Error) throw given;
    const { status = 200, body: content = {}, headers: more = {} } = given;
    const response = {
      statusCode: status,
      headers: { 'content-type': 'application/x-amz-json-1.0', ...more },
      body: Readable.from([Buffer.from(JSON.stringify(content))]),
    };
    return { response };
  };
  const config = {
    region: 'eu-central-1',
    credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'a secret' },
    maxAttempts: 1,
    requestHandler: { handle } as never,
  };
  return { config, sent };
};

/** An error of the JSON protocols. */
export const refusing = (name: string, status = 400, message = `${name}.`): Answer => ({
  status,
  body: { __type: `com.amazonaws#${name}`, message },
  headers: { 'x-amzn-errortype': name },
});

export const unconnected = (code: string): Error => Object.assign(new Error(`connect ${code}`), { code });
