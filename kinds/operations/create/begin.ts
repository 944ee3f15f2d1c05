/** Begins to create a cluster: once all that describes it is there, and again when it changes. Pure. */

import type { Plan } from '../../../machinery/api/reconcile.ts';
import { controllerOf } from '../../common/owners.ts';
import { isIncomplete } from '../../core/contract/description.ts';
import { findNamed } from '../../core/contract/named.ts';
import { operationAnnotations, policyAnnotations } from '../../core/contract/target.ts';
import type { ClusterOperation } from '../cluster-operation/schema.ts';
import type { Beginning } from '../shared/beginning.ts';
import { policyOf } from '../shared/policy.ts';
import { unclearedIn } from '../shared/proof.ts';
import { pollInterval } from '../shared/removal.ts';
import { annotationOf, begin, build, isNamed, isUnnamed, latestOf, nameAnew } from '../starter/current.ts';
import { fingerprintOf } from '../starter/fingerprint.ts';
import { newOperation } from '../starter/new-operation.ts';
import type { Observed } from '../starter/observe.ts';

/** Milliseconds for which more objects of the same manifest may follow. */
const applying = 2000;
/**
 * Seconds until all objects of the description are old enough that no more are expected; 0 if they
 * are.
 */
const applyingFor = ({ description }: Observed, now: number): number => {
  const made = description.objects.map(({ metadata }) => Date.parse(metadata.creationTimestamp ?? '') || 0);
  return Math.max(0, Math.max(...made) + applying - now) / 1000;
};

/**
 * The cluster had hosts or an initialized control plane before Capstan created anything: it was
 * moved in.
 */
const isAdopted = ({ cluster, machines }: Observed): boolean =>
  cluster.status?.initialization?.controlPlaneInitialized === true ||
  machines.some(({ spec }) => Boolean((spec as { providerID?: string } | undefined)?.providerID));

const isChanged = ({ cluster }: Observed, { spec }: ClusterOperation, fingerprint: string): boolean => {
  const retry = annotationOf(cluster, policyAnnotations.retry);
  return spec?.fingerprint !== fingerprint || (retry !== undefined && retry !== spec.retry);
};

/** The operation that would prove it is gone, so the objects must show that nothing is left. */
const isCleared = ({ cluster, description, machines }: Observed): boolean => {
  const value = findNamed(description.objects, cluster.spec?.infrastructureRef);
  const infrastructure = value && ({ state: 'found', value } as const);
  return unclearedIn({ cluster, infrastructure }).length === 0 && !machines.some(controllerOf);
};

/** Lets a teardown finish first, even if its operation was removed by force. */
const waitForTearDown = (snapshot: Observed): Plan | undefined => {
  const { cluster, operations } = snapshot;
  if (annotationOf(cluster, operationAnnotations.target) !== 'Nothing') return undefined;
  const named = operations.find((operation) => isNamed(cluster, operation));
  if (named) return named.status?.phase === 'TornDown' ? undefined : {};
  return isCleared(snapshot) ? undefined : { requeueAfter: pollInterval };
};

const operationOf = (snapshot: Observed, fingerprint: string, adopted: boolean): ClusterOperation => {
  const { deadline, onFailure } = policyOf(snapshot.cluster);
  return newOperation(snapshot, 'create', fingerprint, { adopted, policy: { deadline, onFailure } });
};

const reconcileCreate = (snapshot: Observed, now: number): Plan => {
  const { cluster, description, foreign } = snapshot;
  const latest = latestOf(snapshot, 'create');
  if (!latest && cluster.status?.initialization?.controlPlaneInitialized) return build(cluster);
  if (isIncomplete(description)) return {};
  const left = applyingFor(snapshot, now);
  if (left > 0) return { requeueAfter: left };
  const fingerprint = fingerprintOf(description.objects, foreign);
  const tearingDown = waitForTearDown(snapshot);
  if (tearingDown) return tearingDown;
  if (!latest) return begin(operationOf(snapshot, fingerprint, isAdopted(snapshot)));
  if (isChanged(snapshot, latest, fingerprint))
    return begin(operationOf(snapshot, fingerprint, latest.spec?.adopted ?? false));
  return isUnnamed(cluster, latest) ? nameAnew(latest) : {};
};

export const createBegins: Beginning = { of: 'new', begin: reconcileCreate };
