/** One pass of one controller over one object: observe, decide, apply. */
import { conflict } from '../api/errors.ts';
import { sameFacts } from '../api/facts.ts';
import type { Kind } from '../api/kind.ts';
import { isConflict } from '../api/lifecycle.ts';
import { equal, mergePatch, sharing } from '../api/merge.ts';
import { type JsonObject, type JsonValue, type KubeObject, keyOf, type ObjectKey } from '../api/object.ts';
import {
  type Action,
  type Answer,
  type Await,
  type Context,
  type Controller,
  type Failure,
  found,
  type MergePatch,
  type Plan,
  type Reader,
} from '../api/reconcile.ts';
import type { Awaits } from '../operations/awaits.ts';
import type { Clock, Log, Random } from '../ports.ts';
import type { Store } from '../store/store.ts';
import { type Actor, type Failed, labelOf, performAll } from './actions.ts';
import { longestBackoff } from './backoff.ts';
import { createRecorder, type Recorder } from './events.ts';
import type { Kinds } from './kinds.ts';
import { pausedBecause, pausedStatus, withPaused } from './pause.ts';
import type { Ports } from './ports.ts';
import { drawsOf } from './random.ts';
import { createReader, type PassReader } from './reader.ts';
import { stampStatus } from './status.ts';
import type { Outcome, Run } from './work.ts';
import { times, type WorkItem } from './work-item.ts';
import type { ObjectWriter } from './writer.ts';

export interface PassOptions {
  store: Store;
  kinds: Kinds;
  writer: ObjectWriter;
  ports: Ports;
  clock: Pick<Clock, 'now'>;
  random: Random;
  log: Log;
  installation: string;
  config: Record<string, JsonValue>;
  /** For controllers that take them. */
  awaits?: Awaits;
}

/** Reads between two observations in one pass, at most. The longest chains, of what was moved here, need six without further pages. */
export const rounds = 9;
/** Decisions in one pass that follow from what the one before said, at most. */
const decisions = 6;

/** A controller of whatever kind, as lists of them hold it. */
export interface AnyController extends Omit<Controller, 'clusterOf' | 'observe' | 'reconcile'> {
  clusterOf?: (object: never) => string | undefined;
  observe: (object: never, read: Reader, context: Context) => unknown;
  reconcile: (snapshot: never, context: Context) => Plan;
}

interface Pass {
  controller: Controller;
  kind: Kind;
  key: ObjectKey;
  options: PassOptions;
  now: number;
  item: WorkItem;
  /** Of 12 bytes each, which V8 keeps in its heap: a view of a part would need a buffer outside of it. */
  seeds: { observe: Uint8Array; decide: Uint8Array };
  reader: PassReader;
  recorder: Recorder;
  awaits: readonly Await[];
}

/** Each observation of a pass draws the same, and so does each decision, but not the same as the observations. */
const contextOf = (
  { now, seeds, options, item, awaits }: Pass,
  part: 'observe' | 'decide',
  failed?: Failed,
): Context => ({
  now,
  random: drawsOf(seeds[part]),
  lastFailure: failed?.failure ?? item.lastFailure,
  attempts: item.attempts + (failed ? 1 : 0),
  ...(item.patient !== undefined && item.patient > now && { patientUntil: item.patient }),
  installation: options.installation,
  config: options.config,
  awaits,
});

/** Observes until nothing more is asked for, then decides. */
const decide = async (pass: Pass, object: KubeObject, failed?: Failed): Promise<Plan> => {
  const { controller, reader } = pass;
  for (let round = 0; ; round++) {
    const snapshot = controller.observe(object, reader.reader, contextOf(pass, 'observe', failed));
    if (!(await reader.fetch())) return controller.reconcile(snapshot, contextOf(pass, 'decide', failed));
    if (round === rounds) throw new Error(`${controller.name} asks for more reads than ${rounds} rounds answer`);
  }
};

interface Said {
  /** Of the object as it is about to be stored; undefined leaves the status as it is. */
  statusOf?: (next: KubeObject) => JsonObject | undefined;
  isSettled?: (next: KubeObject) => boolean;
}

