/** Conditions of failed calls. */

import { type LegacyDraft, legacyFalse } from '../../../machinery/api/conditions.ts';
import type { Failure } from '../../../machinery/api/reconcile.ts';
import { eventNounOf, typeOf } from '../engine/resource.ts';
import { types } from './resources/index.ts';
import { vpcs } from './resources/vpcs.ts';

/**
 * The condition that a failed call turns False. `passing`: the previous resource still serves, or
 * the failure is likely to pass.
 */
export const failedCondition = ({ group = '', operation, code, message }: Failure, passing: boolean): LegacyDraft => {
  const type =
    typeOf(group, types) ??
    Object.values(types).find((one) => one.events.some((name) => name === operation)) ??
    Object.values(types).find((one) => operation.toLowerCase().includes(eventNounOf(one).toLowerCase()));
  const condition = (type ?? vpcs).condition;
  const severity = passing ? 'Warning' : 'Error';
  return legacyFalse(condition.type, condition.failed, severity, `${operation}: ${code}: ${message}`);
};
