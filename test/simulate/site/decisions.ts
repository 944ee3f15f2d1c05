/**
 * Checks each controller's decisions. With one port answer made unreadable, the plan is a prefix of
 * the original plan. The order in which AWS lists resources does not matter. Equal inputs give
 * equal plans.
 */
import { isDeepStrictEqual } from 'node:util';
import { filledAnnotation } from '../../../kinds/common/filled.ts';
import { controllers } from '../../../kinds/controllers.ts';
import { machineUidTag } from '../../../kinds/infrastructure-aws/aws-machine/request.ts';
import { clusterUidTag, purposeTag, tagMap } from '../../../kinds/infrastructure-aws/engine/tags.ts';
import type { Tag } from '../../../kinds/ports/cloud/index.ts';
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

/** One pass in this many is decided again. */
const share = 4;

/** Controllers whose plan reports what they could not read. */
const telling = new Set(['workload-prober', 'prices', 'upgrade-checks']);
/** Ports that compute their answers locally and cannot fail. */
const own = new Set(['pki']);

const asks = 'ask ';

const unanswered: Read<never> = {
  state: 'unreadable',
  reason: 'RequestLimitExceeded: Request limit exceeded.',
};

/** Answers as the original reader, and records the answers. */
const keeping = (read: Reader, answers: Answers): Reader => {
  const kept = <T>(id: string, answer: Read<T>): Read<T> => {
    answers.set(id, answer);
    return answer;
  };
  return typedReader({
    get: (kind, key, of) => kept(`get ${JSON.stringify([kind, key])}`, read.get(kind, key, of)),
    tombstone: (kind, key) => kept(`tombstone ${JSON.stringify([kind, key])}`, read.tombstone(kind, key)),
    list: (kind, where) => kept(`list ${JSON.stringify([kind, where])}`, read.list(kind, where)),
    facts: (kind, where) => kept(`facts ${JSON.stringify([kind, where])}`, read.facts(kind, where)),
    ask: (port, operation, input) =>
      kept(`${asks}${JSON.stringify([port, operation, input])}`, read.ask(port, operation, input)),
  });
};

/** Answers from the record. A read that was not recorded is `unread`, and calls `onMore`. */
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

/** The ids of answered reads of ports that may fail. */
const askedOf = (answers: Answers): string[] =>
  [...answers].flatMap(([id, { state }]) => {
    if (!id.startsWith(asks) || state === 'unreadable') return [];
    const [port] = JSON.parse(id.slice(asks.length)) as [string];
    return own.has(port) ? [] : [id];
  });

/** Records the draws, and repeats them. */
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

/**
 * Patches of metadata or status, which may come in any order, and the leadership handover, which is
 * repeated at the deletion.
 */
const isAside = (action: Action): boolean => {
  if (action.do === 'call') return action.operation === 'etcdMoveLeader';
  if (action.do !== 'patch') return false;
  const { metadata, ...rest } = action.patch as { metadata?: object };
  const fields = [...Object.keys(rest), ...Object.keys(metadata ?? {})];
  return fields.every((field) => field === 'status' || field === 'annotations');
};
const stepsOf = ({ actions = [] }: AnyPlan): string[] =>
  actions.filter((action) => !isAside(action)).map((action) => JSON.stringify(action));

/** A deletion may finish without an unreadable Node once its timeout has passed. */
const mayFinish = (name: string, id: string) => name === 'machine' && id.includes('"kind":"Node"');

/** Only the step of kube-proxy itself depends on kube-proxy. */
const isOfKubeProxy = (text: string) =>
  text.includes('"kind":"DaemonSet","namespace":"kube-system","name":"kube-proxy"');

/** The read without long texts such as kubeconfigs. */
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
  const what = `${name} without an answer to ${shortly(id)}`;
  if (at >= 0) throw new Violation('decided', `${what} does ${others[at]}, not ${steps[at] ?? 'nothing'}`);
  if (without.finished && !plan.finished && !mayFinish(name, id)) throw new Violation('decided', `${what} finishes`);
};

/** The value with every list reversed. */
const turned = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(turned).reverse();
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, turned(field)]));
};
/** A canonical form that ignores the order of lists. */
const unordered = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map((one) => JSON.stringify(unordered(one))).sort();
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, unordered(field)]));
};
/**
 * The effects of a plan, without the order of actions and of tags in the annotation of defaulted
 * fields.
 */
const outcomeOf = ({ actions = [], events = [], intent, ...plan }: AnyPlan): Record<string, unknown> => {
  const { metadata, ...rest } = (intent ?? {}) as { metadata?: { annotations?: object } };
  const annotations = { ...metadata?.annotations, [filledAnnotation]: undefined };
  return { ...plan, ...rest, ...metadata, annotations, actions: unordered(actions), events: unordered(events) };
};
interface Listed {
  Tags?: Tag[];
  ResourceARN?: string;
}
/** The purpose of a resource by its tags; undefined when they do not tell. */
const purposeOf = ({ Tags, ResourceARN = '' }: Listed): string | undefined => {
  const tags = tagMap(Tags ?? []);
  const [purpose, machine] = [tags[purposeTag], tags[machineUidTag]];
  const [sort] = (ResourceARN.split(':')[5] ?? '').split('/');
  return (purpose ?? machine) && [sort, purpose, machine, tags[clusterUidTag]].join();
};
/**
 * Whether a list has duplicates that a frozen worker created. The controller may choose any of
 * them.
 */
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
  throw new Violation(
    'decided',
    `${name} depends on the order of ${shortly(id)}: ${field} becomes ${is} instead of ${was}`,
  );
};

interface Pass {
  object: KubeObject;
  context: Context;
  draws: ReturnType<typeof redrawn>;
  answers: Answers;
}

/** The controller, with its decisions checked; `breaks` receives violations. */
const judged = (controller: Controller, breaks: (violation: unknown) => void): Controller => {
  const { name, observe, reconcile } = controller;
  /** The current passes by their snapshots. */
  const passes = new WeakMap<object, Pass>();

  /** The plan for the changed answers; undefined when it needs further reads. */
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
    const observed = observe(object, read, { ...context, random: draws.again() });
    if (isMore) return undefined;
    return reconcile(observed, { ...deciding, random: again() });
  };

  return {
    ...controller,
    observe: (object, read, context) => {
      if (context.now % share !== 0) return observe(object, read, context);
      const answers: Answers = new Map();
      const draws = redrawn(context.random);
      const observed = observe(object, keeping(read, answers), { ...context, random: draws.first });
      if (typeof observed === 'object' && observed !== null) passes.set(observed, { object, context, draws, answers });
      return observed;
    },
    reconcile: (observed, context) => {
      const pass = passes.get(observed as object);
      if (!pass) return reconcile(observed, context);
      const draws = redrawn(context.random);
      const plan = reconcile(observed, { ...context, random: draws.first });
      try {
        const same = decidedAgain(pass, context, draws.again);
        if (!isDeepStrictEqual(same, plan))
          throw new Violation('decided', `${name} decides differently on equal inputs`);
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

/** `onPass` receives each pass; it is absent when no listener needs it. */
export const judgedControllers = (
  breaks: (violation: unknown) => void,
  onPass?: (pass: Overheard) => void,
): Controller[] =>
  controllers.map((one) => {
    const controller = one as Controller;
    const own = judged(controller, breaks);
    return onPass ? overheard(controller, own, onPass) : own;
  });
