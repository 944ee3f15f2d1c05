/** When which operation of a Cluster begins. Pure. */
import { createHash } from 'node:crypto';
import type { Action, Context, MergePatch, Plan } from '../../../machinery/api/reconcile.ts';
import { found } from '../../../machinery/api/reconcile.ts';
import { controllerOf, deletionOf } from '../../common/owners.ts';
import type { Cluster } from '../../core/cluster/index.ts';
import { isDeleting } from '../../core/contract/machines.ts';
import type { OperationType } from '../../core/contract/operation.ts';
import { operationAnnotations, policyAnnotations, wasAvailable } from '../../core/contract/target.ts';
import { isOperationOf } from '../cluster-operation/owner.ts';
import { isOver } from '../cluster-operation/past.ts';
import type { ClusterOperation } from '../cluster-operation/schema.ts';
import { unclearedIn } from '../shared/proof.ts';
import { lookAgain } from '../shared/removal.ts';
import { fingerprintOf } from './fingerprint.ts';
import { newOperation } from './new-operation.ts';
import type { Snapshot } from './observe.ts';

/** Milliseconds in which the rest of a manifest may still be on its way. */
const applying = 2000;
/** Of those that are over. */
const kept = 5;

const attemptOf = ({ spec }: ClusterOperation): number => spec?.attempt ?? 0;

const ownOperations = ({ cluster, operations }: Snapshot): ClusterOperation[] =>
  operations.filter((operation) => isOperationOf(operation, cluster));

const latestOf = (snapshot: Snapshot, type: OperationType): ClusterOperation | undefined =>
  ownOperations(snapshot)
    .filter(({ spec }) => spec?.type === type)
    .toSorted((a, b) => attemptOf(a) - attemptOf(b))
    .at(-1);

const annotationOf = ({ metadata }: Cluster, name: string): string | undefined => metadata.annotations?.[name];
const annotate = (annotations: Record<string, string | null>): { intent: MergePatch } => ({
  intent: { metadata: { annotations } },
});

const begin = (operation: ClusterOperation): Plan => ({ actions: [{ do: 'create', object: operation }], again: true });

/** Compare-and-set: what the operation before made of the target ends in the same write. */
const name = ({ metadata }: ClusterOperation): Plan =>
  annotate({ [operationAnnotations.operation]: metadata.name, [operationAnnotations.target]: null });

const isNamed = (cluster: Cluster, { metadata }: ClusterOperation): boolean =>
  annotationOf(cluster, operationAnnotations.operation) === metadata.name;

/** Begun, but its Cluster does not say so yet. */
const isUnnamed = (cluster: Cluster, operation: ClusterOperation): boolean =>
  !isNamed(cluster, operation) && !isOver(operation) && operation.status?.execution === undefined;

const prune = (snapshot: Snapshot): Action[] => {
  const age = ({ metadata, spec }: ClusterOperation) => `${metadata.creationTimestamp ?? ''} ${spec?.attempt}`;
  return ownOperations(snapshot)
    .filter((operation) => isOver(operation) && !isNamed(snapshot.cluster, operation) && !isDeleting(operation))
    .toSorted((a, b) => (age(a) < age(b) ? 1 : -1))
    .slice(kept)
    .map(deletionOf);
};

/** Nothing of a deletion depends on what the cluster was to be. */
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

/** Seconds until nothing of the description is so young that more may follow; 0 when that is so. */
const applyingFor = ({ description }: Snapshot, now: number): number => {
  const made = description.objects.map(({ metadata }) => Date.parse(metadata.creationTimestamp ?? '') || 0);
  return Math.max(0, Math.max(...made) + applying - now) / 1000;
};

/** Machines that stand, or an API that answered, before anything was made here: moved in from elsewhere. */
const isAdopted = ({ cluster, machines }: Snapshot): boolean =>
  cluster.status?.initialization?.controlPlaneInitialized === true ||
  machines.some(({ spec }) => Boolean((spec as { providerID?: string } | undefined)?.providerID));

const isChanged = ({ cluster }: Snapshot, { spec }: ClusterOperation, fingerprint: string): boolean => {
  const retry = annotationOf(cluster, policyAnnotations.retry);
  return spec?.fingerprint !== fingerprint || (retry !== undefined && retry !== spec.retry);
};

/** What nobody proves any more: its objects tell, once nothing of it is left. */
const isCleared = ({ cluster, description, machines }: Snapshot): boolean => {
  const { kind } = cluster.spec?.infrastructureRef ?? {};
  const value = description.objects.find((object) => object.kind === kind);
  const infrastructure = value && ({ state: 'found', value } as const);
  return unclearedIn({ cluster, infrastructure }).length === 0 && !machines.some(controllerOf);
};

/** What is being undone is undone first, also when its operation was removed by force. */
const waitForTearDown = (snapshot: Snapshot): Plan | undefined => {
  const { cluster, operations } = snapshot;
  if (annotationOf(cluster, operationAnnotations.target) !== 'Nothing') return undefined;
  const named = operations.find((operation) => isNamed(cluster, operation));
  if (named) return named.status?.phase === 'TornDown' ? undefined : {};
  return isCleared(snapshot) ? undefined : { requeueAfter: lookAgain };
};

const build = (cluster: Cluster): Plan =>
  annotationOf(cluster, operationAnnotations.target) === 'Build'
    ? {}
    : annotate({ [operationAnnotations.target]: 'Build' });

const reconcileCreate = (snapshot: Snapshot, now: number): Plan => {
  const { cluster, description } = snapshot;
  const latest = latestOf(snapshot, 'create');
  if (wasAvailable(cluster) || (!latest && cluster.status?.initialization?.controlPlaneInitialized))
    return build(cluster);
  if (description.missing.length > 0) return {};
  const left = applyingFor(snapshot, now);
  if (left > 0) return { requeueAfter: left };
  const fingerprint = fingerprintOf(description.objects);
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
