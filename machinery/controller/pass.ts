/** One pass of one controller over one object: observe, decide, apply. */

import { reconcileSucceeded } from '../api/conditions.ts';
import { type ApiError, conflict } from '../api/errors.ts';
import { sameFacts } from '../api/facts.ts';
import type { Kind } from '../api/kind.ts';
import { isConflict, isNotFound } from '../api/lifecycle.ts';
import { equal, mergePatch, sharing } from '../api/merge.ts';
import {
  type Condition,
  type JsonObject,
  type JsonValue,
  type KubeObject,
  keyOf,
  type ObjectKey,
} from '../api/object.ts';
import {
  type Action,
  type Answer,
  type AnyPlan,
  type Await,
  type Context,
  type Controller,
  type EventDraft,
  type Failure,
  found,
  type MergePatch,
  type AnyPlan as Plan,
  type Reader,
  type Withheld,
} from '../api/reconcile.ts';
import { finish, type Steps } from '../api/steps.ts';
import { planInSteps, restorationOf, restoring } from '../api/withholding.ts';
import type { Awaits } from '../operations/awaits.ts';
import type { Clock, Log, Random } from '../ports.ts';
import type { Store } from '../store/store.ts';
import { type Actor, type Failed, labelOf, performAll } from './actions.ts';
import { longestBackoff } from './backoff.ts';
import { createRecorder, type Recorder } from './events.ts';
import { deciding, decidingInSteps, type Fault, hasConditions, isOfDecision, withFault } from './fault.ts';
import type { Kinds } from './kinds.ts';
import { pausedBecause, pausedStatus, withPaused } from './pause.ts';
import { failureOf, type Ports } from './ports.ts';
import { drawsOf } from './random.ts';
import { createReader, type PassReader } from './reader.ts';
import { isRefusal, refusalFault } from './refusal.ts';
import { stampStatus } from './status.ts';
import type { Outcome, Run } from './work.ts';
import { times, type WorkItem } from './work-item.ts';
import type { ObjectWriter } from './writer.ts';

export interface PassOptions {
  store: Store;
  kinds: Kinds;
  writer: ObjectWriter;
  ports: Ports;
  clock: Pick<Clock, 'now' | 'yield'>;
  random: Random;
  log: Log;
  installation: string;
  config: Record<string, JsonValue>;
  /** For controllers that accept workflow tasks. */
  awaits?: Awaits;
}

/**
 * The most rounds of reads between two observations of a pass. The longest chains, for moved
 * clusters, need six without further pages.
 */
export const rounds = 9;
/** The most decisions of a pass that follow from the previous one's status. */
const decisions = 6;

/** A controller of any kind, for lists of controllers. */
export interface AnyController
  extends Omit<
    Controller,
    'isForeign' | 'clusterOf' | 'clusterUidOf' | 'observe' | 'reconcile' | 'reconcileInSteps' | 'release'
  > {
  isForeign?: (object: never) => boolean;
  clusterOf?: (object: never) => string | undefined;
  clusterUidOf?: (object: never) => string | undefined;
  observe: (object: never, read: Reader, context: Context) => unknown;
  reconcile: (observation: never, context: Context) => Plan;
  reconcileInSteps?: (observation: never, context: Context) => Steps<Plan>;
  release?: (observation: never, context: Context) => Plan;
}

interface Pass {
  controller: Controller;
  kind: Kind;
  key: ObjectKey;
  options: PassOptions;
  now: number;
  item: WorkItem;
  /** 12 bytes each, which V8 keeps in its heap: a view of a slice would need an external buffer. */
  seeds: { observe: Uint8Array; decide: Uint8Array };
  reader: PassReader;
  recorder: Recorder;
  awaits: readonly Await[];
  withheld: Withheld | undefined;
}

/**
 * Each observation of a pass draws the same values, and so does each decision, but different ones
 * from the observations.
 */
