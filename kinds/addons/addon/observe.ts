import { isTrue } from '../../../machinery/api/conditions.ts';
import { labelMatcher } from '../../../machinery/api/labels.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { type Context, found, type Read, type Reader } from '../../../machinery/api/reconcile.ts';
import type { Cluster } from '../../core/cluster/schema.ts';
import { isDeleting } from '../../core/contract/machines.ts';
import { askWorkload } from '../../ports/index.ts';
import { accessTo, type ClusterAccess } from '../access.ts';
import { prepare } from '../cluster-resource-set/resources.ts';
import type { ClusterResourceSet } from '../cluster-resource-set/schema.ts';
import { healthy } from './conditions.ts';
import { hasHealth } from './health.ts';
import { idOf, type ObjectId, type Rendered, render, sameObject } from './render.ts';
import type { Addon, AddonSpec } from './schema.ts';

export interface Observed extends ClusterAccess {
  addon: Addon;
  cluster: Read<Cluster>;
  /** What is to be installed, or why that is unknown; absent while there is no Cluster. */
  wanted?: Rendered | { fault: string } | 'unread';
  /** An object that a ClusterResourceSet applies, too. */
  conflict?: { set: string; object: ObjectId };
  /** The workloads in the cluster; read until they are healthy. */
  live: { id: ObjectId; object: Read<KubeObject> }[];
}

type Manifests = AddonSpec['manifests'];

const preparedOf = (namespace: string, manifests: Manifests, read: Reader) =>
  prepare(manifests.map((ref) => ({ ref, object: read.get(ref.kind, { namespace, name: ref.name }) })));

const wantedOf = (addon: Addon, cluster: Cluster, read: Reader): Observed['wanted'] => {
  const { namespace = '' } = addon.metadata;
  const { manifests, substitutions } = addon.spec!;
  if (manifests.some(({ kind, name }) => read.get(kind, { namespace, name }).state === 'unread')) return 'unread';
  const prepared = preparedOf(namespace, manifests, read);
  const faults = prepared.flatMap((one) => ('message' in one ? [one.message] : []));
  if (faults.length > 0) return { fault: faults.join('; ') };
  return render(
    prepared.flatMap((one) => ('objects' in one ? one.objects : [])),
    substitutions,
    cluster,
  );
};

const selects = ({ spec }: ClusterResourceSet, cluster: Cluster): boolean => {
  const { matchLabels = {}, matchExpressions = [] } = spec?.clusterSelector ?? {};
  const isEmpty = Object.keys(matchLabels).length === 0 && matchExpressions.length === 0;
  return !isEmpty && labelMatcher({ matchLabels, matchExpressions })(cluster.metadata.labels);
};

const conflictOf = (cluster: Cluster, { objects }: Rendered, read: Reader): Observed['conflict'] => {
  const { namespace = '' } = cluster.metadata;
  const own = objects.map(idOf);
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
  const wanted = wantedOf(addon, object, read);
  if (!wanted || wanted === 'unread' || 'fault' in wanted) return { ...none, ...access, ...(wanted && { wanted }) };
  const conflict = conflictOf(object, wanted, read);
  const { revision, conditions } = addon.status ?? {};
  const { kubeconfig } = access;
  const isChecked = revision === wanted.revision && !isTrue(conditions, healthy) && kubeconfig !== undefined;
  const live = (isChecked ? wanted.objects.map(idOf).filter(hasHealth) : []).map((id) => ({
    id,
    object: askWorkload(read, 'get', { kubeconfig: kubeconfig!, ...id }),
  }));
  return { ...none, ...access, wanted, live, ...(conflict && { conflict }) };
};
