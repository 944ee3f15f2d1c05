/** Calls webhooks that are AWS Lambda functions, with the event that the URL of a function would send. */
import { InvokeCommand, type LambdaClient } from '@aws-sdk/client-lambda';
import type { InvokeFunction } from '../../webhook/function.ts';

/** A timeout ends the wait, not the function. */
export const invokeFunction =
  (client: LambdaClient): InvokeFunction =>
  async (name, event, timeout) => {
    const command = new InvokeCommand({ FunctionName: name, Payload: Buffer.from(JSON.stringify(event)) });
    const { FunctionError, Payload, StatusCode } = await client.send(command, {
      abortSignal: AbortSignal.timeout(timeout),
    });
    const text = Payload ? Buffer.from(Payload).toString() : '';
    if (FunctionError) throw new Error(`the function ${name} failed (${FunctionError}): ${text.slice(0, 500)}`);
    if (StatusCode !== 200) throw new Error(`the function ${name} answered ${StatusCode}`);
    return text;
  };