const contextOf = (
  { now, seeds, options, item, awaits, withheld }: Pass,
  part: 'observe' | 'decide',
  failed?: Failed,
): Context => ({
  now,
  random: drawsOf(seeds[part]),
  lastFailure: failed?.failure ?? item.lastFailure,
  attempts: item.attempts + (failed ? 1 : 0),
  ...(item.debouncedUntil !== undefined && item.debouncedUntil > now && { debouncedUntil: item.debouncedUntil }),
  ...(item.reported !== undefined && { reported: item.reported }),
  ...(withheld && { withheld }),
  installation: options.installation,
  config: options.config,
  awaits,
});

const inSteps = <T>({ options: { clock } }: Pass, steps: Steps<T>): Promise<T> =>
  decidingInSteps(steps, () => clock.yield?.());

/** Observes until all declared reads are made, then plans. */
const planFor = async (pass: Pass, object: KubeObject, failed?: Failed): Promise<Plan> => {
  const { controller, reader } = pass;
  for (let round = 0; ; round++) {
    const observation = deciding(() => controller.observe(object, reader.reader, contextOf(pass, 'observe', failed)));
    if (!(await reader.fetch()))
      return inSteps(pass, planInSteps(controller, object, observation, contextOf(pass, 'decide', failed)));
    if (round === rounds) throw new Error(`${controller.name} asks for more reads than ${rounds} rounds answer`);
  }
};

const asGiven = async (pass: Pass, object: KubeObject, plan: AnyPlan, released: NonNullable<AnyPlan['released']>) => {
  const scope = await pass.options.kinds.scope()?.scope();
  const given = scope?.givenPatch(object) ?? {};
  const restoration = restorationOf(object, plan, given);
  const status = released.status ?? (await planFor(pass, restoration.fresh)).status;
  return restoring(object, plan, restoration, status, pass.kind.notes);
};

const decide = async (pass: Pass, object: KubeObject, failed?: Failed): Promise<Plan> => {
  const plan = await planFor(pass, object, failed);
  return plan.released ? asGiven(pass, object, plan, plan.released) : plan;
};

interface StatusOptions {
  /** Computes the status of the object that is about to be stored; undefined keeps the status. */
  statusOf?: (next: KubeObject) => JsonObject | undefined;
  isSettled?: (next: KubeObject) => boolean;
}

/**
 * Writes the changed object and its status in one commit, at the observed resourceVersion, or not
 * at all.
 */
const writeObserved = async (
  { kind, key, controller, options: { writer } }: Pass,
  observed: KubeObject,
  next: KubeObject,
  { statusOf = () => undefined, isSettled }: StatusOptions = {},
): Promise<KubeObject> => {
  const options = { writer: controller.name, from: observed, ...(isSettled && { isSettled }) };
  if (!equal(observed, next)) return writer.updateWhole(kind, key, () => next, statusOf, options);
  const status = statusOf(observed);
  if (!status || equal(observed.status ?? {}, status)) return observed;
  return writer.updateStatus(kind, key, () => ({ ...observed, status }), options);
};

interface Ended {
  /** The pass failed. */
  failed?: boolean;
  fault?: Fault;
}

/** The status to store; undefined when neither the plan nor the stored object has one. */
const statusOf = (
  { controller, now }: Pass,
  { metadata: { generation }, status: stored }: KubeObject,
  { status }: Plan,
  { failed = false, fault }: Ended = {},
): JsonObject | undefined => {
  const form = controller.conditions;
  const before = stored as JsonObject | undefined;
  const decided = withFault(status ?? before, controller, fault);
  const next = form === 'v1beta2' && decided ? withPaused(decided, undefined) : decided;
  return next && sharing(before, stampStatus(next, before, { form, generation, now, failed }));
};