/**
 * Writes an object of this pass as it was observed, changed, and what its status says: in one commit, at its
 * resourceVersion, or not at all.
 */
const writeObserved = async (
  { kind, key, controller, options: { writer } }: Pass,
  observed: KubeObject,
  next: KubeObject,
  { statusOf = () => undefined, isSettled }: Said = {},
): Promise<KubeObject> => {
  const options = { writer: controller.name, from: observed, ...(isSettled && { isSettled }) };
  if (!equal(observed, next)) return writer.updateWhole(kind, key, () => next, statusOf, options);
  const status = statusOf(observed);
  if (!status || equal(observed.status ?? {}, status)) return observed;
  return writer.updateStatus(kind, key, () => ({ ...observed, status }), options);
};

/** The status to store; undefined when the plan says nothing about it, and nothing was said before. */
const statusOf = (
  { controller: { conditions: form }, now }: Pass,
  { metadata: { generation }, status: stored }: KubeObject,
  { status }: Plan,
  failed: boolean,
): JsonObject | undefined => {
  const before = stored as JsonObject | undefined;
  const next = form === 'v1beta2' && (status || before) ? withPaused(status ?? before, undefined) : status;
  return next && sharing(before, stampStatus(next, before, { form, generation, now, failed }));
};

const recordEvents = async ({ recorder, options }: Pass, object: KubeObject, drafts: Plan['events'] = []) => {
  for (const draft of drafts) {
    try {
      await recorder.record(object, draft);
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

/** What this pass decides, seeing what it is about to write; undefined when only another pass can tell. */
const decideAgain = (pass: Pass, plan: Plan, next: KubeObject): Plan | undefined => {
  const { controller, reader, item } = pass;
  if (!changesNothing(next, plan) || item.lastFailure || reader.failure()) return undefined;
  const snapshot = controller.observe(next, reader.reader, contextOf(pass, 'observe'));
  if (reader.pending()) return undefined;
  const again = controller.reconcile(snapshot, contextOf(pass, 'decide'));
  return changesNothing(next, again) ? again : undefined;
};

interface Word {
  /** The last one that was decided. */
  plan: Plan;
  status: JsonObject | undefined;
  /** It would decide the same again: then its own write need not wake it. */
  isSettled: boolean;
}

/**
 * What is to be said of `stored`. What follows from the status itself is decided at once, as the next pass would: on the
 * same reads, without anything being done or told in between.
 */
const lastWord = (pass: Pass, first: Word, observed: KubeObject, stored: KubeObject): Word => {
  const said = stored === observed ? first.status : undefined;
  let word = { ...first, status: said ?? statusOf(pass, stored, first.plan, false) };
  const isWritten = stored !== observed || (word.status && !equal(word.status, observed.status ?? {}));
  if (!isWritten) return word;
  for (let made = 0; made < decisions; made++) {
    const next = word.status ? { ...stored, status: word.status } : stored;
    const again = decideAgain(pass, word.plan, next);
    if (!again) return word;
    const status = again.status ? statusOf(pass, stored, again, false) : word.status;
    if (equal(status ?? stored.status ?? {}, next.status ?? {}))
      return { ...word, isSettled: again.requeueAfter === word.plan.requeueAfter };
    if (again.events?.length) return word;
    word = { plan: again, status, isSettled: false };
  }
  return word;
};

/** After a failed effect: what is decided knowing of it, whose warnings are told. */
const warn = async (pass: Pass, next: KubeObject, failed: Failed): Promise<Plan> => {
  const plan = await decide(pass, next, failed);
  await recordEvents(
    pass,
    next,
    plan.events?.filter(({ type }) => type === 'Warning'),
  );
  return plan;
};

/** What the status of `next` says about a failed effect, at once. */
const report = async (pass: Pass, observed: KubeObject, next: KubeObject, failed: Failed): Promise<Outcome> => {
  const plan = await warn(pass, next, failed);
  try {
    await writeObserved(pass, observed, next, { statusOf: (stored) => statusOf(pass, stored, plan, true) });
  } catch (error) {
    // The failure counts whoever changed the object meanwhile: a foreign change runs the next pass at once anyway.
    if (!isConflict(error)) throw error;
  }
  const due = plan.requeueAfter === undefined ? {} : { due: pass.now + plan.requeueAfter * 1000 };
  return { ended: 'failed', ...failed, ...due };
};

const withoutFinalizer = (object: KubeObject, finalizer: string): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, finalizers: object.metadata.finalizers?.filter((other) => other !== finalizer) },
});

