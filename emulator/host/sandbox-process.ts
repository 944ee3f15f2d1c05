/** Inside a sandbox: loads the function once and handles one event at a time. */
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { pathToFileURL } from 'node:url';
import type { FromSandbox, FunctionFailure, Invocation, ToSandbox } from './messages.ts';
import { followNames, setNames } from './names.ts';
import { isStreaming, lambdaStreaming, type Recipient, ResponseStream } from './response-stream.ts';

type Handler = (event: unknown, ...rest: unknown[]) => unknown;

const send = (message: FromSandbox, sent?: (error: Error | null) => void): void => {
  process.send?.(message, undefined, undefined, sent);
};

const host = (id: string): Recipient => ({
  head: (head) => send({ say: 'head', id, head }),
  chunk: (chunk, taken) => send({ say: 'chunk', id, chunk }, taken),
  end: () => send({ say: 'end', id }),
});

const failureOf = (error: unknown): FunctionFailure => {
  if (!(error instanceof Error)) return { errorType: 'Error', errorMessage: String(error) };
  const { name, message, stack = '' } = error;
  return { errorType: name, errorMessage: message, trace: stack.split('\n') };
};

const contextOf = ({ id, deadline, arn }: Invocation) => ({
  awsRequestId: id,
  invokedFunctionArn: arn,
  functionName: process.env.AWS_LAMBDA_FUNCTION_NAME,
  functionVersion: '$LATEST',
  memoryLimitInMB: process.env.AWS_LAMBDA_FUNCTION_MEMORY_SIZE,
  logGroupName: process.env.AWS_LAMBDA_LOG_GROUP_NAME,
  logStreamName: process.env.AWS_LAMBDA_LOG_STREAM_NAME,
  callbackWaitsForEmptyEventLoop: true,
  getRemainingTimeInMillis: () => deadline - Date.now(),
});

const load = async (): Promise<Handler> => {
  const { LAMBDA_TASK_ROOT = '', _HANDLER = '' } = process.env;
  const [file = '', name = ''] = _HANDLER.split('.');
  const loaded = (await import(pathToFileURL(join(LAMBDA_TASK_ROOT, `${file}.mjs`)).href)) as Record<string, unknown>;
  const handler = loaded[name];
  if (typeof handler !== 'function')
    throw Object.assign(new Error(`${_HANDLER} is undefined or not exported`), { name: 'Runtime.HandlerNotFound' });
  return handler as Handler;
};

let stream: ResponseStream | undefined;

const answer = async (handler: Handler, invocation: Invocation): Promise<void> => {
  const { id, event } = invocation;
  try {
    if (!isStreaming(handler)) {
      const value = (await handler(event, contextOf(invocation))) ?? null;
      send({ say: 'result', id, value });
      return;
    }
    const out = new ResponseStream(host(id));
    stream = out;
    await handler(event, out, contextOf(invocation));
    if (!out.destroyed) await finished(out.end()).catch(() => undefined);
    send({ say: 'result', id, value: null });
  } catch (error) {
    send({ say: 'failure', id, failure: failureOf(error) });
  } finally {
    stream = undefined;
  }
};

followNames();
(globalThis as { awslambda: unknown }).awslambda = lambdaStreaming;
process.once('disconnect', () => process.exit());

try {
  const handler = await load();
  process.on('message', (message: ToSandbox) => {
    switch (message.say) {
      case 'invoke':
        setNames(message.names);
        void answer(handler, message.invocation);
        return;
      case 'names':
        setNames(message.names);
        return;
      case 'gone':
        stream?.destroy();
        return;
    }
  });
  send({ say: 'ready' });
} catch (error) {
  send({ say: 'unable', failure: failureOf(error) });
}