const recordEvents = async ({ recorder, options }: Pass, object: KubeObject, drafts: Plan['events'] = []) => {
  for (const draft of drafts) {
    try {
      await recorder.record(draft.about ?? object, draft);
    } catch (error) {
      options.log.error('Could not record an Event', { reason: draft.reason, error: String(error) });
    }
  }
};

const changesNothing = (object: KubeObject, { intent, actions = [], answers = [], again, finished }: Plan): boolean =>
  actions.length === 0 &&
  answers.length === 0 &&
  !again &&
  !finished &&
  (!intent || equal(object, mergePatch(object, intent)));

/** Decides again as if the next state were stored; undefined when that needs another pass. */
function* decideAgain(pass: Pass, plan: Plan, next: KubeObject): Steps<Plan | undefined> {
  const { controller, reader, item } = pass;
  if (!changesNothing(next, plan) || item.lastFailure || reader.failure()) return undefined;
  const observation = deciding(() => controller.observe(next, reader.reader, contextOf(pass, 'observe')));
  if (reader.pending()) return undefined;
  const again = yield* planInSteps(controller, next, observation, contextOf(pass, 'decide'));
  return changesNothing(next, again) ? again : undefined;
}

interface DecidedStatus {
  /** The last plan that was decided. */
  plan: Plan;
  status: JsonObject | undefined;
  /** Another pass would decide the same, so this pass's own write need not requeue the object. */
  isSettled: boolean;
}

/**
 * Computes the final status of `stored`. What follows from the status itself is decided here, as
 * the next pass would, with the same reads and without actions or Events in between.
 */
function* finalStatus(
  pass: Pass,
  first: DecidedStatus,
  observed: KubeObject,
  stored: KubeObject,
): Steps<DecidedStatus> {
  const reported = stored === observed ? first.status : undefined;
  let decided = { ...first, status: reported ?? statusOf(pass, stored, first.plan) };
  const isWritten = stored !== observed || (decided.status && !equal(decided.status, observed.status ?? {}));
  if (!isWritten) return decided;
  for (let made = 0; made < decisions; made++) {
    const next = decided.status ? { ...stored, status: decided.status } : stored;
    const again = yield* decideAgain(pass, decided.plan, next);
    if (!again) return decided;
    const status = again.status ? statusOf(pass, stored, again) : decided.status;
    if (equal(status ?? stored.status ?? {}, next.status ?? {}))
      return { ...decided, isSettled: again.requeueAfter === decided.plan.requeueAfter };
    if (again.events?.length) return decided;
    decided = { plan: again, status, isSettled: false };
  }
  return decided;
}

/** Decides again with the knowledge of a failed effect, and records the Events that hold in spite of it. */
const warn = async (pass: Pass, next: KubeObject, failed: Failed): Promise<Plan> => {
  const plan = await decide(pass, next, failed);
  await recordEvents(
    pass,
    next,
    plan.events?.filter(({ type, isOfStatus }) => type === 'Warning' || isOfStatus),
  );
  return plan;
};

/** Reports a failed effect in the status at once. */
const report = async (
  pass: Pass,
  observed: KubeObject,
  next: KubeObject,
  failed: Failed,
  fault?: Fault,
): Promise<Outcome> => {
  const plan = await warn(pass, next, failed);
  const ended: Ended = { failed: true, ...(fault && { fault }) };
  try {
    await writeObserved(pass, observed, next, { statusOf: (stored) => statusOf(pass, stored, plan, ended) });
  } catch (error) {
    // The failure counts even if another writer changed the object: that change triggers the next
    // pass anyway.
    if (!isConflict(error)) throw error;
  }
  const due = plan.requeueAfter === undefined ? {} : { due: pass.now + plan.requeueAfter * 1000 };
  return { ended: 'failed', ...failed, ...due };
};

/** Whether the object's status can show a fault of the controller. */
const reports = async ({ controller, kind }: Pass): Promise<boolean> =>
  controller.conditions !== 'none' || hasConditions(kind);

