/** Decides on requests by all that users have defined. */
import type { AdmissionObjects } from '../api/admission.ts';
import { contextOf } from './context.ts';
import { hooksOf as policiesOf } from './hooks.ts';
import { isExempt } from './match.ts';
import { mutateByPolicies } from './mutating.ts';
import type { ParamsOptions } from './params.ts';
import { newProgress } from './progress.ts';
import type { Mutation, Review, Reviewer, Verdict } from './review.ts';
import { validateByPolicies } from './validating.ts';
import type { CallOptions } from './webhooks/call.ts';
import { hooksOf } from './webhooks/hooks.ts';
import { mutateByWebhooks } from './webhooks/mutating.ts';
import { validateByWebhooks } from './webhooks/validating.ts';

export type ReviewerOptions = ParamsOptions & CallOptions;

const admitted: Verdict = { warnings: [], annotations: {} };

/** Undefined if nothing that is defined has an effect. */
export const createReviewer = (options: ReviewerOptions, objects: AdmissionObjects): Reviewer | undefined => {
  const policies = {
    validating: policiesOf(objects.policies, objects.bindings),
    mutating: policiesOf(objects.mutatingPolicies, objects.mutatingBindings),
  };
  const webhooks = { validating: hooksOf(objects.validatingWebhooks), mutating: hooksOf(objects.mutatingWebhooks) };
  const mutates = policies.mutating.length + webhooks.mutating.length > 0;
  if (!mutates && policies.validating.length + webhooks.validating.length === 0) return undefined;

  const validate = async (review: Review): Promise<Verdict> => {
    const context = contextOf(options.store, review);
    const byPolicies = await validateByPolicies(options, policies.validating, review, context);
    if (byPolicies.refusal) return byPolicies;
    const byWebhooks = await validateByWebhooks(options, webhooks.validating, review, context);
    return {
      ...byWebhooks,
      warnings: [...byPolicies.warnings, ...byWebhooks.warnings],
      annotations: { ...byPolicies.annotations, ...byWebhooks.annotations },
    };
  };

  /** Policies come before webhooks. The second round asks those whose object others have changed since. */
  const mutate = async (review: Review): Promise<Mutation> => {
    const progress = newProgress(review);
    const context = contextOf(options.store, review);
    const ask = async (round: number): Promise<void> => {
      await mutateByPolicies(options, policies.mutating, { review, context, progress, round });
      await mutateByWebhooks(webhooks.mutating, { options, review, context, progress, round });
    };
    try {
      await ask(0);
      if (progress.again.size > 0) await ask(1);
    } catch (error) {
      progress.refusal = error as Error;
    }
    return progress;
  };

  return {
    validate: async (review) => (isExempt(review) ? admitted : validate(review)),
    mutate: async (review) => (!mutates || isExempt(review) ? { ...admitted, object: review.object } : mutate(review)),
  };
};
