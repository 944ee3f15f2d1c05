/** Keeps an add-on's objects in its cluster. Pure. */
import { conditionOf } from '../../../machinery/api/conditions.ts';
import { type Action, type ConditionDraft, type Context, found, type Plan } from '../../../machinery/api/reconcile.ts';
import { listOf } from '../../common/list-of.ts';
import { hasReference, ownerReference, withOwner } from '../../common/owners.ts';
import { isDeleting } from '../../core/contract/machines.ts';
import { callWorkload } from '../../ports/index.ts';
import { applied, healthy, ready } from './conditions.ts';
import { unhealthy } from './health.ts';
import type { Observed } from './observe.ts';
import { type ObjectId, sameObject, type Wanted } from './render.ts';
import type { Addon, AddonStatus } from './schema.ts';

export const fieldManager = 'capstan-addons';
/** Seconds between two looks at workloads that start. */
const pollInterval = 15;

/** Seconds until a source is asked again: no event reports that it changed. */
const retryOf = (reason: string) => ({ requeueAfter: reason === 'SourceUnavailable' ? 60 : 600 });

const nameOf = ({ kind, namespace, name }: ObjectId): string => `${kind} ${namespace ? `${namespace}/` : ''}${name}`;

/** Their deletion would take along what the add-on did not install. */
const spared = ['CustomResourceDefinition', 'Namespace', 'PersistentVolumeClaim'];
const prunable = ({ spec }: Addon, ids: readonly ObjectId[]): ObjectId[] => {
  if (spec?.prune === 'Never') return [];
  return ids.filter(({ kind }) => spec?.prune === 'All' || !spared.includes(kind));
};

const removals = (kubeconfig: string, ids: readonly ObjectId[]): Action[] =>
  ids.toReversed().map((id) => callWorkload('delete', { kubeconfig, ...id }));

type Facts = Omit<AddonStatus, 'conditions' | 'observedGeneration'>;
/** What is known of the Cluster that exists: a former one of its name had other objects. */
const factsOf = ({ addon, cluster }: Observed): Facts => {
  const clusterUID = found(cluster)?.metadata.uid ?? '';
  const { revision, inventory = [], clusterUID: before } = addon.status ?? {};
  return before === clusterUID
    ? { clusterUID, inventory, ...(revision && { revision }) }
    : { clusterUID, inventory: [] };
};

const statusOf = (facts: Facts, isApplied: ConditionDraft, isHealthy?: ConditionDraft): AddonStatus => {
  const telling = isApplied.status === 'True' && isHealthy ? isHealthy : isApplied;
  const conditions = [{ ...telling, type: ready }, isApplied, ...(isHealthy ? [isHealthy] : [])];
  return { ...facts, conditions } as AddonStatus;
};

const not = (type: string, reason: string, message: string): ConditionDraft => ({
  type,
  status: 'False',
  reason,
  message,
});
const yes = (type: string, reason: string): ConditionDraft => ({ type, status: 'True', reason, message: '' });

const remove = ({ addon, cluster, kubeconfig }: Observed, { withheld }: Context): Plan<AddonStatus> => {
  const object = found(cluster);
  if (!object && cluster.state !== 'absent') return {};
  const ids = prunable(addon, addon.status?.inventory ?? []);
  const isGone =
    !object || isDeleting(object) || withheld?.releases || object.metadata.uid !== addon.status?.clusterUID;
  if (isGone || ids.length === 0) return { finished: true };
  if (kubeconfig === undefined) return { requeueAfter: pollInterval };
  return { actions: removals(kubeconfig, ids), finished: true };
};

