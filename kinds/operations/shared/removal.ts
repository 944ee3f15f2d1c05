/** Waits until objects are gone. Pure. */
import type { LegacyCondition } from '../../../machinery/api/object.ts';
import { type Action, found } from '../../../machinery/api/reconcile.ts';
import type { OperationStatus } from '../cluster-operation/schema.ts';
import { obstacleTo, obstacleToMachine } from './cause.ts';
import { elapsedSince, running } from './clock.ts';
import type { Judgement } from './cluster-state.ts';
import { begun, decided, stepOf, waiting } from './progress.ts';
import type { OperationScope, Outcome } from './scope.ts';

/** Seconds between two describes of what is being deleted. */
export const pollInterval = 15;
/** Seconds for which a deletion error counts as transient. */
const transientTime = 120;
const limit = 1800;

/** Conditions of the infrastructure that block a deletion. */
const obstaclesIn = ({ clusterState }: OperationScope): LegacyCondition[] => {
  const infrastructure = clusterState.infrastructure && found(clusterState.infrastructure);
  const obstacles = [
    ...clusterState.infraMachines.map(obstacleToMachine),
    infrastructure && obstacleTo(infrastructure),
  ];
  return obstacles.flatMap((obstacle) => obstacle?.condition ?? []);
};

/** Seconds for which this step has had an Error; undefined while it has none. */
const refusedFor = (obstacles: readonly LegacyCondition[], inStep: number, now: number): number | undefined => {
  const errors = obstacles.filter(({ severity }) => severity === 'Error');
  const since = errors.map(({ lastTransitionTime }) => Date.parse(lastTransitionTime ?? '') || now);
  return since.length === 0 ? undefined : Math.min(inStep, (now - Math.min(...since)) / 1000);
};

export const deleteStranded = ({ clusterState: { stranded } }: OperationScope): { actions?: Action[] } =>
  stranded.length > 0 ? { actions: stranded } : {};

/** A task that waits until objects are gone. */
export interface Removal {
  name: string;
  /** Whether it proves that nothing is left, of which no event tells. */
  isProof: boolean;
  waiting: (status: OperationStatus, waitsFor: string) => string;
  /** The message while the operation is held. */
  held: (status: OperationStatus, waitsFor: string) => string;
}

export const waitForRemoval = (
  scope: OperationScope,
  status: OperationStatus,
  { name, isProof, ...messages }: Removal,
  waitsFor: string,
): Outcome => {
  const isHeld = status.phase === 'Held';
  const message = (isHeld ? messages.held : messages.waiting)(status, waitsFor);
  const next = { ...waiting(status, name, waitsFor), message };
  if (isHeld) return { status: next, ...deleteStranded(scope), requeueAfter: pollInterval };
  const inStep = elapsedSince(stepOf(status, name)?.started ?? '', status.clock, scope.now);
  const obstacles = obstaclesIn(scope);
  const refused = refusedFor(obstacles, inStep, scope.now);
  if (inStep >= limit || (refused !== undefined && refused >= transientTime)) {
    const stopped = decided(next, name, 'Refused', waitsFor, scope.now);
    return { status: stopped, answer: { error: 'StepRefused', cause: waitsFor } };
  }
  // A Warning can become an Error with the same message, and that change wakes no controller.
  const maybeRefused = obstacles.length > 0 ? Math.max(transientTime - inStep, pollInterval) : limit;
  const nextPoll = Math.min(limit - inStep, refused === undefined ? maybeRefused : transientTime - refused);
  return {
    status: next,
    ...deleteStranded(scope),
    requeueAfter: isProof ? Math.min(pollInterval, nextPoll) : nextPoll,
  };
};

export const judged = (
  scope: OperationScope,
  status: OperationStatus,
  removal: Removal,
  judgement: Judgement,
): Outcome => {
  const { name } = removal;
  switch (judgement.verdict) {
    case 'done':
      return { status: decided(status, name, 'Succeeded', undefined, scope.now), answer: { output: {} } };
    case 'pending':
      return waitForRemoval(scope, status, removal, judgement.waitsFor);
    case 'refused':
      return {
        status: decided(status, name, 'Refused', judgement.message, scope.now),
        answer: { error: 'StepRefused', cause: judgement.message },
      };
    default:
      throw new Error(`unknown judgement ${judgement satisfies never}`);
  }
};

/** Begins a step; a held operation stays held until nothing is left. */
export const entered = (status: OperationStatus, name: string, now: number): OperationStatus => {
  const step = begun(status, name, now);
  return status.phase === 'Held' ? step : { ...step, phase: 'Running', clock: running(status.clock, now) };
};
