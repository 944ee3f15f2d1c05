/**
 * A cloud whose services are a function of the test: it receives requests and returns responses in AWS's
 * formats.
 */
import type { Cloud } from '../../../kinds/ports/cloud/index.ts';
import { type VirtualClock, virtualClock } from '../../memory/virtual-clock.ts';
import { type AwsCloudOptions, awsCloud } from './index.ts';

export interface Sent {
  host: string;
  /** The action, which a JSON body does not contain. */
  target: string;
  /** Fields of the form or JSON. */
  fields: Record<string, unknown>;
}
export interface Answer {
  status?: number;
  /** JSON, or XML as text. */
  body: object | string;
}

export interface Wire {
  cloud: Cloud;
  clock: VirtualClock;
  sent: Sent[];
}

interface HttpRequest {
  hostname: string;
  headers: Record<string, string>;
  body: string | Uint8Array;
}

const fieldsOf = ({ headers, body }: HttpRequest): Record<string, unknown> => {
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  return headers['content-type']?.includes('json')
    ? (JSON.parse(text) as Record<string, unknown>)
    : Object.fromEntries(new URLSearchParams(text));
};

export const openWire = (answer: (sent: Sent) => Answer, options: Partial<AwsCloudOptions> = {}): Wire => {
  const clock = virtualClock(Date.UTC(2026, 0, 1));
  const sent: Sent[] = [];
  const requestHandler = {
    handle: async (request: HttpRequest) => {
      const one = { host: request.hostname, target: request.headers['x-amz-target'] ?? '', fields: fieldsOf(request) };
      sent.push(one);
      const { status = 200, body } = answer(one);
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      return { response: { statusCode: status, headers: {}, body: Buffer.from(text) } };
    },
    updateHttpClientConfig: () => {},
    httpHandlerConfigs: () => ({}),
  };
  const cloud = awsCloud({
    clock,
    clients: { credentials: { accessKeyId: 'AKIATEST', secretAccessKey: 'secret' }, requestHandler },
    ...options,
  });
  return { cloud, clock, sent };
};

/** A response of EC2. */
export const ec2 = (action: string, xml: string): Answer => ({ body: `<${action}Response>${xml}</${action}Response>` });
export const ec2Error = (code: string, status = 400): Answer => ({
  status,
  body: `<Response><Errors><Error><Code>${code}</Code><Message>because</Message></Error></Errors></Response>`,
});
/** A response of load balancing or IAM. */
export const query = (action: string, xml: string): Answer => ({
  body: `<${action}Response><${action}Result>${xml}</${action}Result></${action}Response>`,
});