/**
 * Reports that the API refused the plan's change of the object itself. The status goes without that
 * change; if it is what was refused, the stored one keeps all but the new condition.
 */
const reportRefusal = async (
  pass: Pass,
  observed: KubeObject,
  object: KubeObject,
  error: ApiError,
): Promise<Outcome> => {
  const { kind, key, controller, options, now } = pass;
  const failure = failureOf('objects', `update ${kind.kind}`, error, now);
  const { code, message } = failure;
  options.log.error('A change was refused', { controller: controller.name, [kind.kind]: keyOf(key), code, message });
  await recordEvents(pass, observed, [{ type: 'Warning', reason: 'ChangeRefused', message }]);
  const failed: Failed = { failure, consequence: 'terminal' };
  const fault = (await reports(pass)) ? refusalFault(failure) : undefined;
  try {
    return await report(pass, observed, object, failed, fault);
  } catch (again) {
    if (!isRefusal(again)) throw again;
    const ended: Ended = { failed: true, ...(fault && { fault }) };
    await writeObserved(pass, observed, observed, { statusOf: (stored) => statusOf(pass, stored, {}, ended) });
    return { ended: 'failed', ...failed };
  }
};

/**
 * Reports that the pass threw: at once what its decisions threw, else from the second time on, because
 * the store itself may be out of reach for a moment.
 */
const reportThrown = async (pass: Pass, observed: KubeObject, error: unknown): Promise<void> => {
  const { item, now } = pass;
  if (isConflict(error) || isNotFound(error) || (!isOfDecision(error) && item.attempts === 0)) return;
  const failure = failureOf('objects', 'reconcile', error, now);
  const { message } = failure;
  await recordEvents(pass, observed, [{ type: 'Warning', reason: 'ReconcileFailed', message }]);
  if (!(await reports(pass))) return;
  const ended: Ended = { failed: true, fault: { type: reconcileSucceeded, failure } };
  await writeObserved(pass, observed, observed, { statusOf: (stored) => statusOf(pass, stored, {}, ended) });
};

const withoutFinalizer = (object: KubeObject, finalizer: string): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, finalizers: object.metadata.finalizers?.filter((other) => other !== finalizer) },
});

/** The failure that a pass without actions keeps for the next one. */
const keptFailure = ({ item, now }: Pass, { actions = [], requeueAfter }: Plan): Failure | undefined => {
  const { lastFailure } = item;
  if (!lastFailure || actions.length > 0 || requeueAfter === undefined) return undefined;
  return now - lastFailure.at < longestBackoff ? lastFailure : undefined;
};

const outcomeOf = (pass: Pass, plan: Plan): Outcome => {
  const outcome = nextOf(pass, plan);
  if (outcome.ended !== 'finished' || plan.debounce === undefined) return outcome;
  return { ...outcome, debouncedUntil: pass.now + plan.debounce * 1000 };
};

const nextOf = (pass: Pass, plan: Plan): Outcome => {
  const { now, item, reader } = pass;
  const unreadable = reader.failure();
  if (plan.again) return { ended: 'finished', due: now };
  const failure = keptFailure(pass, plan);
  // This status was decided with a failure that is over, so decide again without it. A lasting
  // failure keeps backing off.
  if (item.lastFailure && !failure && !unreadable) return { ended: 'finished', due: now };
  if (plan.requeueAfter !== undefined) {
    const unread = unreadable?.consequence === 'retry' && { unread: unreadable.failure };
    return { ended: 'finished', due: now + plan.requeueAfter * 1000, ...(failure && { failure }), ...unread };
  }
  if (unreadable) return { ended: 'failed', failure: unreadable.failure, consequence: 'retry' };
  return { ended: 'finished' };
};

const logActions = ({ controller, kind, key, options }: Pass, actions: readonly Action[], failed?: Failed) => {
  const keys = {
    controller: controller.name,
    [kind.kind]: keyOf(key),
    actions: actions.map((action) => Object.values(labelOf(action)).join(' ')),
  };
  if (!failed) return options.log.info('Acted', keys);
  const { operation, code, message } = failed.failure;
  options.log.info('An action failed', { ...keys, operation, code, message, consequence: failed.consequence });
};

