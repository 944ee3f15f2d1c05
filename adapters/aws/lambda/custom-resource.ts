/**
 * CloudFormation custom resources: requests and responses. CloudFormation waits for a response for up to an
 * hour.
 */
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
    ResourceProperties: z.optional(z.looseObject({})),
    /** Of an update. */
    OldResourceProperties: z.optional(z.looseObject({})),
  });
});
export type CustomResourceEvent = z.infer<ReturnType<typeof customResourceEvent>>;

/** A response has at most 4096 bytes; CloudFormation shows the start of the reason. */
const longestReason = 1500;
const attempts = 5;
/** Milliseconds. */
const timeout = 5_000;
const pause = 500;

/** Milliseconds reserved for the response, without which CloudFormation waits for an hour. */
const reserve = 20_000;

const bodyOf = (event: CustomResourceEvent, id: string, refusal: string | undefined): Uint8Array<ArrayBuffer> => {
  const { StackId, RequestId, LogicalResourceId, PhysicalResourceId = id } = event;
  const Status = refusal === undefined ? 'SUCCESS' : 'FAILED';
  const Reason = refusal?.slice(0, longestReason) ?? 'done';
  return Buffer.from(JSON.stringify({ Status, Reason, PhysicalResourceId, StackId, RequestId, LogicalResourceId }));
};

/** With retries, because the stack hangs without a response. */
const put = async (url: string, body: Uint8Array<ArrayBuffer>): Promise<void> => {
  for (let attempt = 1; ; attempt++) {
    try {
      const signal = AbortSignal.timeout(timeout);
      // The URL was signed without a content type.
      const response = await fetch(url, { method: 'PUT', body, headers: { 'content-type': '' }, signal });
      await response.arrayBuffer();
      if (response.ok) return;
      throw new Error(`status ${response.status}`);
    } catch (error) {
      // The presigned URL is a secret, and network errors may contain it.
      if (attempt === attempts) throw new Error(`CloudFormation could not be answered: ${(error as Error).name}`);
    }
    await wait(pause * attempt);
  }
};

export interface Asked {
  /** The physical resource id. If it changed, CloudFormation would delete the former resource. */
  id: string;
  /** Why the request is refused; undefined on success. */
  refusal: () => Promise<string | undefined>;
  /** Milliseconds left in this invocation. */
  remaining: number;
}

/** Always responds, even if `refusal` fails or takes too long. */
export const answerCloudFormation = async (event: CustomResourceEvent, { id, refusal, remaining }: Asked) => {
  const timedOut = wait(Math.max(0, remaining - reserve), 'this was not found out in time: try again', { ref: false });
  const found = (async () => refusal())().catch((error: unknown) => (error as Error).message);
  await put(event.ResponseURL, bodyOf(event, id, await Promise.race([found, timedOut])));
};
