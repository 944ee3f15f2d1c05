/**
 * Decides when an upgrade of a cluster that was Available begins: when an object's spec asks for
 * other Machines than it has, and no operation has admitted or ended that revision. Pure.
 */

import type { Plan } from '../../../machinery/api/reconcile.ts';
import { digestOf } from '../../common/digest.ts';
import { type ObjectTargets, objectTargets } from '../../core/contract/object-targets.ts';
import { operationAnnotations, policyAnnotations } from '../../core/contract/target.ts';
import { isOver } from '../cluster-operation/ended.ts';
import type { ClusterOperation } from '../cluster-operation/schema.ts';
import type { Beginning } from '../shared/beginning.ts';
import { isComplete, type Rollout, runningVersionOf, upToDateOf, wantedVersionOf } from '../shared/rollouts.ts';
import { annotate, annotationOf, begin, isNamed, isUnnamed, latestOf } from '../starter/current.ts';
import { newOperation } from '../starter/new-operation.ts';
import type { Observed } from '../starter/observe.ts';
import { isRolledBack } from './objects.ts';
import { upgradePolicyOf } from './policy.ts';

/** Milliseconds for which more edits of the same change may follow. */
const applying = 2000;

/** Seconds; the longest timer that a controller sets. */
const day = 24 * 60 * 60;

/** A user asks for another attempt since that operation began. */
const isRetried = ({ cluster }: Observed, { spec }: ClusterOperation): boolean => {
  const retry = annotationOf(cluster, policyAnnotations.retry);
  return retry !== undefined && retry !== spec?.retry;
};

const covers = ({ spec }: ClusterOperation, { object, revision }: Rollout): boolean =>
  spec?.objects?.some(
    (one) => one.kind === object.kind && one.name === object.metadata.name && one.revision === revision,
  ) ?? false;

/** When the last Machine became outdated, in milliseconds; `now` while that is unknown. */
const changedAt = ({ outdated, ages }: Rollout, now: number): number => {
  if (ages !== undefined && ages <= now) return ages;
  const times = outdated.map((machine) => {
    const condition = upToDateOf(machine);
    return condition?.status === 'False' ? Date.parse(condition.lastTransitionTime ?? '') || now : now;
  });
  return Math.max(0, ...times);
};

const isSetBackFrom = ({ cluster }: Observed, { metadata }: ClusterOperation): boolean =>
  annotationOf(cluster, operationAnnotations.setBackFrom) === metadata.name;

/**
 * Notes that the specs were set back after an upgrade that did not succeed, and forgets what it rolled back: the same
 * revision may be asked for again.
 */
const afterSetBack = (snapshot: Observed, latest: ClusterOperation): Plan | undefined => {
  const { cluster, rollouts } = snapshot;
  const { phase } = latest.status ?? {};
  if (phase === 'Succeeded' || !(isOver(latest) || phase === 'Held') || isSetBackFrom(snapshot, latest))
    return undefined;
  const own = rollouts.filter(({ object }) =>
    latest.spec?.objects?.some(({ kind, name }) => kind === object.kind && name === object.metadata.name),
  );
  if (own.length === 0 || own.some((one) => covers(latest, one) || !isComplete(one))) return undefined;
  const keys = own.map(({ key }) => key);
  const kept = Object.entries(objectTargets(cluster)).filter(([key]) => !keys.includes(key));
  return annotate({
    [operationAnnotations.setBackFrom]: latest.metadata.name,
    [operationAnnotations.objectTargets]: kept.length > 0 ? JSON.stringify(Object.fromEntries(kept)) : null,
  });
};

const isToBegin = (
  snapshot: Observed,
  latest: ClusterOperation | undefined,
  candidates: readonly Rollout[],
): boolean => {
  if (candidates.length === 0) return false;
  if (!latest || isSetBackFrom(snapshot, latest) || candidates.some((one) => !covers(latest, one))) return true;
  const { phase } = latest.status ?? {};
  // The same revision again: time has made its Machines outdated.
  if (phase === 'Succeeded') return true;
  return (isOver(latest) || phase === 'Held') && isRetried(snapshot, latest);
};

const beginning = (snapshot: Observed, rollouts: readonly Rollout[]): Plan => {
  const objects = rollouts.map((rollout) => {
    const { object, revision } = rollout;
    const [from, to] = [runningVersionOf(rollout), wantedVersionOf(rollout)];
    return { kind: object.kind, name: object.metadata.name, revision, ...(from && { from }), ...(to && { to }) };
  });
  const fingerprint = digestOf(objects.map(({ kind, name, revision }) => [kind, name, revision]));
  const { deadline, onFailure } = upgradePolicyOf(snapshot.cluster, rollouts);
  return begin(
    newOperation(snapshot, 'upgrade', fingerprint, { objects, policy: { deadline: `${deadline}s`, onFailure } }),
  );
};

/** After a success nothing needs to be admitted, also if its workflow did not record the success. */
const withoutAdmissions = ({ cluster }: Observed, latest: ClusterOperation): Plan | undefined => {
  const all = Object.entries(objectTargets(cluster) as ObjectTargets);
  const kept = all.filter(([, { target }]) => target === 'RollBack');
  if (latest.status?.phase !== 'Succeeded' || kept.length === all.length) return undefined;
  const value = kept.length > 0 ? JSON.stringify(Object.fromEntries(kept)) : null;
  return annotate({ [operationAnnotations.objectTargets]: value });
};

/** A create, for instance, still records its end. */
const isAnotherRunning = ({ cluster, operations }: Observed): boolean =>
  operations.some((one) => isNamed(cluster, one) && one.spec?.type !== 'upgrade' && !isOver(one));

/** Wakes for the next rollout that time alone begins. */
const untilAged = (rollouts: readonly Rollout[], now: number): Plan | undefined => {
  const times = rollouts.flatMap(({ ages }) => (ages !== undefined && ages > now ? [ages] : []));
  return times.length > 0 ? { requeueAfter: Math.min(day, Math.ceil((Math.min(...times) - now) / 1000)) } : undefined;
};

/** Undefined if there is nothing to do. */
const reconcileUpgrade = (snapshot: Observed, now: number): Plan | undefined => {
  const { cluster, rollouts } = snapshot;
  if (isAnotherRunning(snapshot)) return undefined;
  const latest = latestOf(snapshot, 'upgrade');
  const retried = latest !== undefined && isRetried(snapshot, latest);
  const candidates = rollouts.filter(
    (one) => one.takesPart && one.isOutdated && (retried || !isRolledBack(cluster, one)),
  );
  if (isToBegin(snapshot, latest, candidates)) {
    const left = Math.max(...candidates.map((one) => changedAt(one, now))) + applying - now;
    // An owner that has not seen its spec yet may find that nothing is outdated.
    const wait = candidates.every(({ isObserved }) => isObserved) ? left : Math.max(left, applying);
    return wait > 0 ? { requeueAfter: wait / 1000 } : beginning(snapshot, candidates);
  }
  if (!latest) return untilAged(rollouts, now);
  // The target of the cluster stays as it is: it was Available.
  if (isUnnamed(cluster, latest)) return annotate({ [operationAnnotations.operation]: latest.metadata.name });
  return withoutAdmissions(snapshot, latest) ?? afterSetBack(snapshot, latest) ?? untilAged(rollouts, now);
};

export const upgradeBegins: Beginning = { of: 'available', begin: reconcileUpgrade };
