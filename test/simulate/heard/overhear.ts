/** Records what each pass read, so that the decision can be repeated on another state. */
import { clusterScope } from '../../../kinds/core/contract/scope.ts';
import { kinds } from '../../../kinds/index.ts';
import { type KubeObject, keyOf, type ObjectKey } from '../../../machinery/api/object.ts';
import {
  type AnyPlan,
  type Context,
  type Controller,
  type OfRole,
  type Read,
  type Reader,
  typedReader,
  type Where,
} from '../../../machinery/api/reconcile.ts';
import { planOf } from '../../../machinery/api/withholding.ts';
import { pausedBecause } from '../../../machinery/controller/pause.ts';
import { drawsOf } from '../../../machinery/controller/random.ts';
import { matches } from '../../../machinery/controller/selector.ts';

const kindOf = new Map(kinds.map((kind) => [kind.kind, kind]));

export type Question = { get: string; key: ObjectKey } | { list: string; where: Where };

/** A pass that returned a plan. */
export interface Pass {
  controller: Controller;
  key: ObjectKey;
  questions: readonly Question[];
  /** The answers of ports and the tombstones that the pass read. */
  answers: ReadonlyMap<string, Read<unknown>>;
  context: Context;
  plan: AnyPlan;
}

/** The current state of all objects, or a hypothetical one. */
export interface Sight {
  get(kind: string, key: ObjectKey): KubeObject | undefined;
  all(kind: string): readonly KubeObject[];
}

export interface Decision {
  /** Absent when the object is gone or must not be reconciled. */
  plan?: AnyPlan;
  paused?: string;
  /** The port reads that this decision needs and the pass did not make. */
  unanswered: readonly string[];
}

const absent: Read<never> = { state: 'absent' };
const found = (value: unknown): Read<never> => ({ state: 'found', value: value as never });

type Named = { namespace?: string | undefined; name: string };
export const isNamed = ({ namespace, name }: Named, { metadata }: { metadata: Named }): boolean =>
  name === metadata.name && (namespace ?? '') === (metadata.namespace ?? '');

const kindsFor = (of: string | OfRole): string[] =>
  typeof of === 'string' ? [of] : kinds.filter(({ role }) => role === of.role).map(({ kind }) => kind);

const clusterKeyOf = (controller: Controller, object: KubeObject): ObjectKey | undefined => {
  const name = controller.clusterOf?.(object);
  return name === undefined ? undefined : { namespace: object.metadata.namespace ?? '', name };
};

/** Records the reads, and the answers that do not come from the store. */
const noting = (read: Reader, questions: Map<string, Question>, answers: Map<string, Read<unknown>>): Reader => {
  const ask = (question: Question) => questions.set(JSON.stringify(question), question);
  const keep = <T>(id: string, answer: Read<T>): Read<T> => {
    answers.set(id, answer);
    return answer;
  };
  return typedReader({
    get: (kind, key) => {
      ask({ get: kind, key });
      return read.get(kind, key);
    },
    list: (of, where) => {
      for (const kind of kindsFor(of)) ask({ list: kind, where });
      return read.list(of, where);
    },
    facts: (kind, where) => {
      ask({ list: kind, where });
      return read.facts(kind, where);
    },
    tombstone: (kind, key) => keep(`tombstone ${kind} ${keyOf(key)}`, read.tombstone(kind, key)),
    ask: (port, operation, input) =>
      keep(`ask ${JSON.stringify([port, operation, input])}`, read.ask(port, operation, input)),
  });
};

