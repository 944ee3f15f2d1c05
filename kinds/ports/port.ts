/** Typed helpers to read a port in `observe` and to act through it in `reconcile`. */
import type { Action, Read, Reader } from '../../machinery/api/reconcile.ts';

/** What reads take and answer, by operation. */
type Reads = { [operation: string]: [input: unknown, output: unknown] };

export const asks =
  <R extends { [O in keyof R]: Reads[string] }>(port: string) =>
  <O extends keyof R & string>(read: Reader, operation: O, input: R[O][0]): Read<R[O][1]> =>
    read.ask(port, operation, input as never);

export const calls =
  <E>(port: string) =>
  <O extends keyof E & string>(operation: O, input: E[O]): Action => ({
    do: 'call',
    port,
    operation,
    input: input as never,
  });
