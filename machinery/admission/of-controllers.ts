/** Admission of what a controller writes. */
import { type KindDefinition, storageVersion, type User } from '../api/kind.ts';
import type { KubeObject } from '../api/object.ts';
import { allowed } from '../server/rights.ts';
import type { Reviewer, Verdict } from './review.ts';
import { reviewOf } from './review-of.ts';

export interface ControllerWrite {
  object: KubeObject;
  current: KubeObject | undefined;
  user: User;
  now: () => number;
}

const longest = 30_000;

const reviewFor = (kind: KindDefinition, { object, current, user, now }: ControllerWrite) => {
  const began = now();
  return reviewOf({
    operation: current ? 'UPDATE' : 'CREATE',
    kind,
    version: storageVersion(kind),
    subresource: '',
    object,
    old: current,
    namespace: object.metadata.namespace ?? '',
    name: object.metadata.name,
    user,
    dryRun: false,
    options: { kind: current ? 'UpdateOptions' : 'CreateOptions', apiVersion: 'meta.k8s.io/v1' },
    authorize: () => allowed,
    timeLeft: () => began + longest - now(),
  });
};

const orRefused = <V extends Verdict>(verdict: V): V => {
  if (verdict.refusal) throw Object.assign(verdict.refusal, { consequence: 'retry' });
  return verdict;
};

/** The new object of a controller as users change it. Throws as the following. */
export const mutateOfController = async (
  reviewer: Reviewer,
  kind: KindDefinition,
  write: ControllerWrite,
): Promise<KubeObject> => orRefused(await reviewer.mutate(reviewFor(kind, write))).object!;

/**
 * Throws the refusal of a policy. The controller tries again: the policy may change, of which nothing
 * tells the controller.
 */
export const validateOfController = async (
  reviewer: Reviewer,
  kind: KindDefinition,
  write: ControllerWrite,
): Promise<void> => {
  orRefused(await reviewer.validate(reviewFor(kind, write)));
};
