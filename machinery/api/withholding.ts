/**
 * Chooses what a controller plans for an object that must not follow its spec now, because an
 * operation has not admitted it, holds it back or tears it down. Pure.
 */
import { sameFacts } from './facts.ts';
import { equal, mergePatch } from './merge.ts';
import { isObject, type KubeObject } from './object.ts';
import type { Action, AnyPlan, Context, MergePatch, Plan } from './reconcile.ts';
import { finish, type Steps } from './steps.ts';

/** Whether an operation decides about the action: it creates or deletes an object, or it buys. */
const isWithholdable = ({ do: does, buys }: Action): boolean => does === 'create' || does === 'delete' || buys === true;

/** One patch for two. Unlike a merge, it keeps the nulls that remove fields. */
const joined = (first: MergePatch, second: MergePatch): MergePatch => {
  const both = { ...first, ...second };
  for (const name of Object.keys(second)) {
    const [a, b] = [first[name], second[name]];
    if (isObject(a) && isObject(b)) both[name] = joined(a, b);
  }
  return both;
};

/** The plan with its advance, in one: first what moves the object, then what keeps it. */
const whole = <Status>({ advance, ...plan }: Plan<Status>): Plan<Status> => {
  if (!advance) return plan;
  const { intent, actions = [], events = [], again, requeueAfter, debounce } = advance;
  const dues = [plan.requeueAfter, requeueAfter].filter((due) => due !== undefined);
  return {
    ...plan,
    ...(intent && { intent: joined(plan.intent ?? {}, intent) }),
    actions: [...actions, ...(plan.actions ?? [])],
    events: [...events, ...(plan.events ?? [])],
    ...(again && { again }),
    ...(dues.length > 0 && { requeueAfter: Math.min(...dues) }),
    ...(debounce !== undefined && { debounce }),
  };
};

/**
 * The plan without its advance and without actions that create, delete or buy. A group with such an
 * action is left out as a whole. What announces it goes too: the intent notes names and tokens of
 * what is about to be created, and Events report it.
 */
const heldBack = <Status>({ advance: _, ...plan }: Plan<Status>): Plan<Status> => {
  const { actions = [] } = plan;
  const groups = actions.filter(isWithholdable).flatMap(({ group, within = group }) => [group, within]);
  if (groups.length === 0) return plan;
  const { intent: _intent, again: _again, events = [], ...rest } = plan;
  return {
    ...rest,
    actions: actions.filter(({ group }) => !groups.includes(group)),
    events: events.filter(({ type }) => type === 'Warning'),
  };
};

interface Decider<Status, Observed> {
  reconcile: (observed: Observed, context: Context) => Plan<Status>;
  reconcileInSteps?: (observed: Observed, context: Context) => Steps<Plan<Status>>;
  release?: (observed: Observed, context: Context) => Plan<Status>;
}

/** An object in deletion is beyond any operation: its controller deletes what it made. */
export function* planInSteps<Status, Observed>(
  { reconcile, reconcileInSteps, release }: Decider<Status, Observed>,
  { metadata: { deletionTimestamp } }: KubeObject,
  observed: Observed,
  context: Context,
): Steps<Plan<Status>> {
  const withheld = deletionTimestamp === undefined ? context.withheld : undefined;
  if (withheld?.releases && release) return whole(release(observed, context));
  const plan = reconcileInSteps ? yield* reconcileInSteps(observed, context) : reconcile(observed, context);
  return withheld ? heldBack(plan) : whole(plan);
}

export const planOf = <Status, Observed>(...given: Parameters<typeof planInSteps<Status, Observed>>): Plan<Status> =>
  finish(planInSteps(...given));

export interface Restoration {
  intent: MergePatch;
  /** The object as its user wrote it, before any controller has seen it. */
  fresh: KubeObject;
}

/** What undoes the traces of a released object's controller; `given`: the spec that its user wrote. */
export const restorationOf = (object: KubeObject, plan: AnyPlan, given: MergePatch): Restoration => {
  const { annotations = {} } = object.metadata;
  const notes = (plan.released?.notes ?? []).filter((note) => annotations[note] !== undefined);
  const without = { metadata: { annotations: Object.fromEntries(notes.map((note) => [note, null])) } };
  const intent = [given, ...(notes.length > 0 ? [without] : [])].reduce(joined, plan.intent ?? {});
  return { intent, fresh: { ...mergePatch(object, intent), status: undefined } };
};

/** The plan for a released object: once it is restored, `plan` itself. */
export const restoring = <Status>(
  object: KubeObject,
  plan: Plan<Status>,
  { intent, fresh }: Restoration,
  status: Status | undefined,
  notes: readonly string[] = [],
): Plan<Status> => {
  const isRestored = equal({ ...fresh, status: object.status }, object) && sameFacts(status, object.status, notes);
  return isRestored ? plan : { ...plan, intent, ...(status && { status }) };
};