/** The failure that a pass which only waited leaves in place for the next. */
const keptFailure = ({ item, now }: Pass, { actions = [], requeueAfter }: Plan): Failure | undefined => {
  const { lastFailure } = item;
  if (!lastFailure || actions.length > 0 || requeueAfter === undefined) return undefined;
  return now - lastFailure.at < longestBackoff ? lastFailure : undefined;
};

const outcomeOf = (pass: Pass, plan: Plan): Outcome => {
  const outcome = nextOf(pass, plan);
  if (outcome.ended !== 'finished' || plan.patience === undefined) return outcome;
  return { ...outcome, patient: pass.now + plan.patience * 1000 };
};

const nextOf = (pass: Pass, plan: Plan): Outcome => {
  const { now, item, reader } = pass;
  const unreadable = reader.failure();
  if (plan.again) return { ended: 'finished', due: now };
  const failure = keptFailure(pass, plan);
  // The status was decided knowing of a failure that is over: decide it again without. One that lasts goes on to back off.
  if (item.lastFailure && !failure && !unreadable) return { ended: 'finished', due: now };
  if (plan.requeueAfter !== undefined) {
    return { ended: 'finished', due: now + plan.requeueAfter * 1000, ...(failure && { failure }) };
  }
  if (unreadable) return { ended: 'failed', failure: unreadable, consequence: 'retry' };
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

/** Whether what was done just now shows in the next pass, which follows at once and says so. */
const isSaidLater = ({ again, actions = [] }: Plan): boolean => again === true && actions.length > 0;

/** Milliseconds that words wait for what else happens. */
const quiet = 30_000;

/**
 * Since when a status has said the same in other words, which wait: the next fact takes them along. Never beside anything
 * that is told or written at once.
 */
const unsaidSince = ({ item, now }: Pass, observed: KubeObject, { plan, status }: Word): number | undefined => {
  const { events = [], answers = [], finished } = plan;
  if (!status || equal(status, observed.status)) return undefined;
  if (events.length > 0 || answers.length > 0 || finished) return undefined;
  if (!observed.status || !sameFacts(status, observed.status)) return undefined;
  const since = item.unsaid ?? now;
  return since + quiet <= now ? undefined : since;
};

/** With words that are still to be said. */
const withUnsaid = ({ now }: Pass, outcome: Outcome, { patience = 0 }: Plan, since: number): Outcome => {
  if (outcome.ended !== 'finished') return outcome;
  const due = Math.max(since + quiet, now + patience * 1000);
  return { ...outcome, unsaid: since, due: Math.min(outcome.due ?? due, due) };
};

/** Tasks that wait for an object that is gone wait for nothing. */
const dismiss = (pass: Pass, answers: readonly Answer[] = []) =>
  answer(
    pass,
    pass.awaits
      .filter(({ id }) => !answers.some(({ to }) => to === id))
      .map(({ id }) => ({ to: id, error: 'Cancelled', cause: 'The object that it waits for is gone' })),
  );

/** Whether this finalizer alone keeps an object that is to go. */
const isHeldBy = ({ metadata: { deletionTimestamp, finalizers = [] } }: KubeObject, finalizer: string): boolean =>
  deletionTimestamp !== undefined && finalizers.every((one) => one === finalizer);

/** Says what was decided, and lets go of the object when all is done; who waits is told in between. */
const conclude = async (pass: Pass, observed: KubeObject, next: KubeObject, plan: Plan): Promise<Outcome> => {
  const { controller } = pass;
  const release = plan.finished ? controller.finalizer : undefined;
  const isTold = (plan.answers?.length ?? 0) > 0;
  await recordEvents(pass, next, plan.events);
  const last = release !== undefined && !isTold ? withoutFinalizer(next, release) : next;
  const status = equal(observed, last) ? statusOf(pass, observed, plan, false) : undefined;
  let word: Word = { plan, status, isSettled: false };
  const unsaid = unsaidSince(pass, observed, word);
  if (unsaid !== undefined) return withUnsaid(pass, outcomeOf(pass, plan), plan, unsaid);
  const say = (stored: KubeObject) => {
    word = lastWord(pass, word, observed, stored);
    return word.status;
  };
  const written = await writeObserved(pass, observed, last, {
    ...(!isSaidLater(plan) && { statusOf: say }),
    isSettled: () => word.isSettled,
  });
  await answer(pass, plan.answers);
  if (release !== undefined && isTold) await writeObserved(pass, written, withoutFinalizer(written, release));
  if (release !== undefined && isHeldBy(observed, release)) {
    await dismiss(pass, plan.answers);
    return { ended: 'gone' };
  }
  return outcomeOf(pass, word.plan);
};

/**
 * Whoever stood still for longer than its lease has read some things before others acted, and some after: together they
 * may show what never was, such as a member of etcd without a Machine.
 */
const expectInTime = ({ kind, key, now, options }: Pass) => {
  if (options.clock.now() - now >= times.lease) throw conflict(kind, key.name, 'the pass took longer than its lease');
};

const claims = new Set(['ownerReferences', 'labels']);
/** Whether it only says whose an object is: nothing that a finalizer or a note would have to come before. */
const isClaim = (action: Action): boolean => {
  if (action.do !== 'patch') return false;
  const { metadata, ...others } = action.patch as MergePatch;
  return Object.keys(others).length === 0 && Object.keys(metadata ?? {}).every((field) => claims.has(field));
};

/** `object` is the observed one with what this controller adds before it does anything. */
const apply = async (pass: Pass, observed: KubeObject, object: KubeObject, plan: Plan): Promise<Outcome> => {
  const { controller, options, now } = pass;
  const { writer, kinds, ports } = options;
  expectInTime(pass);
  const intended = plan.intent ? sharing(object, mergePatch(object, plan.intent)) : object;
  const { actions = [] } = plan;
  // Nothing is done in between: what is meant and what is said are one commit.
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

/** What is asked for first is read along with the Cluster: it is hardly ever paused. */
const clusterOf = async (pass: Pass, object: KubeObject): Promise<KubeObject | undefined> => {
  const { controller, reader } = pass;
  const name = controller.clusterOf?.(object);
  if (name === undefined) return undefined;
  const read = () => reader.reader.get('Cluster', { namespace: object.metadata.namespace ?? '', name });
  read();
  controller.observe(object, reader.reader, contextOf(pass, 'observe'));
  await reader.fetch();
  return found(read());
};

const passOver = async (pass: Pass, observed: KubeObject): Promise<Outcome> => {
  const { controller, now, options } = pass;
  const { metadata } = observed;
  const { finalizers = [], deletionTimestamp } = metadata;
  const own = controller.finalizer === undefined ? [] : [controller.finalizer];
  const isMissing = (finalizer: string) => !finalizers.includes(finalizer);
  // What is deleted without this controller's finalizer was given up by it, or never begun.
  if (deletionTimestamp && own.some(isMissing)) return { ended: 'finished' };
  const missing = deletionTimestamp ? [] : [...own, ...(controller.keptFor?.(options.config) ?? [])].filter(isMissing);
  const object =
    missing.length === 0
      ? observed
      : { ...observed, metadata: { ...metadata, finalizers: [...finalizers, ...missing] } };
  const paused = pausedBecause(object, await clusterOf(pass, object));
  if (paused === undefined) return apply(pass, observed, object, await decide(pass, object));
  const reports = controller.conditions === 'v1beta2';
  await writeObserved(pass, observed, object, {
    ...(reports && {
      statusOf: ({ status, metadata: { generation } }) =>
        pausedStatus(status as JsonObject, paused, { generation, now }),
    }),
  });
  return { ended: 'finished' };
};

/** Runs a controller's passes. Throws what ends one early: the worker records it. */
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
    };
    const object = await store.get(type, key);
    if (object) return passOver(pass, object);
    await dismiss(pass);
    return { ended: 'gone' };
  };
};