/** Answers reads of objects from `sight` and all other reads from the recorded answers. */
const seeing = (sight: Sight, answers: Pass['answers'], unanswered: Set<string>): Reader => {
  const listed = (kind: string, where: Where) =>
    kindOf.has(kind) ? sight.all(kind).filter((object) => matches(where, object)) : [];
  return typedReader({
    get: (kind, key) => {
      const object = kindOf.has(kind) ? sight.get(kind, key) : undefined;
      return object ? found(object) : absent;
    },
    list: (of, where) => found(kindsFor(of).flatMap((kind) => listed(kind, where))),
    facts: (kind, where) => found(listed(kind, where).map((object) => kindOf.get(kind)?.digest?.(object) ?? {})),
    tombstone: (kind, key) => (answers.get(`tombstone ${kind} ${keyOf(key)}`) as Read<never>) ?? absent,
    ask: (port, operation, input) => {
      const answer = answers.get(`ask ${JSON.stringify([port, operation, input])}`);
      if (answer && answer.state !== 'unread') return answer as Read<never>;
      unanswered.add(`${port} ${operation}`);
      return { state: 'unreadable', reason: 'not asked in the pass' };
    },
  });
};

/** A constant seed, so that decisions do not differ by their random draws. */
const seed = new Uint8Array(12).fill(1);

/** The decision on `sight`, with all other inputs as in the pass. */
export const decideIn = (sight: Sight, { controller, key, answers, context }: Pass, now: number): Decision => {
  const nothing = { unanswered: [] };
  const object = sight.get(controller.for, key);
  const { finalizer } = controller;
  const { deletionTimestamp, finalizers = [] } = object?.metadata ?? {};
  if (!object || (deletionTimestamp && finalizer && !finalizers.includes(finalizer))) return nothing;
  const clusterKey = clusterKeyOf(controller, object);
  const scope = clusterKey && sight.get('Cluster', clusterKey);
  const paused = pausedBecause(object, scope && clusterScope.pausedBecause(scope));
  if (paused !== undefined) return { ...nothing, paused };
  const unanswered = new Set<string>();
  const { withheld: _, ...rest } = context;
  const uid = controller.clusterUidOf?.(object);
  const withheld =
    clusterKey && !controller.operates && clusterScope.withheldFrom(scope, { object, uid }, context.config);
  const again = (): Context => ({ ...rest, now, random: drawsOf(seed), ...(withheld && { withheld }) });
  const observed = controller.observe(object, seeing(sight, answers, unanswered), again());
  return { plan: planOf(controller, object, observed, again()), unanswered: [...unanswered].sort() };
};

/** A controller that reports its passes to `onPass`; `judged` runs in its place. */
export const overheard = (controller: Controller, judged: Controller, onPass: (pass: Pass) => void): Controller => {
  const passes = new WeakMap<object, Omit<Pass, 'plan'> & { object: KubeObject }>();
  const reported = <P extends AnyPlan>(plan: P, observed: object, context: Context): P => {
    const { object, ...pass } = passes.get(observed) ?? {};
    const same = () => plan;
    if (object)
      onPass({
        ...(pass as Omit<Pass, 'plan'>),
        plan: planOf({ reconcile: same, release: same }, object, observed, context),
      });
    return plan;
  };
  const { reconcileInSteps, ...rest } = judged;
  return {
    ...rest,
    observe: (object, read, context) => {
      const { name, namespace = '' } = object.metadata;
      const key = { namespace, name };
      const clusterKey = clusterKeyOf(controller, object);
      const questions = new Map<string, Question>([['own', { get: controller.for, key }]]);
      if (clusterKey) questions.set('cluster', { get: 'Cluster', key: clusterKey });
      const answers = new Map<string, Read<unknown>>();
      const observed = judged.observe(object, noting(read, questions, answers), context);
      passes.set(observed as object, { controller, key, questions: [...questions.values()], answers, context, object });
      return observed;
    },
    reconcile: (observed, context) => reported(judged.reconcile(observed, context), observed as object, context),
    ...(reconcileInSteps && {
      *reconcileInSteps(observed, context) {
        return reported(yield* reconcileInSteps(observed, context), observed as object, context);
      },
    }),
    ...(judged.release && {
      release: (observed, context) => reported(judged.release!(observed, context), observed as object, context),
    }),
  };
};

/** Whether the pass read the object, or would have if it existed. */
export const isRead = ({ questions }: Pass, kind: string, object: KubeObject): boolean =>
  questions.some((question) =>
    'get' in question
      ? question.get === kind && isNamed(question.key, object)
      : question.list === kind && matches(question.where, object),
  );
