/** Dispatches requests to ValidatingAdmissionPolicies. */
import type { AdmissionObjects, ValidatingBinding, ValidatingPolicy, ValidationAction } from '../api/admission.ts';
import { ApiError } from '../api/errors.ts';
import type { KubeObject } from '../api/object.ts';
import { celValue } from '../cel/value.ts';
import type { ReviewContext } from './context.ts';
import { matchedForm } from './match.ts';
import { ConfigurationError, type ParamsOptions, paramsOf } from './params.ts';
import type { ResourceForm, Review, Verdict } from './review.ts';
import { type PolicyResult, validateBy } from './validating-policy.ts';

/** A policy with the bindings that put it into effect. */
export interface Hook {
  policy: ValidatingPolicy;
  bindings: readonly ValidatingBinding[];
}

const byName = (a: KubeObject, b: KubeObject): number => (a.metadata.name < b.metadata.name ? -1 : 1);

/** In the order of their names. A policy without a binding has no effect. */
export const hooksOf = ({ policies, bindings }: Pick<AdmissionObjects, 'policies' | 'bindings'>): Hook[] => {
  const byPolicy = Map.groupBy([...bindings].sort(byName), ({ spec }) => spec?.policyName ?? '');
  return [...policies].sort(byName).flatMap((policy) => {
    const own = byPolicy.get(policy.metadata.name);
    return own ? [{ policy, bindings: own }] : [];
  });
};

interface Denial {
  policy: string;
  binding: string | undefined;
  message: string;
  reason: string;
}

const codes: Record<string, number> = { Forbidden: 403, Unauthorized: 401, RequestEntityTooLarge: 413 };

const refusalOf = ({ asked, object, name }: Review, denial: Denial): ApiError => {
  const { policy, binding, reason } = denial;
  const by = binding === undefined ? `'${policy}'` : `'${policy}' with binding '${binding}'`;
  const message = `ValidatingAdmissionPolicy ${by} denied request: ${denial.message}`;
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

  fail({ policy }: Hook, binding: ValidatingBinding | undefined, error: Error): void {
    if (policy.spec?.failurePolicy === 'Ignore') return;
    const what = binding ? 'binding' : 'policy';
    const message = `failed to configure ${what}: ${error.message}`;
    this.denials.push({
      policy: policy.metadata.name,
      binding: binding?.metadata.name,
      message,
      reason: 'Invalid',
    });
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

interface Matched {
  hook: Hook;
  form: ResourceForm;
  context: ReviewContext;
}

const dispatchBinding = async (
  options: ParamsOptions,
  review: Review,
  { hook, form, context }: Matched,
  binding: ValidatingBinding,
  outcome: Outcome,
): Promise<void> => {
  const spec = hook.policy.spec ?? {};
  const { matchResources, paramRef } = binding.spec ?? {};
  try {
    if (matchResources && !(await matchedForm(matchResources, review, context.labels))) return;
    const params = await paramsOf(options, spec.paramKind, paramRef, review.namespace);
    if (params.length === 0) return;
    const scope = await context.scope(form);
    for (const one of params) {
      const withParams = spec.paramKind ? { ...scope, params: one ? celValue(one) : null } : scope;
      outcome.add(hook.policy.metadata.name, binding, await context.decided(() => validateBy(spec, withParams)));
    }
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    outcome.fail(hook, binding, error);
  }
};

/** All policies are asked, also after a refusal: what they report must not depend on their order. */
export const validateByPolicies = async (
  options: ParamsOptions,
  hooks: readonly Hook[],
  review: Review,
  context: ReviewContext,
): Promise<Verdict> => {
  const outcome = new Outcome();
  for (const hook of hooks) {
    const form = await matchedForm(hook.policy.spec?.matchConstraints ?? {}, review, context.labels);
    if (!form) continue;
    for (const binding of hook.bindings)
      await dispatchBinding(options, review, { hook, form, context }, binding, outcome);
  }
  return outcome.verdict(review);
};
