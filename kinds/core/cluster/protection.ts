import type { Admission } from '../../../machinery/api/kind.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { policyAnnotations } from '../contract/target.ts';

/** clusterctl sets it on the objects that it moved away and deletes; the infrastructure stays. */
export const deleteForMove = 'clusterctl.cluster.x-k8s.io/delete-for-move';

type Metadata = Pick<KubeObject, 'metadata'>;

export const isMoved = ({ metadata }: Metadata): boolean => metadata.annotations?.[deleteForMove] !== undefined;

const hasProtection = ({ metadata }: Metadata): boolean =>
  metadata.annotations?.[policyAnnotations.protected] === 'true';
/** Whether clients may not delete the cluster. */
export const isProtected = (cluster: Metadata): boolean => hasProtection(cluster) && !isMoved(cluster);

/** How a user lifts the protection, as the end of a sentence about the Cluster. */
export const liftOf = ({ metadata: { name, namespace } }: Metadata): string => {
  const lift = `kubectl annotate cluster/${name} ${policyAnnotations.protected}- -n ${namespace}`;
  return `is protected by the annotation ${policyAnnotations.protected}; to allow its deletion, run: ${lift}`;
};

/** Why this Cluster must not be deleted, and how to lift the protection. */
export const refuseDelete = (cluster: KubeObject): string | undefined =>
  isProtected(cluster) ? `it ${liftOf(cluster)}` : undefined;

/** Warns a client that protects a Cluster already in deletion. */
export const warnOfDeletion = (object: KubeObject, { old }: Admission): string[] =>
  object.metadata.deletionTimestamp && hasProtection(object) && !(old && hasProtection(old))
    ? [`${policyAnnotations.protected}: the Cluster is being deleted already, which cannot be taken back`]
    : [];
