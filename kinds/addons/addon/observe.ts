import { isTrue } from '../../../machinery/api/conditions.ts';
import { labelMatcher } from '../../../machinery/api/labels.ts';
import type { JsonObject, KubeObject } from '../../../machinery/api/object.ts';
import { type Context, found, type Read, type Reader } from '../../../machinery/api/reconcile.ts';
import { lowestVersion } from '../../common/kubernetes-version.ts';
import type { Cluster } from '../../core/cluster/schema.ts';
import { isDeleting } from '../../core/contract/machines.ts';
import { askWorkload } from '../../ports/index.ts';
import { accessTo, type ClusterAccess } from '../access.ts';
import type { ResourceRef } from '../cluster-resource-set/objects.ts';
import { prepare } from '../cluster-resource-set/resources.ts';
import type { ClusterResourceSet } from '../cluster-resource-set/schema.ts';
import { healthy } from './conditions.ts';
import { hasHealth } from './health.ts';
import { resourcesOf } from './references.ts';
import { filledIn, idOf, type ObjectId, revisionOf, sameObject, valuesOf, type Wanted, wantedFrom } from './render.ts';
import type { Addon } from './schema.ts';
import { objectsOf, sourcesOf } from './sources.ts';

export interface Observed extends ClusterAccess {
  addon: Addon;
  cluster: Read<Cluster>;
  /** What is to be installed, or why that is unknown; absent while there is no Cluster. */
  wanted?: Wanted | { fault: string; reason?: string } | 'unread';
  /** An object that a ClusterResourceSet applies, too. */
  conflict?: { set: string; object: ObjectId };
  /** The workloads in the cluster; read until they are healthy. */
  live: { id: ObjectId; object: Read<KubeObject> }[];
}

const preparedOf = (namespace: string, resources: readonly ResourceRef[], read: Reader) =>
  prepare(resources.map((ref) => ({ ref, object: read.get(ref.kind, { namespace, name: ref.name }) })));

/** The objects of ConfigMaps and Secrets, before values are filled in. */
const heldOf = ({ metadata, spec }: Addon, read: Reader): JsonObject[] | { fault: string } | 'unread' => {
  const { namespace = '' } = metadata;
  const resources = resourcesOf(spec!);
  if (resources.some(({ kind, name }) => read.get(kind, { namespace, name }).state === 'unread')) return 'unread';
  const prepared = preparedOf(namespace, resources, read);
  const faults = prepared.flatMap((one) => ('message' in one ? [one.message] : []));
  if (faults.length > 0) return { fault: faults.join('; ') };
  return prepared.flatMap((one) => ('objects' in one ? one.objects : []));
};

const versionOf = (cluster: Cluster, { version }: ClusterAccess): string | undefined =>
  lowestVersion((cluster.status?.controlPlane?.versions ?? []).map((one) => one.version)) ?? version;

const wantedOf = (addon: Addon, cluster: Cluster, access: ClusterAccess, read: Reader): Observed['wanted'] => {
  const held = heldOf(addon, read);
  const values = valuesOf(addon.spec!.substitutions, cluster);
  if (held === 'unread' || 'fault' in held) return held;
  if ('fault' in values) return values;
  const filled = held.map((object) => filledIn(object, values) as JsonObject);
  const kubernetesVersion = versionOf(cluster, access);
  const sources = sourcesOf(addon.spec!, values, kubernetesVersion ?? '');
  if (sources.files.length + sources.charts.length === 0) return wantedFrom(filled);
  // Digests pin the sources, so what they hold is known without them: nothing is asked of a registry
  // again, and it may be away, while nothing changes.
  const revision = revisionOf([filled, sources, [...values]]);
  const { status } = addon;
  if (status?.revision === revision && status.clusterUID === cluster.metadata.uid)
    return { ids: status.inventory ?? [], revision };
  if (access.kubeconfig === undefined || kubernetesVersion === undefined) return { ids: [], revision };
  const sourced = objectsOf(sources, values, read);
  if (sourced === 'unread' || 'fault' in sourced) return sourced;
  return wantedFrom([...filled, ...sourced.objects], revision);
};

const selects = ({ spec }: ClusterResourceSet, cluster: Cluster): boolean => {
  const { matchLabels = {}, matchExpressions = [] } = spec?.clusterSelector ?? {};
  const isEmpty = Object.keys(matchLabels).length === 0 && matchExpressions.length === 0;
  return !isEmpty && labelMatcher({ matchLabels, matchExpressions })(cluster.metadata.labels);
};

const conflictOf = (cluster: Cluster, { ids: own }: Wanted, read: Reader): Observed['conflict'] => {
  const { namespace = '' } = cluster.metadata;
  for (const set of found(read.list('ClusterResourceSet', { namespace })) ?? []) {
    if (!selects(set, cluster)) continue;
    for (const one of preparedOf(namespace, set.spec?.resources ?? [], read)) {
      const ids = 'objects' in one ? one.objects.map(idOf) : [];
      const object = own.find((id) => ids.some(sameObject(id)));
      if (object) return { set: set.metadata.name, object };
    }
  }
  return undefined;
};

export const observe = (addon: Addon, read: Reader, _: Context): Observed => {
  const { namespace = '' } = addon.metadata;
  const name = addon.spec?.clusterName ?? '';
  const cluster = read.get('Cluster', { namespace, name });
  const object = found(cluster);
  const none: Observed = { addon, cluster, live: [] };
  if (!object || isDeleting(object)) return none;
  const access = accessTo(object, read);
  if (addon.metadata.deletionTimestamp) return { ...none, ...access };
  const wanted = wantedOf(addon, object, access, read);
  if (!wanted || wanted === 'unread' || 'fault' in wanted) return { ...none, ...access, ...(wanted && { wanted }) };
  const conflict = conflictOf(object, wanted, read);
  const { revision, conditions } = addon.status ?? {};
  const { kubeconfig } = access;
  const isChecked = revision === wanted.revision && !isTrue(conditions, healthy) && kubeconfig !== undefined;
  const live = (isChecked ? wanted.ids.filter(hasHealth) : []).map((id) => ({
    id,
    object: askWorkload(read, 'get', { kubeconfig: kubeconfig!, ...id }),
  }));
  return { ...none, ...access, wanted, live, ...(conflict && { conflict }) };
};