const answer = async ({ options, controller, key }: Pass, answers: readonly Answer[] = []) => {
  if (answers.length > 0) await options.awaits?.answer(options.kinds.typeOf(controller.for), key, answers);
};

/** Whether the next pass, which follows at once, reports this pass's actions. */
const isReportedByNextPass = ({ again, actions = [] }: Plan): boolean => again === true && actions.length > 0;

/** Milliseconds of debounce for changes of wording only. */
const statusDebounce = 30_000;

/**
 * Since when a change of wording only is deferred; the next change of facts takes it along. Never
 * together with Events, answers or other immediate writes.
 */
const deferredStatusSince = (
  { kind, item, now }: Pass,
  observed: KubeObject,
  { plan, status }: DecidedStatus,
): number | undefined => {
  const { events = [], answers = [], finished } = plan;
  if (!status || equal(status, observed.status)) return undefined;
  if (events.length > 0 || answers.length > 0 || finished) return undefined;
  if (!observed.status || !sameFacts(status, observed.status, kind.notes)) return undefined;
  const since = item.deferredSince ?? now;
  return since + statusDebounce <= now ? undefined : since;
};

/** Adds the timer of a deferred status. */
const withDeferredStatus = ({ now }: Pass, outcome: Outcome, { debounce = 0 }: Plan, since: number): Outcome => {
  if (outcome.ended !== 'finished') return outcome;
  const due = Math.max(since + statusDebounce, now + debounce * 1000);
  return { ...outcome, deferredSince: since, due: Math.min(outcome.due ?? due, due) };
};

/** Cancels tasks that wait for an object that is gone. */
const dismiss = (pass: Pass, answers: readonly Answer[] = []) =>
  answer(
    pass,
    pass.awaits
      .filter(({ id }) => !answers.some(({ to }) => to === id))
      .map(({ id }) => ({ to: id, error: 'Cancelled', cause: 'The object that it waits for is gone' })),
  );

/** Whether only this finalizer keeps an object in deletion. */
const isHeldBy = ({ metadata: { deletionTimestamp, finalizers = [] } }: KubeObject, finalizer: string): boolean =>
  deletionTimestamp !== undefined && finalizers.every((one) => one === finalizer);

const messagesOf = (status: unknown): string[] =>
  ((status as { conditions?: Condition[] } | undefined)?.conditions ?? []).map(({ message = '' }) => message);

/** A Warning for each reference to a kind that is not served, when a condition first reports it. */
const unservedEvents = ({ reader }: Pass, observed: KubeObject, { status }: Plan): EventDraft[] => {
  const isIn = (messages: readonly string[], text: string) => messages.some((message) => message.includes(text));
  const [before, after] = [messagesOf(observed.status), messagesOf(status)];
  return reader
    .unserved()
    .filter((text) => isIn(after, text) && !isIn(before, text))
    .map((message) => ({ type: 'Warning', reason: 'KindNotServed', message }));
};

/**
 * Writes what was decided, answers waiting tasks, and then removes the finalizer when all is done.
 */
