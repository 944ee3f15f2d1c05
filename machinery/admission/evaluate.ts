/** Evaluates the expressions of a policy within their budgets. */
import type { MatchCondition } from '../api/admission.ts';
import { costOfCall, costOfObject, evaluateWithin } from '../cel/budget.ts';
import { firstLine, type Scope, shownError } from '../cel/program.ts';
import { compile } from './environment.ts';

/** What expressions may cost together. */
export interface Budget {
  left: number;
}
export const newBudget = (): Budget => ({ left: costOfObject });

const costOfConditions = 2_500_000;

/** The budget of the whole policy is spent: no other expression is evaluated. */
export class OutOfBudget extends Error {
  constructor() {
    super('validation failed due to running out of cost budget, no further validation rules will be run');
  }
}

export type Outcome = { value: unknown } | { error: string };

/** Throws OutOfBudget. `compiled`: in the environment of the expression. */
export const evaluate = (expression: string, scope: Scope, budget: Budget, compiled = compile): Outcome => {
  const program = compiled(expression);
  if (program instanceof Error) return { error: `compilation error: ${firstLine(program)}` };
  const { result, cost } = evaluateWithin(Math.min(costOfCall, budget.left), () => program(scope));
  budget.left -= cost;
  if (budget.left < 0 || ('isOver' in result && budget.left <= 0)) throw new OutOfBudget();
  if ('value' in result) return result;
  const why = 'isOver' in result ? 'operation cancelled: actual cost limit exceeded' : shownError(result.error);
  return { error: `expression '${expression}' resulted in error: ${why}` };
};

const joined = (errors: readonly string[]): string => {
  const unique = [...new Set(errors)];
  return unique.length === 1 ? unique[0]! : `[${unique.join(', ')}]`;
};

/** Whether all conditions are true; an error counts only if none of them is false. */
export const matchesConditions = (
  conditions: readonly MatchCondition[],
  scope: Scope,
): { matches: boolean } | { error: string } => {
  const budget = { left: costOfConditions };
  const errors: string[] = [];
  try {
    for (const { expression } of conditions) {
      const outcome = evaluate(expression, scope, budget);
      if ('error' in outcome) errors.push(outcome.error);
      else if (outcome.value !== true) return { matches: false };
    }
  } catch (error) {
    return { error: (error as Error).message };
  }
  return errors.length > 0 ? { error: joined(errors) } : { matches: true };
};
