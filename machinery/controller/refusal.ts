/**
 * The API's refusal of a change that a controller decided for its own object, such as a value that
 * it copied from another object. A retry does not help, so the status must say what was refused.
 */
import { changeAccepted, legacyFalse } from '../api/conditions.ts';
import { ApiError } from '../api/errors.ts';
import { isNotFound } from '../api/lifecycle.ts';
import type { Condition, JsonObject, LegacyCondition } from '../api/object.ts';
import type { Controller, Failure } from '../api/reconcile.ts';
import { consequenceOf } from './ports.ts';

export const isRefusal = (error: unknown): error is ApiError =>
  error instanceof ApiError && consequenceOf(error) === 'terminal' && !isNotFound(error);

const longest = 10_240;

const conditionOf = (form: Controller['conditions'], { code, message }: Failure) =>
  form === 'v1beta1'
    ? legacyFalse(changeAccepted, code, 'Error', message.slice(0, longest))
    : { type: changeAccepted, status: 'False' as const, reason: code, message: message.slice(0, longest) };

/** `status` with the condition of a refusal, or without that of an earlier one. */
export const withRefusal = (
  status: JsonObject | undefined,
  form: Controller['conditions'],
  refusal: Failure | undefined,
): JsonObject | undefined => {
  const before = (status?.conditions ?? []) as (Condition | LegacyCondition)[];
  const others = before.filter((condition) => condition.type !== changeAccepted);
  if (form === 'none' || (!refusal && others.length === before.length)) return status;
  const conditions = [...others, ...(refusal ? [conditionOf(form, refusal)] : [])];
  return { ...status, conditions: conditions as JsonObject[] };
};
