/** Policies with the bindings that put them into effect, and how often one is asked about a request. */
import type { BindingSpec, PolicySpec } from '../api/admission.ts';
import type { KubeObject } from '../api/object.ts';
import type { Scope } from '../cel/program.ts';
import { celValue } from '../cel/value.ts';
import type { ReviewContext } from './context.ts';
import { matchedForm } from './match.ts';
import { ConfigurationError, type ParamsOptions, paramsOf } from './params.ts';
import type { ResourceForm, Review } from './review.ts';

export type Policy = KubeObject<PolicySpec>;
export type Binding = KubeObject<BindingSpec>;

export interface Hook<P extends Policy, B extends Binding> {
  policy: P;
  bindings: readonly B[];
}

const byName = (a: KubeObject, b: KubeObject): number => (a.metadata.name < b.metadata.name ? -1 : 1);

/** In the order of their names. A policy without a binding has no effect. */
export const hooksOf = <P extends Policy, B extends Binding>(
  policies: readonly P[],
  bindings: readonly B[],
): Hook<P, B>[] => {
  const byPolicy = Map.groupBy([...bindings].sort(byName), ({ spec }) => spec?.policyName ?? '');
  return [...policies].sort(byName).flatMap((policy) => {
    const own = byPolicy.get(policy.metadata.name);
    return own ? [{ policy, bindings: own }] : [];
  });
};

/** One evaluation of a policy, with one object of params. */
export interface Invocation<P extends Policy, B extends Binding> {
  policy: P;
  binding: B;
  /** The form in which the policy takes the request. */
  form: ResourceForm;
  param: KubeObject | undefined;
}

/** The scope of a policy's expressions, with the params of an invocation. */
export const withParams = (scope: Scope, { policy, param }: Invocation<Policy, Binding>): Scope =>
  policy.spec?.paramKind ? { ...scope, params: param ? celValue(param) : null } : scope;

/** What is wrong with a policy, or with one of its bindings. */
export interface Misconfigured<P extends Policy, B extends Binding> {
  policy: P;
  binding: B;
  error: Error;
}

type Outcome<P extends Policy, B extends Binding> = Invocation<P, B> | Misconfigured<P, B>;

export interface Asked {
  options: ParamsOptions;
  review: Review;
  context: ReviewContext;
}

const ofBinding = async <P extends Policy, B extends Binding>(
  { options, review, context }: Asked,
  policy: P,
  binding: B,
  form: ResourceForm,
): Promise<Outcome<P, B>[]> => {
  const { matchResources, paramRef } = binding.spec ?? {};
  try {
    if (matchResources && !(await matchedForm(matchResources, review, context.labels))) return [];
    const params = await paramsOf(options, policy.spec?.paramKind, paramRef, review.namespace);
    return params.map((param) => ({ policy, binding, form, param }));
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return [{ policy, binding, error: new Error(`failed to configure binding: ${error.message}`) }];
  }
};

/** All evaluations that a request asks for, in order. */
export const invocationsOf = async <P extends Policy, B extends Binding>(
  asked: Asked,
  hooks: readonly Hook<P, B>[],
): Promise<Outcome<P, B>[]> => {
  const outcomes: Outcome<P, B>[] = [];
  for (const { policy, bindings } of hooks) {
    const form = await matchedForm(policy.spec?.matchConstraints ?? {}, asked.review, asked.context.labels);
    if (!form) continue;
    for (const binding of bindings) outcomes.push(...(await ofBinding(asked, policy, binding, form)));
  }
  return outcomes;
};
