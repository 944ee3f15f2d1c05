/** pods/eviction: ends a pod unless a disruption budget needs it. */
import { ApiError, notFound } from '../../../machinery/api/errors.ts';
import type { KubeObject, ObjectKey } from '../../../machinery/api/object.ts';
import type { Subresource } from '../../../machinery/server/registry.ts';
import type { Store } from '../../../machinery/store/store.ts';
import { budgetStatus, ownerTypes } from '../controllers/disruption-budgets.ts';
import { type DisruptionBudgetObject, isPodReady, type PodObject, selects, withCondition } from '../objects.ts';
import { terminating } from '../world.ts';

const success = {
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Success',
  code: 201,
} as unknown as KubeObject;

const tooMany = (budget: string, needed: number, healthy: number): ApiError =>
  new ApiError(429, 'TooManyRequests', "Cannot evict pod as it would violate the pod's disruption budget.", {
    causes: [
      {
        reason: 'DisruptionBudget',
        message: `The disruption budget ${budget} needs ${needed} healthy pods and has ${healthy} currently`,
      },
    ],
  });

/** Throws 429 if a budget forbids the eviction. */
const checkBudgets = async (store: Store, pod: PodObject, now: number): Promise<void> => {
  const { namespace = '' } = pod.metadata;
  const { objects } = await store.list('poddisruptionbudgets.policy', { namespace });
  const budgets = (objects as DisruptionBudgetObject[]).filter(({ spec }) =>
    selects(spec?.selector, pod.metadata.labels),
  );
  if (budgets.length > 1)
    throw new ApiError(
      500,
      'InternalError',
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    );
  const [budget] = budgets;
  // An unready Pod does not count towards a healthy budget.
  if (!budget) return;
  const pods = (await store.list('pods', { namespace })).objects as PodObject[];
  const owners = new Map<string, KubeObject>();
  for (const type of ownerTypes)
    for (const owner of (await store.list(type, { namespace })).objects) owners.set(owner.metadata.uid ?? '', owner);
  const { currentHealthy = 0, desiredHealthy = 0, disruptionsAllowed = 0 } = budgetStatus(budget, pods, owners, now);
  if (!isPodReady(pod) && currentHealthy >= desiredHealthy && desiredHealthy > 0) return;
  if (disruptionsAllowed <= 0) throw tooMany(budget.metadata.name, desiredHealthy, currentHealthy);
};

/** By this condition others tell an evicted pod from one that was deleted. */
const targeted = (pod: PodObject, now: number): PodObject => {
  const target = {
    type: 'DisruptionTarget',
    status: 'True' as const,
    reason: 'EvictionByEvictionAPI',
    message: 'Eviction API: evicting',
  };
  return { ...pod, status: { ...pod.status, conditions: withCondition(pod.status?.conditions, target, now) } };
};

interface EvictionBody {
  deleteOptions?: { gracePeriodSeconds?: number; dryRun?: string[]; preconditions?: { uid?: string } };
}

export const evictionOf = (): Subresource => {
  // Evictions are decided one after another, so that two cannot both take the last pod a budget can spare.
  let last: Promise<unknown> = Promise.resolve();
  const evict = async (store: Store, key: ObjectKey, body: EvictionBody, now: number): Promise<KubeObject> => {
    const pod = (await store.get('pods', key)) as PodObject | undefined;
    if (!pod) throw notFound({ group: '', plural: 'pods' }, key.name);
    const { gracePeriodSeconds, dryRun, preconditions } = body.deleteOptions ?? {};
    if (preconditions?.uid && preconditions.uid !== pod.metadata.uid)
      throw new ApiError(
        409,
        'Conflict',
        `Operation cannot be fulfilled on pods "${key.name}": the UID in the precondition does not match`,
      );
    const { phase } = pod.status ?? {};
    const isFree = phase === 'Pending' || phase === 'Succeeded' || phase === 'Failed' || pod.metadata.deletionTimestamp;
    if (!isFree) await checkBudgets(store, pod, now);
    if (dryRun?.length) return success;
    await store.commit('pods', key, (current) => {
      if (!current) throw notFound({ group: '', plural: 'pods' }, key.name);
      if (current.metadata.deletionTimestamp) return { do: 'nothing', object: current };
      const object = current as PodObject;
      return object.spec?.nodeName
        ? { do: 'put', object: terminating(targeted(object, now), now, gracePeriodSeconds) }
        : { do: 'remove', object };
    });
    return success;
  };
  return {
    kind: 'Eviction',
    group: 'policy',
    version: 'v1',
    verbs: ['create'],
    handle: (call, key, body) => {
      const mine = last.then(() =>
        evict(call.server.store, key, (body ?? {}) as EvictionBody, call.server.clock.now()),
      );
      last = mine.catch(() => undefined);
      return mine;
    },
  };
};
