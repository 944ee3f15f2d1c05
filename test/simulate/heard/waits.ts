/**
 * Checks that no controller waits without a reason. Each pass that acted is decided again with each
 * of its reads through a port unreadable, and with each object of a workload cluster absent. If it
 * then does nothing, a condition must repeat why, or name the object.
 */
import type { AnyPlan, Failure, Read } from '../../../machinery/api/reconcile.ts';
import type { World } from '../site.ts';
import type { Listening } from './listen.ts';
import { type Decision, decideIn, type Pass, type Sight } from './overhear.ts';

/** The number of passes of one controller that are decided again without one kind of read. */
const tries = 8;
const why = 'planted: it does not answer';

const acts = ({ plan }: Decision): boolean => {
  const { actions = [], intent, finished = false, released } = plan ?? {};
  return actions.length > 0 || intent !== undefined || finished || released !== undefined;
};

const says = ({ status = {} }: AnyPlan, text: string): boolean => JSON.stringify(status).includes(text);

interface Input {
  kind?: string;
  name?: string;
}
/** Answers that a read may have instead of the found one, with what a condition must then contain. */
const otherAnswers = (operation: string, { name }: Input): { answer: Read<never>; says: string }[] => [
  { answer: { state: 'unreadable', reason: why }, says: why },
  ...(operation === 'get' && name ? [{ answer: { state: 'absent' } as const, says: name }] : []),
];

export interface Waits extends Listening {
  /** Each wait without a reason: the controller and the read. */
  silent(): readonly string[];
  /** Controllers and reads that were tried. */
  tried(): readonly string[];
}

export const listenToWaits = ({ mirror, clock }: World): Waits => {
  const counts = new Map<string, number>();
  const silent = new Set<string>();
  const sight: Sight = {
    get: (kind, { namespace = '', name }) => mirror.get(kind, namespace, name),
    all: (kind) => mirror.all(kind),
  };
  const decide = (pass: Pass): Decision => decideIn(sight, pass, clock.now());

  const isSilent = (pass: Pass, answer: Read<never>, text: string, [port, operation]: [string, string]): boolean => {
    const decision = decide(pass);
    if (acts(decision) || !decision.plan || decision.plan.again) return false;
    if (says(decision.plan, text)) return false;
    // Without a timer of its own the pass fails, and the next one knows why.
    if (decision.plan.requeueAfter !== undefined || answer.state === 'absent') return true;
    const lastFailure: Failure = { port, operation, code: 'Unreachable', message: why, at: clock.now() };
    const next = decide({ ...pass, context: { ...pass.context, lastFailure } });
    return !acts(next) && !(next.plan && says(next.plan, text));
  };

  return {
    onPass: (pass) => {
      const base = decide(pass);
      if (!acts(base) || base.unanswered.length > 0) return;
      for (const [id, answer] of pass.answers) {
        if (answer.state !== 'found' || !id.startsWith('ask ')) continue;
        const [port, operation, input] = JSON.parse(id.slice(4)) as [string, string, Input];
        const read = [port, operation, input.kind, input.kind && input.name].filter(Boolean).join(' ');
        const what = `${pass.controller.name}: ${read}`;
        const count = counts.get(what) ?? 0;
        if (count >= tries) continue;
        counts.set(what, count + 1);
        for (const other of otherAnswers(operation, input)) {
          const answers = new Map(pass.answers).set(id, other.answer);
          if (isSilent({ ...pass, answers }, other.answer, other.says, [port, operation]))
            silent.add(`${what} is ${other.answer.state}`);
        }
      }
    },
    onCommit: () => {},
    whenIdle: async () => {},
    gaps: async () => [],
    silent: () => [...silent].sort(),
    tried: () => [...counts.keys()].sort(),
  };
};
