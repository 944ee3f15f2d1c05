import type { KubeObject } from '../../../machinery/api/object.ts';
import {
  atomicList,
  boolean,
  type Infer,
  list,
  object,
  required,
  type Schema,
  string,
  time,
} from '../../../machinery/api/schema.ts';
import { clusterName } from '../../common/schema.ts';
import { resourceReference } from '../cluster-resource-set/schema.ts';

const setName = required(string('Name of the ClusterResourceSet.', { minLength: 1, maxLength: 253 }));
const resource = object('One resource.', {
  applied: required(boolean('Whether it was applied without an error.')),
  hash: string('Hash of what was applied.', { minLength: 1, maxLength: 256 }),
  ...resourceReference,
  lastAppliedTime: time('When it was last applied.'),
});
const resources = 'Resources of the set and what became of them.';
const bindings = 'ClusterResourceSets that match the Cluster.';
const cluster = clusterName('Name of the Cluster.');
const binding = <T>(of: Schema<T>) =>
  object('One ClusterResourceSet.', { clusterResourceSetName: setName, resources: of });

export const clusterResourceSetBindingSpec = object('What has been applied to a Cluster.', {
  bindings: atomicList(bindings, binding(atomicList(resources, resource, { maxItems: 100 })), { maxItems: 100 }),
  clusterName: required(cluster),
});
export const clusterResourceSetBindingSpecV1beta1 = object('What has been applied to a Cluster.', {
  bindings: list(bindings, binding(list(resources, resource, { maxItems: 100 })), { maxItems: 100 }),
  clusterName: cluster,
});

export type ClusterResourceSetBindingSpec = Infer<typeof clusterResourceSetBindingSpec>;
export type ClusterResourceSetBinding = KubeObject<ClusterResourceSetBindingSpec>;
declare module '../../../machinery/api/reconcile.ts' {
  interface ObjectTypes {
    ClusterResourceSetBinding: ClusterResourceSetBinding;
  }
}
