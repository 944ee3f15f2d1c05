/** Which of many objects describe one cluster. Pure. */
import { labelMatcher } from '../../../machinery/api/labels.ts';
import type { KubeObject, LabelSelector } from '../../../machinery/api/object.ts';
import { groupOf, type Reference, referencesIn } from './graph.ts';

const clusterLabel = 'cluster.x-k8s.io/cluster-name';
const operationAnnotation = 'capstan.dev/operation';

const isCluster = (object: KubeObject): boolean => object.kind === 'Cluster' && groupOf(object) === 'cluster.x-k8s.io';

/** Operations that ended before the last one, and lists that were asked for, explain nothing. */
const isPast = ({ kind, metadata }: KubeObject, cluster: KubeObject): boolean =>
  (kind === 'ClusterOperation' && metadata.name !== cluster.metadata.annotations?.[operationAnnotation]) ||
  kind === 'UpgradeCheck';

const isMember = (object: KubeObject, cluster: KubeObject): boolean => {
  const { metadata, spec, kind } = object;
  if (isPast(object, cluster)) return false;
  if (kind === 'Installation') return true;
  if (metadata.namespace !== cluster.metadata.namespace || isCluster(object)) return object === cluster;
  const { clusterName, clusterSelector } = (spec ?? {}) as { clusterName?: string; clusterSelector?: LabelSelector };
  if (kind === 'ClusterResourceSet' && clusterSelector) return labelMatcher(clusterSelector)(cluster.metadata.labels);
  return metadata.labels?.[clusterLabel] === cluster.metadata.name || clusterName === cluster.metadata.name;
};

const keyOf = ({ kind, name }: Reference): string => `${kind}/${name}`;

/** The objects of a cluster, and what they refer to. */
export const membersOf = (
  cluster: KubeObject,
  all: readonly KubeObject[],
): { objects: KubeObject[]; unfollowed: ReturnType<typeof referencesIn> } => {
  const { namespace } = cluster.metadata;
  const near = all.filter(({ metadata }) => metadata.namespace === undefined || metadata.namespace === namespace);
  const byKey = new Map(near.map((object) => [keyOf({ kind: object.kind, name: object.metadata.name }), object]));
  const found = new Set(near.filter((object) => isMember(object, cluster)));
  const unfollowed = new Map<string, ReturnType<typeof referencesIn>[number]>();
  for (const object of found)
    for (const reference of referencesIn(object.spec)) {
      const named = byKey.get(keyOf(reference));
      if (!named) unfollowed.set(keyOf(reference), reference);
      else if (!isCluster(named) && !isPast(named, cluster)) found.add(named);
    }
  return { objects: [...found], unfollowed: [...unfollowed.values()] };
};
