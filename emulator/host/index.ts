/** The host to which MiniStack sends its functions' events. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { LambdaClient } from '@aws-sdk/client-lambda';
import type { SQSClient } from '@aws-sdk/client-sqs';
import { listenLocally } from '../listen.ts';
import { type Functions, Throttled } from './functions.ts';
import { createPoller, messagesOf } from './poller.ts';
import { FunctionError } from './sandbox.ts';
import { requestTimeout, unavailable, whenFree } from './throttle.ts';

export interface HostOptions {
  functions: Functions;
  queues: SQSClient;
  lambda: LambdaClient;
  region: string;
  /** 0 = any free one. */
  port: number;
  isDuplicating: () => boolean;
  onError: (name: string, error: unknown) => void;
}

export interface Host {
  url: string;
  close(): Promise<void>;
}

const read = async (incoming: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
};

/** Milliseconds for which a throttled event is retried; MiniStack retries streams and workflows after that. */
const throttledFor = 3_000;
/** Whether it comes from the gateway, where a client waits. */
const isRequest = (event: unknown): boolean => (event as { httpMethod?: unknown } | null)?.httpMethod !== undefined;

const answer = (outgoing: ServerResponse, status: number, body: unknown): void => {
  outgoing.writeHead(status, { 'content-type': 'application/json' });
  outgoing.end(JSON.stringify(body));
};

export const startHost = async (options: HostOptions): Promise<Host> => {
  const { functions, port } = options;
  const poll = createPoller(options);
  const handle = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const name = String(incoming.headers['x-amzn-lambda-function-name'] ?? '');
    const event: unknown = JSON.parse(await read(incoming));
    const messages = messagesOf(event);
    if (messages) return answer(outgoing, 200, poll(name, event, messages));
    const timeout = isRequest(event) ? requestTimeout : throttledFor;
    try {
      answer(outgoing, 200, await whenFree(() => functions.invoke(name, event), timeout));
    } catch (error) {
      if (error instanceof Throttled && isRequest(event)) return answer(outgoing, 200, unavailable());
      const failure =
        error instanceof FunctionError ? error.failure : { errorType: 'Runtime', errorMessage: String(error) };
      answer(outgoing, 500, failure);
    }
  };
  const server = createServer((incoming, outgoing) => {
    void handle(incoming, outgoing).catch((error: unknown) => answer(outgoing, 500, { errorMessage: String(error) }));
  });
  server.requestTimeout = 0;
  const { endpoint, close } = await listenLocally(server, port);
  return { url: `${endpoint}/`, close };
};
