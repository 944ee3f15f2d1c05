/** Reads and actions of the cloud as a principal: every request names the roles that are assumed for it. */

import type { JsonObject, JsonValue } from '../../machinery/api/object.ts';
import type { Action, AnyPlan, Plan, Reader } from '../../machinery/api/reconcile.ts';
import type { Principal } from './cloud/index.ts';

const named = (input: JsonValue, as: Principal): JsonObject => ({
  ...(input as JsonObject),
  as: [...as],
});

/** Asks the cloud as the principal. */
export const readAs = (read: Reader, as: Principal): Reader =>
  as.length === 0
    ? read
    : {
        ...read,
        ask: (port, operation, input) => read.ask(port, operation, port === 'cloud' ? named(input, as) : input),
      };

/** Calls the cloud as the principal. */
export const actAs = (actions: readonly Action[], as: Principal): Action[] =>
  actions.map((action) =>
    action.do === 'call' && action.port === 'cloud' && as.length > 0
      ? { ...action, input: named(action.input, as) }
      : action,
  );

/** The plan, whose calls are made as the principal. */
export const planAs = <P extends Plan<never> | AnyPlan>(plan: P, as: Principal): P => ({
  ...plan,
  ...(plan.actions && { actions: actAs(plan.actions, as) }),
  ...(plan.advance && {
    advance: { ...plan.advance, ...(plan.advance.actions && { actions: actAs(plan.advance.actions, as) }) },
  }),
});