const conclude = async (pass: Pass, observed: KubeObject, next: KubeObject, given: Plan): Promise<Outcome> => {
  const { controller } = pass;
  const plan = { ...given, events: [...(given.events ?? []), ...unservedEvents(pass, observed, given)] };
  const release = plan.finished ? controller.finalizer : undefined;
  const isAnswered = (plan.answers?.length ?? 0) > 0;
  await recordEvents(pass, next, plan.events);
  const last = release !== undefined && !isAnswered ? withoutFinalizer(next, release) : next;
  const status = equal(observed, last) ? statusOf(pass, observed, plan) : undefined;
  let decided: DecidedStatus = { plan, status, isSettled: false };
  const deferredSince = deferredStatusSince(pass, observed, decided);
  if (deferredSince !== undefined) return withDeferredStatus(pass, outcomeOf(pass, plan), plan, deferredSince);
  const isReported = !isReportedByNextPass(plan);
  if (isReported && equal(observed, last))
    decided = await inSteps(pass, finalStatus(pass, decided, observed, observed));
  const say = (stored: KubeObject) => {
    if (stored !== observed) decided = deciding(() => finish(finalStatus(pass, decided, observed, stored)));
    return decided.status;
  };
  const written = await writeObserved(pass, observed, last, {
    ...(isReported && { statusOf: say }),
    isSettled: () => decided.isSettled,
  });
  await answer(pass, plan.answers);
  if (release !== undefined && isAnswered) await writeObserved(pass, written, withoutFinalizer(written, release));
  if (release !== undefined && isHeldBy(observed, release)) {
    await dismiss(pass, plan.answers);
    return { ended: 'gone' };
  }
  return outcomeOf(pass, decided.plan);
};

/**
 * Ends a pass that outlived its lease. It may have read some state before and some after other
 * workers acted, a combination that never existed, such as an etcd member without a Machine.
 */
const expectInTime = ({ kind, key, now, options }: Pass) => {
  if (options.clock.now() - now >= times.lease) throw conflict(kind, key.name, 'the pass took longer than its lease');
};

const claims = new Set(['ownerReferences', 'labels']);
/**
 * Whether the action only sets an owner: it has no effect that a finalizer or an annotation must
 * precede.
 */
const isClaim = (action: Action): boolean => {
  if (action.do !== 'patch') return false;
  const { metadata, ...others } = action.patch as MergePatch;
  return Object.keys(others).length === 0 && Object.keys(metadata ?? {}).every((field) => claims.has(field));
};

/** `object` is the observed one with this controller's additions before any action. */
const apply = async (pass: Pass, observed: KubeObject, object: KubeObject, plan: Plan): Promise<Outcome> => {
  const { controller, options, now } = pass;
  const { writer, kinds, ports } = options;
  expectInTime(pass);
  const intended = plan.intent ? sharing(object, mergePatch(object, plan.intent)) : object;
  const { actions = [] } = plan;
  // Without actions in between, intent and status are one commit.
  if (actions.length === 0) return conclude(pass, observed, intended, plan);
  const before = actions.every(isClaim) ? observed : await writeObserved(pass, observed, intended);
  const next = before === observed ? intended : before;
  const actor: Actor = { writer, kinds, ports, name: controller.name, now, expectInTime: () => expectInTime(pass) };
  const { failed, forgone } = await performAll(actor, actions);
  logActions(pass, actions, failed ?? forgone[0]);
  for (const one of forgone) await warn(pass, next, one);
  if (failed) return report(pass, before, next, failed);
  return conclude(pass, before, next, plan);
};

/** Until it is known whether the object may follow its spec, it must not. */
const unknown: Withheld = { releases: false, reason: 'Unknown', message: '' };

/** What the object's scope, such as its Cluster, says about it; no scope says nothing. */
interface Scoped {
  paused: string | undefined;
  withheld: Withheld | undefined;
}

/** The first reads are made together with the scope, because it is rarely paused. */
const scopeOf = async (pass: Pass, object: KubeObject): Promise<Scoped> => {
  const { controller, reader, options } = pass;
  const kind = options.kinds.scope();
  if (!kind || !controller.clusterOf) return { paused: pausedBecause(object, undefined), withheld: undefined };
  const name = deciding(() => controller.clusterOf?.(object));
  const read = () =>
    name === undefined ? undefined : reader.reader.get(kind.kind, { namespace: object.metadata.namespace ?? '', name });
  read();
  const first = contextOf(controller.operates ? pass : { ...pass, withheld: unknown }, 'observe');
  deciding(() => controller.observe(object, reader.reader, first));
  await reader.fetch();
  const answer = read();
  const cluster = answer && found(answer);
  const scope = await kind.scope();
  const isConcerned = !pass.kind.isPast?.(object);
  const paused = pausedBecause(object, cluster && isConcerned ? scope.pausedBecause(cluster) : undefined);
  if (controller.operates) return { paused, withheld: undefined };
  const uid = deciding(() => controller.clusterUidOf?.(object));
  return { paused, withheld: scope.withheldFrom(cluster, { object, uid }, options.config) };
};

