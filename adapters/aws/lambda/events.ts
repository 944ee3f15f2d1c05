/**
 * Schemas of the functions' events, limited to the fields that are read. A function reads one type, so each
 * schema is built on first use.
 */
import * as z from 'zod/mini';
import { once } from '../../../machinery/once.ts';

const texts = () => z.nullish(z.record(z.string(), z.string()));
const lists = () => z.nullish(z.record(z.string(), z.array(z.string())));

/** API Gateway, REST API, proxy integration. */
export const proxyEvent = once(() =>
  z.object({
    httpMethod: z.string(),
    path: z.string(),
    headers: texts(),
    multiValueHeaders: lists(),
    multiValueQueryStringParameters: lists(),
    body: z.nullish(z.string()),
    isBase64Encoded: z._default(z.boolean(), false),
    requestContext: z.object({
      requestId: z.string(),
      identity: z.nullish(z.object({ sourceIp: z.nullish(z.string()) })),
    }),
  }),
);
export type ProxyEvent = z.infer<ReturnType<typeof proxyEvent>>;

/** DynamoDB's stream, with the new image. */
export const streamEvent = once(() =>
  z.object({
    Records: z.array(
      z.object({
        eventName: z.string(),
        dynamodb: z.object({
          SequenceNumber: z.string(),
          NewImage: z.optional(z.record(z.string(), z.record(z.string(), z.unknown()))),
        }),
      }),
    ),
  }),
);
export type StreamEvent = z.infer<ReturnType<typeof streamEvent>>;

export const sqsEvent = once(() =>
  z.object({
    Records: z.array(
      z.object({
        messageId: z.string(),
        receiptHandle: z.string(),
        body: z.string(),
        attributes: z.object({ ApproximateReceiveCount: z.string() }),
        eventSourceARN: z.string(),
      }),
    ),
  }),
);

/** EventBridge, "Step Functions Execution Status Change", which omits a long input. */
export const executionEvent = once(() =>
  z.object({
    detail: z.object({
      executionArn: z.string(),
      name: z.string(),
      status: z.enum(['RUNNING', 'SUCCEEDED', 'FAILED', 'TIMED_OUT', 'ABORTED', 'PENDING_REDRIVE']),
      input: z.nullish(z.string()),
    }),
  }),
);
export type ExecutionEvent = z.infer<ReturnType<typeof executionEvent>>;

const operationInput = once(() =>
  z.object({
    operation: z.object({ namespace: z.string().check(z.minLength(1)), name: z.string().check(z.minLength(1)) }),
  }),
);

/** The operation of an execution. Throws if the event does not contain it. */
export const operationOf = ({ detail }: ExecutionEvent): { namespace: string; name: string } => {
  if (!detail.input) throw new Error(`the event says nothing of the input of ${detail.name}`);
  return operationInput().parse(JSON.parse(detail.input)).operation;
};

/**
 * EventBridge: "EC2 Instance State-change Notification", notices about an instance, which have no
 * state, "AWS Health Event", which lists instances, "CloudWatch Alarm State Change", and what Auto
 * Scaling reports of a group.
 */
export const instanceEvent = once(() =>
  z.object({
    'detail-type': z.optional(z.string()),
    time: z.optional(z.string()),
    region: z.string(),
    detail: z.object({
      'instance-id': z.optional(z.string()),
      // Of an instance a word, of an alarm an object.
      state: z.optional(z.union([z.string(), z.object({ value: z.string() })])),
      'instance-termination-time': z.optional(z.string()),
      alarmName: z.optional(z.string()),
      AutoScalingGroupName: z.optional(z.string()),
      affectedEntities: z.optional(z.array(z.object({ entityValue: z.string() }))),
    }),
  }),
);

export type InstanceEvent = z.infer<ReturnType<typeof instanceEvent>>;

/** Milliseconds from a warning to the end of the instance, unless the warning names the end. */
const warnedAhead = 120_000;
const notices: Readonly<Record<string, { reason: string; ends: boolean }>> = {
  'EC2 Spot Instance Interruption Warning': { reason: 'SpotInterruption', ends: true },
  'EC2 Capacity Reservation Instance Interruption Warning': { reason: 'CapacityReservationInterruption', ends: true },
  'EC2 Instance Rebalance Recommendation': { reason: 'RebalanceRecommendation', ends: false },
};

/** The notice that an event is; undefined for a change of state. */
export const noticeOf = ({ 'detail-type': type = '', time = '', detail }: InstanceEvent) => {
  const known = Object.hasOwn(notices, type) ? notices[type] : undefined;
  if (!known) return undefined;
  const at = Date.parse(time);
  if (!Number.isFinite(at)) throw new Error(`the event ${type} has no time`);
  const ends = Date.parse(detail['instance-termination-time'] ?? '');
  return {
    reason: known.reason,
    at,
    ...(known.ends && { deadline: Number.isFinite(ends) ? ends : at + warnedAhead }),
  };
};

/** The payload of a workflow task; `operate` validates its content. */
export const taskEvent = once(() =>
  z.looseObject({
    task: z.string(),
    operation: z.object({ namespace: z.string(), name: z.string(), uid: z.string() }),
  }),
);
