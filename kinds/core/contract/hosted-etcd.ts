/** Clusters whose etcd a service runs, where nothing reads it. Pure. */
import { groupKindOf, isSameKind } from '../../../machinery/api/kind.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Cluster } from '../cluster/schema.ts';
import type { ControlPlaneProvider } from './control-plane.ts';

/** Why no snapshot of the cluster can be taken; undefined if nothing is known against it. */
export const hostedEtcd = (cluster: KubeObject, providers: readonly ControlPlaneProvider[]): string | undefined => {
  const { controlPlaneRef } = (cluster as Cluster).spec ?? {};
  if (!controlPlaneRef) return undefined;
  const named = { group: controlPlaneRef.apiGroup ?? '', kind: controlPlaneRef.kind };
  const provider = providers.find((one) => isSameKind(one, named));
  return provider && !provider.managesEtcd
    ? `The etcd of ${groupKindOf(cluster).kind} ${cluster.metadata.name} is run by the service behind its ${named.kind}, and nothing else can read it: no snapshot of it can be taken`
    : undefined;
};
