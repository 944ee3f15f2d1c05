/** Asks mutating webhooks, one after the other: each sees what the ones before it made. */
import { ApiError } from '../../api/errors.ts';
import { equal } from '../../api/merge.ts';
import type { KubeObject } from '../../api/object.ts';
import { jsonPatch } from '../../api/patch.ts';
import type { ReviewContext } from '../context.ts';
import { changed, type Progress } from '../progress.ts';
import type { ResourceForm, Review } from '../review.ts';
import { CallFailed, type CallOptions, callHook, failedCall, type HookAnswer } from './call.ts';
import { calledForm, type Hook } from './hooks.ts';

const internal = (message: string): ApiError =>
  new ApiError(500, 'InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] });

const patched = (object: KubeObject | undefined, { patch }: HookAnswer, { webhook }: Hook): KubeObject | undefined => {
  if (patch.length === 0) return object;
  if (!object)
    throw internal(
      `admission webhook ${JSON.stringify(webhook.name)} attempted to modify the object, which is not supported for this operation`,
    );
  try {
    return jsonPatch(object, patch) as KubeObject;
  } catch {
    throw internal(`the patch of admission webhook ${JSON.stringify(webhook.name)} does not apply`);
  }
};

const note = (progress: Progress, round: number, index: number, { configuration, webhook }: Hook, mutated: boolean) => {
  const key = `mutation.webhook.admission.k8s.io/round_${round}_index_${index}`;
  progress.annotations[key] = JSON.stringify({ configuration, webhook: webhook.name, mutated });
};

interface Turn {
  options: CallOptions;
  review: Review;
  context: ReviewContext;
  progress: Progress;
  round: number;
}

const converted = (review: Review, object: KubeObject | undefined, form: ResourceForm) =>
  object ? review.convert(object, form) : undefined;

const ask = async ({ options, review, context, progress, round }: Turn, hook: Hook, index: number): Promise<void> => {
  const { webhook } = hook;
  const { object: before, ...unchanged } = { ...review, object: progress.object };
  const current: Review = { ...unchanged, ...(before && { object: before }) };
  const form = await calledForm(hook, current, context.of(current));
  if (!form || (round > 0 && !progress.again.has(hook))) return;
  const [object, old] = [await converted(review, before, form), await converted(review, review.old, form)];
  let answer: HookAnswer;
  try {
    answer = await callHook(options, webhook, { review: current, form, object, old }, true);
  } catch (error) {
    if (!(error instanceof CallFailed)) throw error;
    if (webhook.failurePolicy !== 'Ignore') throw failedCall(webhook, error);
    progress.annotations[`failed-open.mutation.webhook.admission.k8s.io/round_${round}_index_${index}`] = webhook.name;
    return;
  }
  progress.warnings.push(...answer.warnings);
  Object.assign(progress.annotations, answer.annotations);
  if (answer.refusal) throw answer.refusal;
  const made = patched(object, answer, hook);
  const settled = made && made !== object ? await review.settle(await review.convert(made, review.asked)) : before;
  const isChanged = settled !== before && !equal(settled, before);
  note(progress, round, index, hook, isChanged);
  if (isChanged) {
    progress.object = settled;
    changed(progress);
  }
  if (webhook.reinvocationPolicy === 'IfNeeded') progress.asked.add(hook);
};

/** One round of all webhooks. Throws the refusal of one, or of a call that failed. */
export const mutateByWebhooks = async (hooks: readonly Hook[], turn: Turn): Promise<void> => {
  for (const [index, hook] of hooks.entries()) await ask(turn, hook, index);
};
