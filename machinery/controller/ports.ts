/** The loop's access to the outside world, and the consequences of errors there. */
import { ApiError } from '../api/errors.ts';
import type { JsonValue } from '../api/object.ts';
import type { Failure } from '../api/reconcile.ts';

/** One port of kinds/ports. `read` returns undefined for something definitely absent. */
export interface Port {
  read?: (operation: string, input: JsonValue) => Promise<unknown>;
  call?: (operation: string, input: JsonValue) => Promise<void>;
}
export type Ports = Record<string, Port>;

/** The consequence of a failed effect; absent on an error = retry. */
export type Consequence = 'retry' | 'wait' | 'terminal';
const consequences: readonly unknown[] = ['retry', 'wait', 'terminal'];

/** Retrying does not help against a refusal of the object itself. */
const refusals = [400, 403, 404, 413, 422];

export const consequenceOf = (error: unknown): Consequence => {
  const { consequence } = (error ?? {}) as { consequence?: unknown };
  if (consequences.includes(consequence)) return consequence as Consequence;
  return error instanceof ApiError && refusals.includes(error.code) ? 'terminal' : 'retry';
};

const codeOf = (error: unknown): string => {
  if (error instanceof ApiError) return error.reason;
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  return String(code ?? name ?? 'Error');
};

export const failureOf = (port: string, operation: string, error: unknown, at: number): Failure => ({
  // An error may name what prevented the call.
  port: (error as { refusedBy?: string } | undefined)?.refusedBy ?? port,
  operation,
  code: codeOf(error),
  message: error instanceof Error ? error.message : String(error),
  at,
  ...((error as { isExternal?: true } | undefined)?.isExternal && { isExternal: true }),
});
