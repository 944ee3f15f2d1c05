/** Classifies how two decisions differ: in actions, in facts, or in condition messages only. */

import { sameFacts } from '../../../machinery/api/facts.ts';
import { equal } from '../../../machinery/api/merge.ts';
import type { AnyPlan } from '../../../machinery/api/reconcile.ts';
import type { Decision } from './overhear.ts';

const deeds = ['actions', 'intent', 'finished', 'answers'] as const;

const done = (plan: AnyPlan | undefined): unknown => {
  const { actions = [] } = plan ?? {};
  return plan && [actions, ...deeds.slice(1).map((deed) => plan[deed])];
};

export type Difference = 'deeds' | 'facts' | 'messages';

/** `notes`: of the kind whose status is decided. */
export const difference = (one: Decision, other: Decision, notes?: readonly string[]): Difference | undefined => {
  if (one.paused !== other.paused || !equal(done(one.plan), done(other.plan))) return 'deeds';
  if (!equal(one.unanswered, other.unanswered)) return 'deeds';
  if (!sameFacts(one.plan?.status, other.plan?.status, notes)) return 'facts';
  return equal(one.plan?.status, other.plan?.status) ? undefined : 'messages';
};
