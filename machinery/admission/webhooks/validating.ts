/** Asks validating webhooks, all at once. */
import type { KubeObject } from '../../api/object.ts';
import type { ReviewContext } from '../context.ts';
import type { ResourceForm, Review, Verdict } from '../review.ts';
import { CallFailed, type CallOptions, callHook, failedCall } from './call.ts';
import { calledForm, type Hook } from './hooks.ts';

const failedOpen = 'validating.webhook.admission.k8s.io/failed-open-';

const inForm = async (review: Review, form: ResourceForm) => {
  const converted = async (one: KubeObject | undefined) =>
    one && form !== review.asked ? review.convert(one, form) : one;
  return { review, form, object: await converted(review.object), old: await converted(review.old) };
};

const verdictOf = async (
  options: CallOptions,
  { webhook }: Hook,
  asked: Awaited<ReturnType<typeof inForm>>,
  index: number,
): Promise<Verdict> => {
  try {
    return await callHook(options, webhook, asked, false);
  } catch (error) {
    if (!(error instanceof CallFailed)) return { warnings: [], annotations: {}, refusal: error as Error };
    if (webhook.failurePolicy !== 'Ignore')
      return { warnings: [], annotations: {}, refusal: failedCall(webhook, error) };
    return { warnings: [], annotations: { [`${failedOpen}round_0_index_${index}`]: webhook.name } };
  }
};

/** The first refusal counts, in the order of the webhooks. */
export const validateByWebhooks = async (
  options: CallOptions,
  hooks: readonly Hook[],
  review: Review,
  context: ReviewContext,
): Promise<Verdict> => {
  const called: { hook: Hook; form: ResourceForm }[] = [];
  for (const hook of hooks) {
    const form = await calledForm(hook, review, context);
    if (form) called.push({ hook, form });
  }
  const asked = await Promise.all(called.map(({ form }) => inForm(review, form)));
  const verdicts = await Promise.all(called.map(({ hook }, i) => verdictOf(options, hook, asked[i]!, i)));
  const refusal = verdicts.find((one) => one.refusal)?.refusal;
  return {
    warnings: verdicts.flatMap(({ warnings }) => warnings),
    annotations: Object.assign({}, ...verdicts.map(({ annotations }) => annotations)),
    ...(refusal && { refusal }),
  };
};
