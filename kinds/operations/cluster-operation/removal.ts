/** Waiting until something is gone: the steps of a deletion, and tearing down. Pure. */
import type { LegacyCondition } from '../../../machinery/api/object.ts';
import { type Action, found } from '../../../machinery/api/reconcile.ts';
import { elapsedSince, running } from './clock.ts';
import { begun, type Course, decided, onwards, stepOf, waiting } from './progress.ts';
import { everAvailable, moveTarget, type Outcome, type Scene, writtenTarget } from './scene.ts';
import type { OperationStatus } from './schema.ts';
import { heldInDeletion, heldInTearDown, tearingDown } from './sentences.ts';
import { withStays } from './stays.ts';
import { obstacleTo, obstacleToMachine } from './steps/cause.ts';
import { type DeleteStep, deleteSteps, judgeDelete, judgeTearDown } from './steps/delete.ts';
import type { Judgement } from './steps/situation.ts';

/** Seconds between two looks at what the cloud has yet to forget. */
export const lookAgain = 15;
/** Seconds for which an error of a deletion is a passing one. */
const patience = 120;
const limit = 1800;
/** Seconds in which what was under way when a target moved has shown itself. */
const settling = 10;

/** What the infrastructure reports against a deletion. */
const obstaclesIn = ({ situation }: Scene): LegacyCondition[] => {
  const infrastructure = situation.infrastructure && found(situation.infrastructure);
  const obstacles = [...situation.infraMachines.map(obstacleToMachine), infrastructure && obstacleTo(infrastructure)];
  return obstacles.flatMap((obstacle) => obstacle?.condition ?? []);
};

/** Seconds since one of them is more than a passing one, in this step; undefined while none is. */
const refusedFor = (obstacles: readonly LegacyCondition[], inStep: number, now: number): number | undefined => {
  const errors = obstacles.filter(({ severity }) => severity === 'Error');
  const since = errors.map(({ lastTransitionTime }) => Date.parse(lastTransitionTime ?? '') || now);
  return since.length === 0 ? undefined : Math.min(inStep, (now - Math.min(...since)) / 1000);
};

export const takeAway = ({ situation: { stranded } }: Scene): { actions?: Action[] } =>
  stranded.length > 0 ? { actions: stranded } : {};

const wait = (scene: Scene, status: OperationStatus, name: string, waitsFor: string): Outcome => {
  const isTearDown = name === 'TearDown';
  const isHeld = status.phase === 'Held';
  const message = isHeld
    ? isTearDown
      ? heldInTearDown(status, waitsFor)
      : heldInDeletion(waitsFor)
    : isTearDown
      ? tearingDown(status, waitsFor)
      : `${name}: ${waitsFor}`;
  const next = { ...waiting(status, name, waitsFor), message };
  if (isHeld) return { status: next, ...takeAway(scene), requeueAfter: lookAgain };
  const inStep = elapsedSince(stepOf(status, name)?.started ?? '', status.clock, scene.now);
  const obstacles = obstaclesIn(scene);
  const refused = refusedFor(obstacles, inStep, scene.now);
  if (inStep >= limit || (refused !== undefined && refused >= patience)) {
    const stopped = decided(next, name, 'Refused', waitsFor, scene.now);
    return { status: stopped, told: { error: 'StepRefused', cause: waitsFor } };
  }
  // A Warning that becomes an Error says so in the same words, and wakes nobody.
  const maybeRefused = obstacles.length > 0 ? Math.max(patience - inStep, lookAgain) : limit;
  const nextLook = Math.min(limit - inStep, refused === undefined ? maybeRefused : patience - refused);
  const isProof = isTearDown || name === 'Prove';
  return { status: next, ...takeAway(scene), requeueAfter: isProof ? Math.min(lookAgain, nextLook) : nextLook };
};

const judged = (scene: Scene, status: OperationStatus, name: string, judgement: Judgement): Outcome => {
  switch (judgement.verdict) {
    case 'done':
      return { status: decided(status, name, 'Succeeded', undefined, scene.now), told: { output: {} } };
    case 'pending':
      return wait(scene, status, name, judgement.waitsFor);
    case 'refused':
      return {
        status: decided(status, name, 'Refused', judgement.message, scene.now),
        told: { error: 'StepRefused', cause: judgement.message },
      };
    default:
      throw new Error(`unknown judgement ${judgement satisfies never}`);
  }
};

/** One that is on hold stays so until nothing is left. */
const entered = (status: OperationStatus, name: string, now: number): OperationStatus => {
  const step = begun(status, name, now);
  return status.phase === 'Held' ? step : { ...step, phase: 'Running', clock: running(status.clock, now) };
};

const courseOf = ({ situation, now }: Scene): Course<DeleteStep> => ({
  steps: deleteSteps,
  judge: (step) => judgeDelete[step](situation),
  enter: (status, step) => entered(status, step, now),
  wait: (status, step, waitsFor) => ({ ...waiting(status, step, waitsFor), message: `${step}: ${waitsFor}` }),
  now,
});

export const deleteTask = (scene: Scene, status: OperationStatus, name: DeleteStep): Outcome => {
  const judgement = judgeDelete[name](scene.situation);
  const noted = withStays(entered(status, name, scene.now), scene.situation);
  const outcome = judged(scene, noted, name, judgement);
  // One that is on hold takes its steps as the workflow comes to them.
  if (judgement.verdict !== 'done' || outcome.status.phase === 'Held') return outcome;
  return { ...outcome, status: onwards(courseOf(scene), outcome.status, name) };
};

/** A cluster that was ever Available, or was there before Capstan, is not torn down whatever led here. */
export const isSafeFromTearDown = ({ cluster, spec }: Pick<Scene, 'cluster' | 'spec'>): boolean =>
  everAvailable(cluster) || spec.adopted === true;

/** What was being bought when the target moved shows only a moment later. */
const isSettled = (status: OperationStatus, now: number): boolean => {
  const wasAdmitted = stepOf(status, 'Preflight')?.verdict === 'Succeeded';
  const started = stepOf(status, 'TearDown')?.started ?? '';
  return !wasAdmitted || now - Date.parse(started) >= settling * 1000;
};

export const tearDownTask = (scene: Scene, before: OperationStatus): Outcome => {
  const name = 'TearDown';
  const { deadline: _, late: __, ...rest } = before;
  const status = entered(rest, name, scene.now);
  const actions = moveTarget(scene, 'Nothing');
  const waiting = 'waiting for the teardown to begin';
  if (writtenTarget(scene.cluster) !== 'Nothing') return { ...wait(scene, status, name, waiting), actions };
  const judgement = judgeTearDown(scene.situation);
  if (judgement.verdict === 'done' && !isSettled(status, scene.now)) return wait(scene, status, name, waiting);
  return judged(scene, status, name, judgement);
};

/** Whether nothing is wanted of the cluster, so that what is on hold ends when nothing is left. */
export const endsByItself = ({ spec, cluster }: Pick<Scene, 'spec' | 'cluster'>): boolean =>
  spec.type === 'delete' || writtenTarget(cluster) === 'Nothing';

/** Of one on hold that no workflow waits for: whether what it was about has come true. */
export const proofOf = ({ situation, spec }: Scene): Judgement =>
  spec.type === 'delete' ? judgeDelete.Prove(situation) : judgeTearDown(situation);
