/**
 * The API's refusal of a change that a controller decided for its own object, such as a value that
 * it copied from another object. A retry does not help, so the status must say what was refused.
 */
import { changeAccepted } from '../api/conditions.ts';
import { ApiError } from '../api/errors.ts';
import { isNotFound } from '../api/lifecycle.ts';
import type { Failure } from '../api/reconcile.ts';
import type { Fault } from './fault.ts';
import { consequenceOf } from './ports.ts';

export const isRefusal = (error: unknown): error is ApiError =>
  error instanceof ApiError && consequenceOf(error) === 'terminal' && !isNotFound(error);

/** The fault of a refused change. */
export const refusalFault = (failure: Failure): Fault => ({ type: changeAccepted, failure });
