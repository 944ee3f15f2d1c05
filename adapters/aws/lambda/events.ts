/** The events that functions are invoked with: of each, the part that is read. */
import * as z from 'zod';

const texts = z.record(z.string(), z.string());
const lists = z.record(z.string(), z.array(z.string()));

/** API Gateway, REST API, proxy integration. */
export const proxyEvent = z.object({
  httpMethod: z.string(),
  path: z.string(),
  headers: texts.nullish(),
  multiValueHeaders: lists.nullish(),
  multiValueQueryStringParameters: lists.nullish(),
  body: z.string().nullish(),
  isBase64Encoded: z.boolean().default(false),
  requestContext: z.object({ requestId: z.string() }),
});
export type ProxyEvent = z.infer<typeof proxyEvent>;

/** DynamoDB's stream, with the new image. */
export const streamEvent = z.object({
  Records: z.array(
    z.object({
      eventName: z.string(),
      dynamodb: z.object({
        SequenceNumber: z.string(),
        NewImage: z.record(z.string(), z.record(z.string(), z.unknown())).optional(),
      }),
    }),
  ),
});
export type StreamEvent = z.infer<typeof streamEvent>;

export const sqsEvent = z.object({
  Records: z.array(
    z.object({
      messageId: z.string(),
      receiptHandle: z.string(),
      body: z.string(),
      attributes: z.object({ ApproximateReceiveCount: z.string() }),
      eventSourceARN: z.string(),
    }),
  ),
});

/** EventBridge, "Step Functions Execution Status Change". The input is left out of the event when it is too long. */
export const executionEvent = z.object({
  detail: z.object({
    executionArn: z.string(),
    name: z.string(),
    status: z.enum(['RUNNING', 'SUCCEEDED', 'FAILED', 'TIMED_OUT', 'ABORTED', 'PENDING_REDRIVE']),
    input: z.string().nullish(),
  }),
});
export type ExecutionEvent = z.infer<typeof executionEvent>;

const operationInput = z.object({ operation: z.object({ namespace: z.string().min(1), name: z.string().min(1) }) });

/** The operation that an execution is about. Throws when the event does not say. */
export const operationOf = ({ detail }: ExecutionEvent): { namespace: string; name: string } => {
  if (!detail.input) throw new Error(`the event says nothing of the input of ${detail.name}`);
  return operationInput.parse(JSON.parse(detail.input)).operation;
};

/** EventBridge, "EC2 Instance State-change Notification", and "EC2 Spot Instance Interruption Warning", which has no state. */
export const instanceEvent = z.object({
  region: z.string(),
  detail: z.object({ 'instance-id': z.string(), state: z.string().optional() }),
});

/** What the state of a workflow sends; its own module says what must be in it. */
export const taskEvent = z.looseObject({
  task: z.string(),
  operation: z.object({ namespace: z.string(), name: z.string(), uid: z.string() }),
});

/** What a schedule sends. */
export const scheduleEvent = z.object({ run: z.enum(['sweep', 'resync']) });