const passOver = async (unscoped: Pass, observed: KubeObject): Promise<Outcome> => {
  const { controller, now, options } = unscoped;
  const { metadata } = observed;
  const { finalizers = [], deletionTimestamp } = metadata;
  const own = controller.finalizer === undefined ? [] : [controller.finalizer];
  const isMissing = (finalizer: string) => !finalizers.includes(finalizer);
  // A deleted object without this controller's finalizer is finished, or was never started.
  if (deletionTimestamp && own.some(isMissing)) return { ended: 'finished' };
  // Sorted: which of the controllers comes first makes no difference.
  const missing = deletionTimestamp
    ? []
    : [...own, ...(controller.keptFor?.(options.config) ?? [])].filter(isMissing).sort();
  const object =
    missing.length === 0
      ? observed
      : { ...observed, metadata: { ...metadata, finalizers: [...finalizers, ...missing] } };
  const { paused, withheld } = await scopeOf(unscoped, object);
  const pass: Pass = { ...unscoped, withheld };
  if (paused === undefined) {
    const plan = await decide(pass, object);
    try {
      return await apply(pass, observed, object, plan);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      return reportRefusal(pass, observed, object, error);
    }
  }
  const reports = controller.conditions === 'v1beta2';
  await writeObserved(pass, observed, object, {
    ...(reports && {
      statusOf: ({ status, metadata: { generation } }) =>
        pausedStatus(status as JsonObject, paused, controller.whilePaused?.(object, paused) ?? [], { generation, now }),
    }),
  });
  return { ended: 'finished' };
};

/** Passes over the object, and leaves the reason in it when that throws. */
const passReporting = async (pass: Pass, object: KubeObject): Promise<Outcome> => {
  try {
    if (deciding(() => pass.controller.isForeign?.(object))) return { ended: 'finished' };
    return await passOver(pass, object);
  } catch (error) {
    try {
      await reportThrown(pass, object, error);
    } catch (unwritten) {
      const { log } = pass.options;
      log.info('Could not report a failed pass', { controller: pass.controller.name, error: String(unwritten) });
    }
    throw error;
  }
};

/** Runs a controller's passes. Throws what ends a pass early; the worker records it. */
export const createPass = (controller: AnyController, options: PassOptions): Run => {
  const { store, kinds, clock, random } = options;
  const kind = kinds.named(controller.for);
  const type = kinds.typeOf(controller.for);
  const recorder = createRecorder({
    store,
    hasNamespaces: kinds.find('', 'Namespace') !== undefined,
    now: () => clock.now(),
    uid: () => random.uuid(),
    component: controller.name,
  });
  return async (key, item) => {
    const now = clock.now();
    const reader = createReader({ store, kinds, ports: options.ports, now });
    const pass: Pass = {
      // The store holds objects of the controller's kind under its type, and snapshots come from its own observe.
      controller: controller as Controller,
      kind,
      key,
      options,
      now,
      item,
      seeds: { observe: random.bytes(12), decide: random.bytes(12) },
      reader,
      recorder,
      awaits: (controller.awaits && (await options.awaits?.of(type, key))) ?? [],
      withheld: undefined,
    };
    const object = await store.get(type, key);
    if (object) return passReporting(pass, object);
    await dismiss(pass);
    return { ended: 'gone' };
  };
};
