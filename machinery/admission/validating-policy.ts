/** What a ValidatingAdmissionPolicy makes of a request, with one object of params. */
import type { AuditAnnotation, ValidatingPolicySpec, Validation } from '../api/admission.ts';
import type { Scope } from '../cel/program.ts';
import { type Budget, evaluate, matchesConditions, newBudget, OutOfBudget } from './evaluate.ts';
import { withVariables } from './scope.ts';

/** A demand that is not met, or an expression that failed. */
export interface Failure {
  /** Of the validation. */
  index: number;
  message: string;
  /** Absent if an expression failed. */
  reason?: string;
}

export interface PolicyResult {
  failures: Failure[];
  annotations: { key: string; value: string }[];
  /** Annotations that could not be computed: they refuse the request whatever the binding's actions. */
  broken: string[];
}

const longestMessage = 5 * 1024;

/** Expressions of messages do not know the authorizer. */
const messageOf = (validation: Validation, scope: Scope, budget: Budget): string => {
  const { expression, message, messageExpression } = validation;
  const fixed = message?.trim() || `failed expression: ${expression.trim()}`;
  if (!messageExpression) return fixed;
  const { authorizer: _, ...known } = scope;
  const outcome = evaluate(messageExpression, known, budget);
  if (!('value' in outcome) || typeof outcome.value !== 'string') return fixed;
  const text = outcome.value.trim();
  return text === '' || text.includes('\n') || text.length > longestMessage ? fixed : text;
};

const failuresOf = (validations: readonly Validation[], scope: Scope, isStrict: boolean): Failure[] => {
  const budget = newBudget();
  const failures: Failure[] = [];
  try {
    for (const [index, validation] of validations.entries()) {
      const outcome = evaluate(validation.expression, scope, budget);
      if ('error' in outcome) {
        if (isStrict) failures.push({ index, message: outcome.error });
      } else if (outcome.value !== true) {
        const message = messageOf(validation, scope, budget);
        failures.push({ index, message, reason: validation.reason ?? 'Invalid' });
      }
    }
    return failures;
  } catch (error) {
    if (!(error instanceof OutOfBudget)) throw error;
    return isStrict ? [{ index: 0, message: error.message }] : [];
  }
};

const annotate = (
  annotations: readonly AuditAnnotation[],
  scope: Scope,
  isStrict: boolean,
): Pick<PolicyResult, 'annotations' | 'broken'> => {
  const budget = newBudget();
  const made: PolicyResult['annotations'] = [];
  const broken: string[] = [];
  try {
    for (const { key, valueExpression } of annotations) {
      const outcome = evaluate(valueExpression, scope, budget);
      if ('error' in outcome) {
        if (isStrict) broken.push(outcome.error);
      } else if (typeof outcome.value === 'string') {
        const value = outcome.value.trim();
        if (value !== '') made.push({ key, value });
      } else if (outcome.value !== null)
        broken.push(
          `valueExpression '${valueExpression}' resulted in unsupported return type. Return type must be either string or null.`,
        );
    }
  } catch (error) {
    if (!(error instanceof OutOfBudget)) throw error;
    if (isStrict) broken.push(error.message);
  }
  return { annotations: made, broken };
};

/** `scope`: of the request, with the params. */
export const validateBy = (spec: ValidatingPolicySpec, scope: Scope): PolicyResult => {
  const { matchConditions = [], variables = [], validations = [], auditAnnotations = [], failurePolicy } = spec;
  const isStrict = failurePolicy !== 'Ignore';
  const matched = matchesConditions(matchConditions, scope);
  if ('error' in matched)
    return { failures: isStrict ? [{ index: 0, message: matched.error }] : [], annotations: [], broken: [] };
  if (!matched.matches) return { failures: [], annotations: [], broken: [] };
  const whole = withVariables(scope, variables);
  return { failures: failuresOf(validations, whole, isStrict), ...annotate(auditAnnotations, whole, isStrict) };
};
