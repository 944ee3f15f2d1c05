/** Whose an AWSCluster's infrastructure is, and whether any was begun. */
import type { AWSCluster } from './schema.ts';
import { clusterUidTag, namedAfterAnnotation, type Owner } from './tags.ts';

/**
 * Who owns it: as it was noted when the first thing was made for it, else by its owner reference. The note counts only on
 * the object it was written on: a copy of its YAML must not come into possession of what the original has.
 */
export const ownerOf = ({ metadata, spec }: AWSCluster, installation: string): Owner | undefined => {
  const reference = metadata.ownerReferences?.find(
    ({ kind, apiVersion }) => kind === 'Cluster' && apiVersion.startsWith('cluster.x-k8s.io/'),
  );
  const [noted, on] = (metadata.annotations?.[clusterUidTag] ?? '').split('/');
  const clusterUid = noted && on === metadata.uid ? noted : reference?.uid;
  if (!clusterUid) return undefined;
  const clusterName = reference?.name ?? metadata.labels?.['cluster.x-k8s.io/cluster-name'] ?? metadata.name;
  const namedAfter = namedAfterOf(metadata.annotations);
  return {
    installation,
    clusterUid,
    clusterName,
    additionalTags: spec?.additionalTags ?? {},
    ...(namedAfter && { namedAfter }),
  };
};

const namedAfterOf = (annotations: Record<string, string> = {}): Owner['namedAfter'] => {
  const [, installation, clusterUid] = /^(.+)\/([^/]+)$/.exec(annotations[namedAfterAnnotation] ?? '') ?? [];
  return installation && clusterUid ? { installation, clusterUid } : undefined;
};

/** Whether anything was ever made for it, or is about to be. */
export const isBegun = ({ metadata }: AWSCluster): boolean =>
  metadata.annotations?.[clusterUidTag]?.split('/')[1] === metadata.uid;

/** The note. */
export const ownerNote = ({ metadata }: AWSCluster, owner: Owner): string => `${owner.clusterUid}/${metadata.uid}`;
