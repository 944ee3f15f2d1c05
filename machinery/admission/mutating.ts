/** Dispatches requests to MutatingAdmissionPolicies: each sees what the ones before it made. */
import type { MutatingBinding, MutatingPolicy } from '../api/admission.ts';
import { ApiError } from '../api/errors.ts';
import { equal } from '../api/merge.ts';
import type { KubeObject } from '../api/object.ts';
import type { Scope } from '../cel/program.ts';
import type { ReviewContext } from './context.ts';
import { matchesConditions, OutOfBudget } from './evaluate.ts';
import { type Hook, type Invocation, invocationsOf, withParams } from './hooks.ts';
import { evaluateMutation, MutationFailed, mutatedBy } from './mutation.ts';
import type { ParamsOptions } from './params.ts';
import { changed, type Progress } from './progress.ts';
import type { Review } from './review.ts';
import { withVariables } from './scope.ts';

export type MutatingHook = Hook<MutatingPolicy, MutatingBinding>;
type Own = Invocation<MutatingPolicy, MutatingBinding>;

const keyOf = ({ policy, binding, param }: Own): string =>
  [
    'policy',
    policy.metadata.name,
    binding.metadata.name,
    param?.metadata.namespace ?? '',
    param?.metadata.name ?? '',
  ].join('/');

/** As in Kubernetes: Forbidden by its code, Invalid by its reason. */
const refusalOf = ({ asked, object, name }: Review, messages: readonly string[]): ApiError =>
  new ApiError(403, 'Invalid', messages[0]!, {
    name: name || object?.metadata.generateName || 'Unknown',
    ...(asked.group && { group: asked.group }),
    kind: asked.resource,
    causes: messages.map((message) => ({ message })),
  });

interface Turn {
  review: Review;
  context: ReviewContext;
  progress: Progress;
  round: number;
}

/** The request with the object as it is now. */
const current = ({ review, context, progress: { object } }: Turn) => {
  const { object: _, ...rest } = review;
  const now: Review = { ...rest, ...(object && { object }) };
  return { review: now, context: context.of(now) };
};

const scopeNow = async (turn: Turn, invocation: Own): Promise<Scope> =>
  withParams(await current(turn).context.scope(invocation.form), invocation);

/** The object after one mutation. Throws MutationFailed and OutOfBudget. */
const mutate = async (turn: Turn, invocation: Own, object: KubeObject, index: number): Promise<KubeObject> => {
  const { review, context } = turn;
  const { policy, form } = invocation;
  const { mutations = [], variables = [] } = policy.spec ?? {};
  const [mutation, scope] = [mutations[index]!, await scopeNow(turn, invocation)];
  const outcome = await context.decided(() => evaluateMutation(mutation, withVariables(scope, variables)));
  const shown = await review.convert(object, form);
  const made = mutatedBy(mutation, outcome, shown, review.mergeType(form));
  return made === shown ? object : review.settle(await review.convert(made, review.asked));
};

/** Whether the policy is about the request as it is now. Returns what fails of its conditions. */
const applies = async (turn: Turn, invocation: Own): Promise<boolean | { error: string }> => {
  const { matchConditions = [] } = invocation.policy.spec ?? {};
  if (matchConditions.length === 0) return true;
  const scope = await scopeNow(turn, invocation);
  const matched = await turn.context.decided(() => matchesConditions(matchConditions, scope));
  return 'error' in matched ? matched : matched.matches;
};

/** Returns why mutations could not be made. The others of the policy are made nevertheless. */
const invoke = async (turn: Turn, invocation: Own): Promise<string[]> => {
  const { progress, round } = turn;
  const { spec } = invocation.policy;
  const matched = await applies(turn, invocation);
  if (typeof matched === 'object') return [matched.error];
  const key = keyOf(invocation);
  if (!matched || (round > 0 && !progress.again.has(key))) return [];
  const before = progress.object;
  const failures: string[] = [];
  for (const index of (spec?.mutations ?? []).keys()) {
    if (!progress.object) break;
    try {
      progress.object = await mutate(turn, invocation, progress.object, index);
    } catch (error) {
      if (!(error instanceof MutationFailed || error instanceof OutOfBudget)) throw error;
      failures.push(error.message);
    }
  }
  if (progress.object !== before && !equal(progress.object, before)) changed(progress);
  if (spec?.reinvocationPolicy === 'IfNeeded') progress.asked.add(key);
  return failures;
};

/** One round of all policies. Throws the refusal by those that failed. */
export const mutateByPolicies = async (
  options: ParamsOptions,
  hooks: readonly MutatingHook[],
  turn: Turn,
): Promise<void> => {
  if (turn.review.operation === 'DELETE') return;
  const denials: string[] = [];
  for (const invocation of await invocationsOf({ options, ...current(turn) }, hooks)) {
    const { policy, binding } = invocation;
    const failures = 'error' in invocation ? [invocation.error.message] : await invoke(turn, invocation);
    if (policy.spec?.failurePolicy === 'Ignore') continue;
    const by = `policy '${policy.metadata.name}' with binding '${binding.metadata.name}' denied request`;
    denials.push(...failures.map((failure) => `${by}: ${failure}`));
  }
  if (denials.length > 0) throw refusalOf(turn.review, denials);
};
