import type { Admission } from '../../../machinery/api/kind.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { policyAnnotations } from '../contract/target.ts';

/** clusterctl sets it on a Cluster that it moved away and deletes; the infrastructure stays. */
export const deleteForMove = 'clusterctl.cluster.x-k8s.io/delete-for-move';

const isProtected = ({ metadata }: Pick<KubeObject, 'metadata'>) =>
  metadata.annotations?.[policyAnnotations.protected] === 'true';

/** Why this Cluster must not be deleted, and how to lift the protection. */
export const refuseDelete = ({ metadata }: KubeObject): string | undefined => {
  const { name, namespace, annotations } = metadata;
  if (annotations?.[deleteForMove] !== undefined || !isProtected({ metadata })) return undefined;
  const lift = `kubectl annotate cluster/${name} ${policyAnnotations.protected}- -n ${namespace}`;
  return `it is protected by the annotation ${policyAnnotations.protected}; to allow its deletion, run: ${lift}`;
};

/** Warns a client that protects a Cluster already in deletion. */
export const warnTooLate = (object: KubeObject, { old }: Admission): string[] =>
  object.metadata.deletionTimestamp && isProtected(object) && !(old && isProtected(old))
    ? [`${policyAnnotations.protected}: the Cluster is being deleted already, which cannot be taken back`]
    : [];
