/** Who owns an object of EKS, and the tags that prove it in AWS. */
import type { KubeObject, OwnerReference } from '../../machinery/api/object.ts';
import type { Owner } from '../infrastructure-aws/engine/tags.ts';
import { additional, carries, clusterUidTag, evidence, tagList } from '../infrastructure-aws/engine/tags.ts';

export const ownerOf = ({ metadata }: KubeObject): OwnerReference | undefined =>
  metadata.ownerReferences?.find(
    ({ kind, apiVersion }) => kind === 'Cluster' && apiVersion.startsWith('cluster.x-k8s.io/'),
  );

/**
 * uid of the Cluster that the EKS cluster was made for, as noted before it was made. The note counts only
 * on the object it was written on: a copy of the YAML must not take over the original's cluster.
 */
const notedUid = ({ metadata }: KubeObject): string | undefined => {
  const [clusterUid, on] = (metadata.annotations?.[clusterUidTag] ?? '').split('/');
  return clusterUid && on === metadata.uid ? clusterUid : undefined;
};

export const noteOf = ({ metadata }: KubeObject, clusterUid: string): string => `${clusterUid}/${metadata.uid}`;

export const isBegun = (object: KubeObject): boolean => notedUid(object) !== undefined;

export const clusterUidOf = (object: KubeObject): string | undefined => notedUid(object) ?? ownerOf(object)?.uid;

/** EKS gives the tags of what it has as a map. */
export const isOurs = ({ tags }: { tags: Record<string, string> }, owner: Owner): boolean =>
  carries(tagList(tags), evidence(owner));

/** Undefined without a Cluster. */
export const tagOwnerOf = (
  object: KubeObject & { spec?: { additionalTags?: Record<string, string> } },
  installation: string,
): Owner | undefined => {
  const clusterUid = clusterUidOf(object);
  if (!clusterUid) return undefined;
  const clusterName =
    ownerOf(object)?.name ?? object.metadata.labels?.['cluster.x-k8s.io/cluster-name'] ?? object.metadata.name;
  return {
    installation,
    clusterUid,
    clusterName,
    additionalTags: additional(object.spec?.additionalTags ?? {}, clusterName),
  };
};
