/** What a step of a control plane returns: what it does, or what it waits for. */
import type { Action, Context, MergePatch, Plan } from '../../../machinery/api/reconcile.ts';
import type { ControlPlane } from './control-plane.ts';

/** The status reports what it waits for, so that no step can wait without a reason. */
export interface Waiting extends Pick<Plan, 'actions' | 'events' | 'requeueAfter'> {
  waitsFor: string[];
  intent?: never;
}

interface Doing extends Plan {
  waitsFor?: never;
}

export type StepPlan = Waiting | (Doing & ({ actions: Action[] } | { intent: MergePatch }));

/** Undefined: there is nothing to do, and the next step may begin. */
export type Step = (controlPlane: ControlPlane, context: Context) => StepPlan | undefined;

/** `requeueAfter` in seconds; without it, an event announces the end of the wait. */
export const waitFor = (waitsFor: string, requeueAfter?: number): Waiting => ({
  waitsFor: [waitsFor],
  ...(requeueAfter !== undefined && { requeueAfter }),
});
