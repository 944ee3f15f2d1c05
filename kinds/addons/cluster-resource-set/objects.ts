/** The resources that a set refers to, and the resources that a binding records as applied. */
import type { KubeObject, LabelSelector } from '../../../machinery/api/object.ts';

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

export const entryOf = (binding: BindingObject | undefined, set: KubeObject) =>
  binding?.spec?.bindings?.find((entry) => entry.clusterResourceSetName === set.metadata.name);

export const same = (a: ResourceRef) => (b: ResourceRef) => a.kind === b.kind && a.name === b.name;
