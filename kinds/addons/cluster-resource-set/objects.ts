/** The resources that a set refers to, and the resources that a binding records as applied. */
import type { KubeObject } from '../../../machinery/api/object.ts';
import type {
  ClusterResourceSetBinding,
  ClusterResourceSetBindingSpec,
} from '../cluster-resource-set-binding/schema.ts';
import type { ClusterResourceSetSpec } from './schema.ts';

export type ResourceRef = ClusterResourceSetSpec['resources'][number];

type Entry = NonNullable<ClusterResourceSetBindingSpec['bindings']>[number];
export type AppliedResource = NonNullable<Entry['resources']>[number];

export const entryOf = (binding: ClusterResourceSetBinding | undefined, set: KubeObject): Entry | undefined =>
  binding?.spec?.bindings?.find((entry) => entry.clusterResourceSetName === set.metadata.name);

export const same = (a: ResourceRef) => (b: ResourceRef) => a.kind === b.kind && a.name === b.name;
