/**
 * What a port does not answer is taken for nothing else: of what a pass read, one answer at a time is taken away, and what is
 * decided then is the beginning of what was decided, and nothing else. Nor does anything go by the order in which AWS lists
 * what there is, which it does not promise. And the same is decided of the same.
 */
import { isDeepStrictEqual } from 'node:util';
import { filledAnnotation } from '../../../kinds/common/filled.ts';
import { controllers } from '../../../kinds/controllers.ts';
import { clusterUidTag, purposeTag, tagMap } from '../../../kinds/infrastructure-aws/aws-cluster/tags.ts';
import { machineUidTag } from '../../../kinds/infrastructure-aws/aws-machine/request.ts';
import type { Tag } from '../../../kinds/ports/cloud.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import {
  type Action,
  type AnyPlan,
  type Context,
  type Controller,
  type Read,
  type Reader,
  typedReader,
} from '../../../machinery/api/reconcile.ts';
import { type Pass as Overheard, overheard } from '../heard/overhear.ts';
import { Violation } from '../invariants/rule.ts';

type Answers = Map<string, Read<unknown>>;
type Draws = Context['random'];

/** One of so many passes is decided again. */
const share = 4;

/** It says what it could not read. */
const telling = new Set(['workload-prober']);
/** What is computed here answers always. */
const own = new Set(['pki']);

const asks = 'ask ';

const unanswered: Read<never> = {
  state: 'unreadable',
  reason: 'RequestLimitExceeded: Request limit exceeded.',
};

/** Answers as before, and keeps them. */
const keeping = (read: Reader, answers: Answers): Reader => {
  const kept = <T>(id: string, answer: Read<T>): Read<T> => {
    answers.set(id, answer);
    return answer;
  };
  return typedReader({
    get: (kind, key) => kept(`get ${JSON.stringify([kind, key])}`, read.get(kind, key)),
    tombstone: (kind, key) => kept(`tombstone ${JSON.stringify([kind, key])}`, read.tombstone(kind, key)),
    list: (kind, where) => kept(`list ${JSON.stringify([kind, where])}`, read.list(kind, where)),
    facts: (kind, where) => kept(`facts ${JSON.stringify([kind, where])}`, read.facts(kind, where)),
    ask: (port, operation, input) =>
      kept(`${asks}${JSON.stringify([port, operation, input])}`, read.ask(port, operation, input)),
  });
};

/** Answers with what was kept; what nobody asked for then is unread, and `onMore` is told. */
const repeating = (answers: Answers, onMore: () => void): Reader => {
  const give = (id: string) => {
    const answer = answers.get(id);
    if (!answer) onMore();
    return (answer ?? { state: 'unread' }) as never;
  };
  return typedReader({
    get: (kind, key) => give(`get ${JSON.stringify([kind, key])}`),
    tombstone: (kind, key) => give(`tombstone ${JSON.stringify([kind, key])}`),
    list: (kind, where) => give(`list ${JSON.stringify([kind, where])}`),
    facts: (kind, where) => give(`facts ${JSON.stringify([kind, where])}`),
    ask: (port, operation, input) => give(`${asks}${JSON.stringify([port, operation, input])}`),
  });
};

/** What was asked for, and answered, through ports that may fail. */
const askedOf = (answers: Answers): string[] =>
  [...answers].flatMap(([id, { state }]) => {
    if (!id.startsWith(asks) || state === 'unreadable') return [];
    const [port] = JSON.parse(id.slice(asks.length)) as [string];
    return own.has(port) ? [] : [id];
  });

/** Draws as before, and then the same again. */
const redrawn = (random: Draws): { first: Draws; again: () => Draws } => {
  const drawn: unknown[] = [];
  const from = (at: { next: number }): Draws => {
    const draw = <T>(make: () => T): T => {
      if (at.next === drawn.length) drawn.push(make());
      return drawn[at.next++] as T;
    };
    return {
      suffix: (length) => draw(() => random.suffix(length)),
      pick: (choices) => draw(() => random.pick(choices)),
      token: () => draw(() => random.token()),
    };
  };
  return { first: from({ next: 0 }), again: () => from({ next: 0 }) };
};

/** Notes on others, which may be made in any order; and a courtesy that is paid once more when the machine goes. */
const isAside = (action: Action): boolean => {
  if (action.do === 'call') return action.operation === 'etcdMoveLeader';
  if (action.do !== 'patch') return false;
  const { metadata, ...rest } = action.patch as { metadata?: object };
  const fields = [...Object.keys(rest), ...Object.keys(metadata ?? {})];
  return fields.every((field) => field === 'status' || field === 'annotations');
};
const stepsOf = ({ actions = [] }: AnyPlan): string[] =>
  actions.filter((action) => !isAside(action)).map((action) => JSON.stringify(action));

/** A Node that cannot be read is left behind when its time is over. */
const mayFinish = (name: string, id: string) => name === 'machine' && id.includes('"kind":"Node"');

/** Nothing else waits for kube-proxy: of what is done without it only its own step is missing. */
const isOfKubeProxy = (text: string) =>
  text.includes('"kind":"DaemonSet","namespace":"kube-system","name":"kube-proxy"');

/** Without kubeconfigs and the like. */
const shortly = (id: string): string =>
  JSON.stringify(JSON.parse(id.slice(asks.length)), (_, value) =>
    typeof value === 'string' && value.length > 100 ? '…' : value,
  );

