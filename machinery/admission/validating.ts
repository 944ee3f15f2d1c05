/** Dispatches requests to ValidatingAdmissionPolicies. */
import type { ValidatingBinding, ValidatingPolicy, ValidationAction } from '../api/admission.ts';
import { ApiError } from '../api/errors.ts';
import type { ReviewContext } from './context.ts';
import { type Hook, invocationsOf, type Misconfigured, withParams } from './hooks.ts';
import type { ParamsOptions } from './params.ts';
import type { Review, Verdict } from './review.ts';
import { type PolicyResult, validateBy } from './validating-policy.ts';

export type ValidatingHook = Hook<ValidatingPolicy, ValidatingBinding>;

interface Denial {
  policy: string;
  binding: string;
  message: string;
  reason: string;
}

const codes: Record<string, number> = { Forbidden: 403, Unauthorized: 401, RequestEntityTooLarge: 413 };

const refusalOf = ({ asked, object, name }: Review, denial: Denial): ApiError => {
  const { policy, binding, reason } = denial;
  const message = `ValidatingAdmissionPolicy '${policy}' with binding '${binding}' denied request: ${denial.message}`;
  const resource = asked.group ? `${asked.resource}.${asked.group}` : asked.resource;
  const shown = name || object?.metadata.generateName || 'Unknown';
  return new ApiError(codes[reason] ?? 422, reason, `${resource} ${JSON.stringify(shown)} is forbidden: ${message}`, {
    name: shown,
    ...(asked.group && { group: asked.group }),
    kind: asked.resource,
    causes: [{ message }],
  });
};

interface ReportedFailure {
  message: string;
  policy: string;
  binding: string;
  expressionIndex: number;
  validationActions: readonly ValidationAction[];
}

const mostReported = 50;
const longestAnnotation = 10 * 1024;

/** What the policies of one request add up to. */
class Outcome {
  readonly denials: Denial[] = [];
  readonly warnings: string[] = [];
  readonly reported: ReportedFailure[] = [];
  readonly annotations = new Map<string, string[]>();

  fail({ policy, binding, error }: Misconfigured<ValidatingPolicy, ValidatingBinding>): void {
    if (policy.spec?.failurePolicy === 'Ignore') return;
    const [policyName, bindingName] = [policy.metadata.name, binding.metadata.name];
    this.denials.push({ policy: policyName, binding: bindingName, message: error.message, reason: 'Invalid' });
  }

  add(policyName: string, { metadata, spec }: ValidatingBinding, result: PolicyResult): void {
    const actions = spec?.validationActions ?? [];
    const from = { policy: policyName, binding: metadata.name };
    for (const { index, message, reason = 'Invalid' } of result.failures) {
      if (actions.includes('Deny')) this.denials.push({ ...from, message, reason });
      if (actions.includes('Audit'))
        this.reported.push({ message, ...from, expressionIndex: index, validationActions: actions });
      if (actions.includes('Warn'))
        this.warnings.push(
          `Validation failed for ValidatingAdmissionPolicy '${policyName}' with binding '${metadata.name}': ${message}`,
        );
    }
    for (const message of result.broken) this.denials.push({ ...from, message, reason: 'Invalid' });
    for (const { key, value } of result.annotations) {
      const name = `${policyName}/${key}`;
      const values = this.annotations.get(name) ?? [];
      const shown = value.slice(0, longestAnnotation);
      if (!values.includes(shown)) this.annotations.set(name, [...values, shown]);
    }
  }

  verdict(review: Review): Verdict {
    const annotations = Object.fromEntries([...this.annotations].map(([name, values]) => [name, values.join(', ')]));
    if (this.reported.length > 0)
      annotations['validation.policy.admission.k8s.io/validation_failure'] = JSON.stringify(
        this.reported.slice(0, mostReported),
      );
    const [denial] = this.denials;
    return { warnings: this.warnings, annotations, ...(denial && { refusal: refusalOf(review, denial) }) };
  }
}

/** All policies are asked, also after a refusal: what they report must not depend on their order. */
export const validateByPolicies = async (
  options: ParamsOptions,
  hooks: readonly ValidatingHook[],
  review: Review,
  context: ReviewContext,
): Promise<Verdict> => {
  const outcome = new Outcome();
  for (const invocation of await invocationsOf({ options, review, context }, hooks)) {
    if ('error' in invocation) {
      outcome.fail(invocation);
      continue;
    }
    const { policy, binding, form } = invocation;
    const scope = withParams(await context.scope(form), invocation);
    const result = await context.decided(() => validateBy(policy.spec ?? {}, scope));
    outcome.add(policy.metadata.name, binding, result);
  }
  return outcome.verdict(review);
};