const applyAll = (
  observed: Observed,
  facts: Facts,
  { ids, objects = [], revision }: Wanted,
  { now, lastFailure }: Context,
): Plan<AddonStatus> => {
  const { addon } = observed;
  const kubeconfig = observed.kubeconfig!;
  const recorded = facts.inventory ?? [];
  const missing = ids.filter((id) => !recorded.some(sameObject(id)));
  const applying = not(applied, 'Applying', 'Its objects are being applied');
  // What is about to be created is recorded first: after a crash it is still known, and pruned.
  if (missing.length > 0)
    return { status: statusOf({ ...facts, inventory: [...recorded, ...missing] }, applying), again: true };
  if (lastFailure?.at === now) return { status: statusOf(facts, not(applied, 'ApplyFailed', lastFailure.message)) };
  const left = recorded.filter((id) => !ids.some(sameObject(id)));
  return {
    actions: [
      ...objects.map((object) => callWorkload('applyServerSide', { kubeconfig, object, fieldManager })),
      ...removals(kubeconfig, prunable(addon, left)),
    ],
    status: statusOf(
      { ...facts, inventory: ids, revision },
      yes(applied, 'Applied'),
      not(healthy, 'Progressing', 'Waiting for its workloads'),
    ),
    requeueAfter: 1,
  };
};

const checkHealth = ({ addon, live }: Observed, facts: Facts, { now }: Context): Plan<AddonStatus> => {
  const done = yes(applied, 'Applied');
  const faults = live.flatMap(({ id, object }) => {
    const there = found(object);
    if (object.state === 'unreadable') return [`${nameOf(id)}: ${object.reason}`];
    const fault = there ? unhealthy(there) : 'it does not exist';
    return fault ? [`${nameOf(id)}: ${fault}`] : [];
  });
  if (faults.length === 0) return { status: statusOf(facts, done, yes(healthy, 'Healthy')) };
  const since = Date.parse(conditionOf(addon.status?.conditions, healthy)?.lastTransitionTime ?? '') || now;
  const isOverdue = now - since >= (addon.spec?.healthTimeoutSeconds ?? 0) * 1000;
  const message = listOf(faults, 3);
  return {
    status: statusOf(facts, done, not(healthy, isOverdue ? 'HealthTimeout' : 'Progressing', message)),
    requeueAfter: isOverdue ? 4 * pollInterval : pollInterval,
  };
};

export const reconcile = (observed: Observed, context: Context): Plan<AddonStatus> => {
  const { addon, cluster, wanted, conflict, kubeconfig, lacksKubeconfig } = observed;
  if (addon.metadata.deletionTimestamp) return remove(observed, context);
  const object = found(cluster);
  if (!object && cluster.state !== 'absent') return {};
  const facts = factsOf(observed);
  const waits = (reason: string, message: string): Plan<AddonStatus> => ({
    status: statusOf(facts, not(applied, reason, message)),
  });
  if (!object) return waits('WaitingForCluster', `Cluster ${addon.spec?.clusterName} does not exist`);
  if (isDeleting(object) || wanted === 'unread') return {};
  const owner = ownerReference(object);
  const claim = hasReference(addon, owner)
    ? {}
    : { intent: { metadata: { ownerReferences: withOwner(addon, owner) } } };
  const { withheld } = context;
  if (withheld) {
    const inventory = withheld.releases ? [] : (facts.inventory ?? []);
    const { clusterUID, revision } = facts;
    const kept = { clusterUID, inventory, ...(revision && !withheld.releases && { revision }) };
    return { ...claim, status: statusOf(kept as Facts, not(applied, withheld.reason, withheld.message)) };
  }
  if (!wanted) return { ...claim, ...waits('ManifestsInvalid', '') };
  if ('fault' in wanted) {
    const { fault, reason } = wanted;
    return { ...claim, ...waits(reason ?? 'ManifestsInvalid', fault), ...(reason && retryOf(reason)) };
  }
  if (conflict) {
    const message = `ClusterResourceSet ${conflict.set} applies ${nameOf(conflict.object)}, too: leave it to one of them`;
    return { ...claim, ...waits('OwnedByClusterResourceSet', message) };
  }
  const isApplied = facts.revision === wanted.revision;
  if (kubeconfig === undefined && !(isApplied && addon.status))
    return {
      ...claim,
      ...waits('WaitingForControlPlane', `Waiting for the API of Cluster ${object.metadata.name}`),
      ...(lacksKubeconfig && { requeueAfter: 60 }),
    };
  if (!isApplied) return { ...claim, ...applyAll(observed, facts, wanted, context) };
  if (kubeconfig === undefined) return claim;
  return { ...claim, ...checkHealth(observed, facts, context) };
};
