import type { KubeObject, LabelSelector } from '../../../machinery/api/object.ts';
import { type Context, found, mapRead, type Read, type Reader } from '../../../machinery/api/reconcile.ts';
import { isDeleting } from '../../core/contract/machines.ts';
import { awaitsOperation, withheldBy } from '../../core/contract/scope.ts';
import { accessTo, type ClusterAccess } from '../access.ts';
import type { ClusterResourceSetBinding } from '../cluster-resource-set-binding/schema.ts';
import { entryOf } from './objects.ts';
import { dueOf, prepare, type Resource } from './resources.ts';
import type { ClusterResourceSet } from './schema.ts';

/** Without access while nothing is due. */
export interface Target extends ClusterAccess {
  cluster: KubeObject;
  binding: Read<ClusterResourceSetBinding>;
  /** Why nothing is applied to the cluster now. */
  withheld?: string;
}

export interface Observed {
  set: ClusterResourceSet;
  resources: Resource[];
  targets: Target[];
  /** Every binding of the namespace with an entry of this set. */
  bindings: Read<ClusterResourceSetBinding[]>;
  /**
   * Those of `bindings` whose Cluster is gone, being deleted or torn down: the next cluster of that
   * name starts without applied resources.
   */
  orphans: ClusterResourceSetBinding[];
  /** Bindings of former clusters that had the name of a selected cluster. */
  formers: ClusterResourceSetBinding[];
}

const matchesNothing = ({ matchLabels, matchExpressions }: LabelSelector): boolean =>
  Object.keys(matchLabels ?? {}).length === 0 && (matchExpressions ?? []).length === 0;

/** Reads the access to a cluster only if something is due there. */
const targetFor = (
  cluster: KubeObject,
  binding: Read<ClusterResourceSetBinding>,
  isWanting: (binding: ClusterResourceSetBinding | undefined) => boolean,
  read: Reader,
  { config }: Context,
): Target => {
  const withheld = withheldBy(cluster, cluster, config);
  if (awaitsOperation(withheld)) return { cluster, binding };
  if (withheld) return { cluster, binding, withheld: withheld.message };
  if (binding.state === 'unread' || !isWanting(found(binding))) return { cluster, binding };
  return { cluster, binding, ...accessTo(cluster, read) };
};

const hasNothingApplied = (cluster: Read<KubeObject>, { config }: Context): boolean => {
  if (cluster.state === 'absent') return true;
  const object = found(cluster);
  return object !== undefined && (isDeleting(object) || withheldBy(object, object, config)?.releases === true);
};

/** The binding is older than the cluster, so it belongs to a former cluster of the same name. */
const isFormer = (binding: ClusterResourceSetBinding, cluster: KubeObject): boolean =>
  (binding.metadata.creationTimestamp ?? '') < (cluster.metadata.creationTimestamp ?? '');

const byName = <T extends KubeObject>(all: Read<T[]>): ReadonlyMap<string, T> =>
  new Map((found(all) ?? []).map((one) => [one.metadata.name, one]));

export const observe = (set: ClusterResourceSet, read: Reader, context: Context): Observed => {
  const namespace = set.metadata.namespace ?? '';
  const all = read.list('ClusterResourceSetBinding', { namespace });
  const bindings = mapRead(all, (some) => some.filter((binding) => entryOf(binding, set)));
  if (set.metadata.deletionTimestamp) return { set, resources: [], targets: [], bindings, orphans: [], formers: [] };
  const { clusterSelector = {}, resources: refs = [] } = set.spec ?? {};
  const resources = refs.map((ref) => ({ ref, object: read.get(ref.kind, { namespace, name: ref.name }) }));
  const clusters: Read<KubeObject[]> = matchesNothing(clusterSelector)
    ? { state: 'found', value: [] }
    : read.list('Cluster', { namespace, labels: clusterSelector });
  const prepared = prepare(resources);
  const isWanting = (binding: ClusterResourceSetBinding | undefined) => dueOf(set, binding, prepared).length > 0;
  const bindingsByName = byName(all);
  const bindingOf = (name: string): Read<ClusterResourceSetBinding> => {
    const value = bindingsByName.get(name);
    if (all.state !== 'found') return all;
    return value ? { state: 'found', value } : { state: 'absent' };
  };
  const targets = (found(clusters) ?? [])
    .filter((cluster) => !isDeleting(cluster))
    .map((cluster) => targetFor(cluster, bindingOf(cluster.metadata.name), isWanting, read, context));
  const clustersByName = byName(clusters);
  // The selected Clusters have been read already.
  const clusterOf = (name: string): Read<KubeObject> => {
    const value = clustersByName.get(name);
    if (value) return { state: 'found', value };
    return clusters.state === 'found' ? read.get('Cluster', { namespace, name }) : clusters;
  };
  const formers = targets.flatMap(({ cluster, binding }) => {
    const bound = found(binding);
    return bound && isFormer(bound, cluster) ? [bound] : [];
  });
  return {
    set,
    resources,
    targets,
    bindings,
    orphans: (found(bindings) ?? []).filter(
      (one) => !formers.includes(one) && hasNothingApplied(clusterOf(one.metadata.name), context),
    ),
    formers,
  };
};
