/** Decides when an operation of a Cluster begins. Pure. */
import { createHash } from 'node:crypto';
import type { Action, Context, Plan } from '../../../machinery/api/reconcile.ts';
import { found } from '../../../machinery/api/reconcile.ts';
import { controllerOf, deletionOf } from '../../common/owners.ts';
import type { Cluster } from '../../core/cluster/index.ts';
import { isIncomplete } from '../../core/contract/description.ts';
import { isDeleting } from '../../core/contract/machines.ts';
import { operationAnnotations, policyAnnotations, wasAvailable } from '../../core/contract/target.ts';
import { isOver } from '../cluster-operation/ended.ts';
import type { ClusterOperation } from '../cluster-operation/schema.ts';
import { unclearedIn } from '../shared/proof.ts';
import { pollInterval } from '../shared/removal.ts';
import { annotate, annotationOf, begin, isNamed, isUnnamed, latestOf, ownOperations } from './current.ts';
import { fingerprintOf } from './fingerprint.ts';
import { newOperation } from './new-operation.ts';
import type { Snapshot } from './observe.ts';
import { reconcileRestore } from './restore.ts';
import { reconcileUpgrade } from './upgrade.ts';

/** Milliseconds for which more objects of the same manifest may follow. */
const applying = 2000;
/** How many ended operations to keep. */
const kept = 5;

/** Names the operation and clears the previous operation's target in one conditional write. */
const name = ({ metadata }: ClusterOperation): Plan =>
  annotate({ [operationAnnotations.operation]: metadata.name, [operationAnnotations.target]: null });

const prune = (snapshot: Snapshot): Action[] => {
  const age = ({ metadata, spec }: ClusterOperation) => `${metadata.creationTimestamp ?? ''} ${spec?.attempt}`;
  return ownOperations(snapshot)
    .filter((operation) => isOver(operation) && !isNamed(snapshot.cluster, operation) && !isDeleting(operation))
    .toSorted((a, b) => (age(a) < age(b) ? 1 : -1))
    .slice(kept)
    .map(deletionOf);
};

/** A delete does not depend on the cluster's description. */
const deletionFingerprint = ({ metadata }: Cluster): string =>
  createHash('sha256')
    .update(metadata.uid ?? '')
    .digest('hex')
    .slice(0, 16);

const reconcileDelete = (snapshot: Snapshot): Plan => {
  const { cluster, namespace } = snapshot;
  const terminating = namespace.state === 'absent' || (found(namespace) && isDeleting(found(namespace)!));
  if (terminating) return { finished: true };
  const latest = latestOf(snapshot, 'delete');
  if (!latest || latest.status?.phase === 'Cancelled') {
    const region = latestOf(snapshot, 'create')?.spec?.region;
    return begin(newOperation(snapshot, 'delete', deletionFingerprint(cluster), { ...(region && { region }) }));
  }
  if (isUnnamed(cluster, latest)) return name(latest);
  return latest.status?.phase === 'Succeeded' ? { finished: true } : {};
};

/**
 * Seconds until all objects of the description are old enough that no more are expected; 0 if they
 * are.
 */
const applyingFor = ({ description }: Snapshot, now: number): number => {
  const made = description.objects.map(({ metadata }) => Date.parse(metadata.creationTimestamp ?? '') || 0);
  return Math.max(0, Math.max(...made) + applying - now) / 1000;
};

/**
 * The cluster had hosts or an initialized control plane before Capstan created anything: it was
 * moved in.
 */
const isAdopted = ({ cluster, machines }: Snapshot): boolean =>
  cluster.status?.initialization?.controlPlaneInitialized === true ||
  machines.some(({ spec }) => Boolean((spec as { providerID?: string } | undefined)?.providerID));

const isChanged = ({ cluster }: Snapshot, { spec }: ClusterOperation, fingerprint: string): boolean => {
  const retry = annotationOf(cluster, policyAnnotations.retry);
  return spec?.fingerprint !== fingerprint || (retry !== undefined && retry !== spec.retry);
};

/** The operation that would prove it is gone, so the objects must show that nothing is left. */
const isCleared = ({ cluster, description, machines }: Snapshot): boolean => {
  const { kind } = cluster.spec?.infrastructureRef ?? {};
  const value = description.objects.find((object) => object.kind === kind);
  const infrastructure = value && ({ state: 'found', value } as const);
  return unclearedIn({ cluster, infrastructure }).length === 0 && !machines.some(controllerOf);
};

/** Lets a teardown finish first, even if its operation was removed by force. */
const waitForTearDown = (snapshot: Snapshot): Plan | undefined => {
  const { cluster, operations } = snapshot;
  if (annotationOf(cluster, operationAnnotations.target) !== 'Nothing') return undefined;
  const named = operations.find((operation) => isNamed(cluster, operation));
  if (named) return named.status?.phase === 'TornDown' ? undefined : {};
  return isCleared(snapshot) ? undefined : { requeueAfter: pollInterval };
};

const build = (cluster: Cluster): Plan =>
  annotationOf(cluster, operationAnnotations.target) === 'Build'
    ? {}
    : annotate({ [operationAnnotations.target]: 'Build' });

const reconcileCreate = (snapshot: Snapshot, now: number): Plan => {
  const { cluster, description, foreign } = snapshot;
  const latest = latestOf(snapshot, 'create');
  if (wasAvailable(cluster))
    return { ...build(cluster), ...(reconcileRestore(snapshot) ?? reconcileUpgrade(snapshot, now)) };
  if (!latest && cluster.status?.initialization?.controlPlaneInitialized) return build(cluster);
  if (isIncomplete(description)) return {};
  const left = applyingFor(snapshot, now);
  if (left > 0) return { requeueAfter: left };
  const fingerprint = fingerprintOf(description.objects, foreign);
  const tearingDown = waitForTearDown(snapshot);
  if (tearingDown) return tearingDown;
  if (!latest) return begin(newOperation(snapshot, 'create', fingerprint, { adopted: isAdopted(snapshot) }));
  if (isChanged(snapshot, latest, fingerprint))
    return begin(newOperation(snapshot, 'create', fingerprint, { adopted: latest.spec?.adopted ?? false }));
  return isUnnamed(cluster, latest) ? name(latest) : {};
};

export const reconcile = (snapshot: Snapshot, { config, now }: Context): Plan => {
  const { cluster } = snapshot;
  if (config.workflows !== true) return isDeleting(cluster) ? { finished: true } : {};
  if (isDeleting(cluster)) return reconcileDelete(snapshot);
  const plan = reconcileCreate(snapshot, now);
  const actions = [...prune(snapshot), ...(plan.actions ?? [])];
  return { ...plan, ...(actions.length > 0 && { actions }) };
};
