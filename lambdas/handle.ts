/** Shared by all handlers: validates events, adds their keys to log entries, logs failures. */
import middy from '@middy/core';
import type * as z from 'zod/mini';
import { withLogKeys } from '../adapters/aws/lambda/log.ts';
import type { Log } from '../machinery/ports.ts';
import { checked } from './validate.ts';

/** The fields of Lambda's context that are used. */
export interface Invocation {
  awsRequestId: string;
  getRemainingTimeInMillis(): number;
}

export interface Handled<E, T, R> {
  runtime: () => T;
  /** Log keys of an event. */
  about: (event: E) => Record<string, unknown>;
  run: (runtime: T, event: E, invocation: Invocation) => Promise<R>;
}

export type LambdaHandler<R> = (event: unknown, invocation: Invocation) => Promise<R>;

export const checkedEvent = <S extends z.ZodMiniType>(schema: () => S, event: unknown): z.output<S> =>
  checked(schema(), event, 'the event is none that this function is for');

export const handles = <S extends z.ZodMiniType, T extends { log: Log }, R>(
  schema: () => S,
  { runtime, about, run }: Handled<z.output<S>, T, R>,
): LambdaHandler<R> => {
  const aboutOf = (event: unknown) => about(event as z.output<S>);
  const handler = middy({ timeoutEarlyInMillis: 0 })
    .before((request) => {
      request.event = checkedEvent(schema, request.event);
      request.internal = { about: aboutOf(request.event) };
    })
    .onError(({ error, context, internal }) => {
      const { about: known } = internal as { about?: Record<string, unknown> };
      runtime().log.error('Invocation failed', { invocation: context.awsRequestId, ...known, error });
    })
    .handler(async (event: unknown, context: Invocation): Promise<unknown> => {
      const keys = { invocation: context.awsRequestId, ...aboutOf(event) };
      return withLogKeys(keys, () => run(runtime(), event as z.output<S>, context));
    });
  return handler as unknown as LambdaHandler<R>;
};