const judge = (name: string, id: string, plan: AnyPlan, without: AnyPlan | undefined): void => {
  if (!without) return;
  const all = stepsOf(plan);
  const steps = isOfKubeProxy(id) ? all.filter((step) => !isOfKubeProxy(step)) : all;
  const others = stepsOf(without);
  const at = others.findIndex((step, index) => step !== steps[index]);
  const what = `${name}, to whom ${shortly(id)} is not answered,`;
  if (at >= 0) throw new Violation('decided', `${what} does ${others[at]}, and not ${steps[at] ?? 'nothing'}`);
  if (without.finished && !plan.finished && !mayFinish(name, id)) throw new Violation('decided', `${what} finishes`);
};

/** The same in another order. */
const turned = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(turned).reverse();
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, turned(field)]));
};
/** The same of all orders. */
const unordered = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map((one) => JSON.stringify(unordered(one))).sort();
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, unordered(field)]));
};
/** What a plan comes to, but for the order of what is done, and of the tags in a note of what was filled in. */
const outcomeOf = ({ actions = [], events = [], intent, ...plan }: AnyPlan): Record<string, unknown> => {
  const { metadata, ...rest } = (intent ?? {}) as { metadata?: { annotations?: object } };
  const annotations = { ...metadata?.annotations, [filledAnnotation]: undefined };
  return { ...plan, ...rest, ...metadata, annotations, actions: unordered(actions), events: unordered(events) };
};
interface Listed {
  Tags?: Tag[];
  ResourceARN?: string;
}
/** For what something was made; undefined where its tags do not say. */
const purposeOf = ({ Tags, ResourceARN = '' }: Listed): string | undefined => {
  const tags = tagMap(Tags ?? []);
  const [purpose, machine] = [tags[purposeTag], tags[machineUidTag]];
  const [sort] = (ResourceARN.split(':')[5] ?? '').split('/');
  return (purpose ?? machine) && [sort, purpose, machine, tags[clusterUidTag]].join();
};
/** Whether two of a list were made for the same, by somebody who stood still: either of them may be taken. */
const hasTwins = (value: unknown): boolean => {
  if (typeof value !== 'object' || value === null) return false;
  const purposes = Array.isArray(value) ? value.flatMap((one: Listed) => purposeOf(one ?? {}) ?? []) : [];
  return new Set(purposes).size < purposes.length || Object.values(value).some(hasTwins);
};
const isOfAccount = (id: string) => ['cloud', 'installation'].some((port) => id.startsWith(`${asks}["${port}"`));

const judgeOrder = (name: string, id: string, plan: AnyPlan, other: AnyPlan | undefined): void => {
  if (!other) return;
  const [outcome, turnedOutcome] = [outcomeOf(plan), outcomeOf(other)];
  const field = Object.keys(outcome).find((one) => !isDeepStrictEqual(outcome[one], turnedOutcome[one]));
  if (!field) return;
  const [is, was] = [turnedOutcome[field], outcome[field]].map((one) => JSON.stringify(one));
  throw new Violation('decided', `${name} goes by the order of ${shortly(id)}: ${field} is ${is}, and was ${was}`);
};

interface Pass {
  object: KubeObject;
  context: Context;
  draws: ReturnType<typeof redrawn>;
  answers: Answers;
}

/** A controller that decides as it does; `breaks` is told what is wrong with that. */
const judged = (controller: Controller, breaks: (violation: unknown) => void): Controller => {
  const { name, observe, reconcile } = controller;
  /** Of the snapshots of passes that are under way. */
  const passes = new WeakMap<object, Pass>();

  /** Undefined when more would have to be read for it. */
  const decidedAgain = (
    { object, context, draws, answers }: Pass,
    deciding: Context,
    again: () => Draws,
    changed?: [id: string, answer: Read<unknown>],
  ): AnyPlan | undefined => {
    const others: Answers = changed ? new Map(answers).set(...changed) : answers;
    let isMore = false;
    const read = repeating(others, () => {
      isMore = true;
    });
    const snapshot = observe(object, read, { ...context, random: draws.again() });
    if (isMore) return undefined;
    return reconcile(snapshot, { ...deciding, random: again() });
  };

  return {
    ...controller,
    observe: (object, read, context) => {
      if (context.now % share !== 0) return observe(object, read, context);
      const answers: Answers = new Map();
      const draws = redrawn(context.random);
      const snapshot = observe(object, keeping(read, answers), { ...context, random: draws.first });
      if (typeof snapshot === 'object' && snapshot !== null) passes.set(snapshot, { object, context, draws, answers });
      return snapshot;
    },
    reconcile: (snapshot, context) => {
      const pass = passes.get(snapshot as object);
      if (!pass) return reconcile(snapshot, context);
      const draws = redrawn(context.random);
      const plan = reconcile(snapshot, { ...context, random: draws.first });
      try {
        const same = decidedAgain(pass, context, draws.again);
        if (!isDeepStrictEqual(same, plan)) throw new Violation('decided', `${name} decides otherwise of the same`);
        const asked = telling.has(name) ? [] : askedOf(pass.answers);
        const id = asked[Math.floor(context.now / share) % asked.length];
        const answer = id && pass.answers.get(id);
        if (!answer) return plan;
        judge(name, id, plan, decidedAgain(pass, context, draws.again, [id, unanswered]));
        if (answer.state !== 'found' || !isOfAccount(id) || hasTwins(answer.value)) return plan;
        const inAnotherOrder = { ...answer, value: turned(answer.value) };
        judgeOrder(name, id, plan, decidedAgain(pass, context, draws.again, [id, inAnotherOrder]));
      } catch (error) {
        breaks(error);
      }
      return plan;
    },
  };
};

/** `onPass` is told of each pass; absent where nobody listens. */
export const judgedControllers = (
  breaks: (violation: unknown) => void,
  onPass?: (pass: Overheard) => void,
): Controller[] =>
  controllers.map((one) => {
    const controller = one as Controller;
    const own = judged(controller, breaks);
    return onPass ? overheard(controller, own, onPass) : own;
  });
