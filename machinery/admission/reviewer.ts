/** Decides on requests by all that users have defined. */
import type { AdmissionObjects } from '../api/admission.ts';
import { contextOf } from './context.ts';
import { isExempt } from './match.ts';
import type { ParamsOptions } from './params.ts';
import type { Mutation, Review, Reviewer, Verdict } from './review.ts';
import { hooksOf as policiesOf, validateByPolicies } from './validating.ts';
import type { CallOptions } from './webhooks/call.ts';
import { hooksOf } from './webhooks/hooks.ts';
import { mutateByWebhooks, newProgress } from './webhooks/mutating.ts';
import { validateByWebhooks } from './webhooks/validating.ts';

export type ReviewerOptions = ParamsOptions & CallOptions;

const admitted: Verdict = { warnings: [], annotations: {} };

/** Undefined if nothing that is defined has an effect. */
export const createReviewer = (options: ReviewerOptions, objects: AdmissionObjects): Reviewer | undefined => {
  const policies = policiesOf(objects);
  const validating = hooksOf(objects.validatingWebhooks);
  const mutating = hooksOf(objects.mutatingWebhooks);
  if (policies.length + validating.length + mutating.length === 0) return undefined;

  const validate = async (review: Review): Promise<Verdict> => {
    const context = contextOf(options.store, review);
    const byPolicies = await validateByPolicies(options, policies, review, context);
    if (byPolicies.refusal) return byPolicies;
    const byWebhooks = await validateByWebhooks(options, validating, review, context);
    return {
      ...byWebhooks,
      warnings: [...byPolicies.warnings, ...byWebhooks.warnings],
      annotations: { ...byPolicies.annotations, ...byWebhooks.annotations },
    };
  };

  const mutate = async (review: Review): Promise<Mutation> => {
    const progress = newProgress(review);
    try {
      await mutateByWebhooks(options, mutating, review, progress, 0);
      if (progress.again.size > 0) await mutateByWebhooks(options, mutating, review, progress, 1);
    } catch (error) {
      progress.refusal = error as Error;
    }
    return progress;
  };

  return {
    validate: async (review) => (isExempt(review) ? admitted : validate(review)),
    mutate: async (review) =>
      mutating.length === 0 || isExempt(review) ? { ...admitted, object: review.object } : mutate(review),
  };
};
