/** Clients of the SDK whose requests go no further than a function of the test, and whose answers are read as AWS's are. */
import { Readable } from 'node:stream';

export interface Sent {
  /** As in `X-Amz-Target`, or the last part of the path. */
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

/** What a client is made with; `sent` is what it asked, in order. */
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

/** As the JSON protocols say what went wrong. */
export const refusing = (name: string, status = 400, message = `${name}.`): Answer => ({
  status,
  body: { __type: `com.amazonaws#${name}`, message },
  headers: { 'x-amzn-errortype': name },
});

export const unconnected = (code: string): Error => Object.assign(new Error(`connect ${code}`), { code });
