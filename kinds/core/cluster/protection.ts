import type { Admission } from '../../../machinery/api/kind.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { policyAnnotations } from '../contract/target.ts';

/** With it, clusterctl deletes what it has just moved to another control plane: the cluster itself stays. */
export const deleteForMove = 'clusterctl.cluster.x-k8s.io/delete-for-move';

const isProtected = ({ metadata }: Pick<KubeObject, 'metadata'>) =>
  metadata.annotations?.[policyAnnotations.protected] === 'true';

/** Why this Cluster may not be deleted, and how to lift that. */
export const refuseDelete = ({ metadata }: KubeObject): string | undefined => {
  const { name, namespace, annotations } = metadata;
  if (annotations?.[deleteForMove] !== undefined || !isProtected({ metadata })) return undefined;
  const lift = `kubectl annotate cluster/${name} ${policyAnnotations.protected}- -n ${namespace}`;
  return `it is protected by the annotation ${policyAnnotations.protected}; to allow its deletion, run: ${lift}`;
};

/** For whoever protects a Cluster that is going. */
export const warnTooLate = (object: KubeObject, { old }: Admission): string[] =>
  object.metadata.deletionTimestamp && isProtected(object) && !(old && isProtected(old))
    ? [`${policyAnnotations.protected}: the Cluster is being deleted already, which cannot be taken back`]
    : [];
