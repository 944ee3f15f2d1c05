import type { KubeObject, LabelSelector } from '../../machinery/api/object.ts';
import { type Context, found, type Read, type Reader } from '../../machinery/api/reconcile.ts';
import { isDeleting } from '../common/machines.ts';
import { targetMessage, targetOf } from '../common/target.ts';
import { snapshotOf } from '../workload-snapshot/of-cluster.ts';

export interface ResourceRef {
  kind: 'ConfigMap' | 'Secret';
  name: string;
}

export type ClusterResourceSetObject = KubeObject<{
  clusterSelector: LabelSelector;
  resources: ResourceRef[];
  strategy?: 'ApplyOnce' | 'Reconcile';
}>;

export interface AppliedResource extends ResourceRef {
  applied: boolean;
  hash?: string;
  lastAppliedTime?: string;
}
export type BindingObject = KubeObject<{
  clusterName: string;
  bindings?: { clusterResourceSetName: string; resources?: AppliedResource[] }[];
}>;

export interface Target {
  cluster: KubeObject;
  binding: Read<BindingObject>;
  /** Absent until its API answers, and while nothing is to be applied. */
  kubeconfig?: string;
  /** Why nothing is to be applied to it now. */
  withheld?: string;
}

export interface Observed {
  set: ClusterResourceSetObject;
  resources: { ref: ResourceRef; object: Read<KubeObject> }[];
  targets: Target[];
  /** Every binding of the namespace with an entry of this set. */
  bindings: Read<BindingObject[]>;
  /** Those of `bindings` whose Cluster is gone, going or torn down: what comes next under its name has nothing applied. */
  orphans: BindingObject[];
}

const matchesNothing = ({ matchLabels, matchExpressions }: LabelSelector): boolean =>
  Object.keys(matchLabels ?? {}).length === 0 && (matchExpressions ?? []).length === 0;

const kubeconfigOf = (cluster: KubeObject, read: Reader): string | undefined => {
  const { namespace = '', name } = cluster.metadata;
  const snapshot = snapshotOf(read, { namespace, name }, cluster);
  const secret = found(read.get('Secret', { namespace, name: `${name}-kubeconfig` }));
  const value = (secret?.data as { value?: string } | undefined)?.value;
  if (!snapshot?.reachable || value === undefined) return undefined;
  return Buffer.from(value, 'base64').toString('utf8');
};

export const entryOf = (binding: BindingObject | undefined, set: KubeObject) =>
  binding?.spec?.bindings?.find((entry) => entry.clusterResourceSetName === set.metadata.name);

const bindingsOf = (set: KubeObject, read: Reader): Read<BindingObject[]> => {
  const all = read.list<BindingObject>('ClusterResourceSetBinding', { namespace: set.metadata.namespace ?? '' });
  return all.state === 'found' ? { ...all, value: all.value.filter((binding) => entryOf(binding, set)) } : all;
};

const targetFor = (cluster: KubeObject, read: Reader, { config }: Context): Target => {
  const { namespace = '', name } = cluster.metadata;
  const binding = read.get<BindingObject>('ClusterResourceSetBinding', { namespace, name });
  const target = targetOf(cluster, config);
  if (target === 'Wait') return { cluster, binding };
  if (target !== 'Build') return { cluster, binding, withheld: targetMessage(cluster, target) };
  const kubeconfig = kubeconfigOf(cluster, read);
  return { cluster, binding, ...(kubeconfig !== undefined && { kubeconfig }) };
};

const hasNothingApplied = (cluster: Read<KubeObject>, { config }: Context): boolean => {
  if (cluster.state === 'absent') return true;
  const object = found(cluster);
  return object !== undefined && (isDeleting(object) || targetOf(object, config) === 'Nothing');
};

export const observe = (set: ClusterResourceSetObject, read: Reader, context: Context): Observed => {
  const namespace = set.metadata.namespace ?? '';
  const bindings = bindingsOf(set, read);
  const { clusterSelector = {}, resources = [] } = set.spec ?? {};
  const clusters: Read<KubeObject[]> = matchesNothing(clusterSelector)
    ? { state: 'found', value: [] }
    : read.list('Cluster', { namespace, labels: clusterSelector });
  if (set.metadata.deletionTimestamp) return { set, resources: [], targets: [], bindings, orphans: [] };
  const targets = (found(clusters) ?? [])
    .filter((cluster) => !isDeleting(cluster))
    .map((cluster) => targetFor(cluster, read, context));
  return {
    set,
    resources: resources.map((ref) => ({ ref, object: read.get(ref.kind, { namespace, name: ref.name }) })),
    targets,
    bindings,
    orphans: (found(bindings) ?? []).filter(({ metadata: { name } }) =>
      hasNothingApplied(read.get('Cluster', { namespace, name }), context),
    ),
  };
};
