/** CloudFormation's custom resources: what it asks, and how it is answered. It waits for an answer for up to an hour. */
import { setTimeout as wait } from 'node:timers/promises';
import * as z from 'zod/mini';
import { once } from '../../../machinery/once.ts';

export const customResourceEvent = once(() => {
  const text = z.string().check(z.minLength(1));
  return z.object({
    RequestType: z.enum(['Create', 'Update', 'Delete']),
    ResponseURL: z.url({ protocol: /^https?$/ }),
    StackId: text,
    RequestId: text,
    LogicalResourceId: text,
    PhysicalResourceId: z.optional(text),
  });
});
export type CustomResourceEvent = z.infer<ReturnType<typeof customResourceEvent>>;

/** An answer has at most 4096 bytes in all; CloudFormation shows the beginning of a reason. */
const longestReason = 1500;
const attempts = 5;
/** Milliseconds. */
const patience = 5_000;
const pause = 500;

/** Milliseconds kept for the answer, without which CloudFormation would wait for an hour. */
const reserve = 20_000;

const bodyOf = (event: CustomResourceEvent, id: string, refusal: string | undefined): Uint8Array<ArrayBuffer> => {
  const { StackId, RequestId, LogicalResourceId, PhysicalResourceId = id } = event;
  const Status = refusal === undefined ? 'SUCCESS' : 'FAILED';
  const Reason = refusal?.slice(0, longestReason) ?? 'done';
  return Buffer.from(JSON.stringify({ Status, Reason, PhysicalResourceId, StackId, RequestId, LogicalResourceId }));
};

/** Tried a few times: without an answer the stack hangs. */
const put = async (url: string, body: Uint8Array<ArrayBuffer>): Promise<void> => {
  for (let attempt = 1; ; attempt++) {
    try {
      const signal = AbortSignal.timeout(patience);
      // The address was signed for no type of content.
      const response = await fetch(url, { method: 'PUT', body, headers: { 'content-type': '' }, signal });
      await response.arrayBuffer();
      if (response.ok) return;
      throw new Error(`status ${response.status}`);
    } catch (error) {
      // The address is a secret while it is valid, and what a network says of a failure may hold it.
      if (attempt === attempts) throw new Error(`CloudFormation could not be answered: ${(error as Error).name}`);
    }
    await wait(pause * attempt);
  }
};

export interface Asked {
  /** Of the resource: it never changes, or CloudFormation deletes what it takes for the former one. */
  id: string;
  /** Why it cannot be done; undefined when it is. */
  refusal: () => Promise<string | undefined>;
  /** Milliseconds that this invocation has left. */
  remaining: number;
}

/** Answers in any case: also when it cannot be found out, and when that takes too long. */
export const answerCloudFormation = async (event: CustomResourceEvent, { id, refusal, remaining }: Asked) => {
  const late = wait(Math.max(0, remaining - reserve), 'this was not found out in time: try again', { ref: false });
  const found = (async () => refusal())().catch((error: unknown) => (error as Error).message);
  await put(event.ResponseURL, bodyOf(event, id, await Promise.race([found, late])));
};
