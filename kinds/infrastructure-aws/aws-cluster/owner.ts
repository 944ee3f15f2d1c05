/** Whose an AWSCluster's infrastructure is, and whether any was begun. */
import type { AWSCluster } from './schema.ts';
import { additional, clusterUidTag, namedAfterAnnotation, type Owner } from './tags.ts';

interface Note {
  clusterUid: string;
  namedAfter?: Owner['namedAfter'];
}

const pairOf = (text = ''): Owner['namedAfter'] => {
  const [, installation, clusterUid] = /^(.+)\/([^/]+)$/.exec(text) ?? [];
  return installation && clusterUid ? { installation, clusterUid } : undefined;
};

/** The note counts only on the object it was written on: a copy of its YAML must not come into possession of what the original has. */
const noteOf = ({ metadata }: Pick<AWSCluster, 'metadata'>): Note | undefined => {
  const [clusterUid, on, ...former] = (metadata.annotations?.[clusterUidTag] ?? '').split('/');
  return clusterUid && on === metadata.uid ? { clusterUid, namedAfter: pairOf(former.join('/')) } : undefined;
};

/**
 * Who owns it, and after whom its load balancers are named: as it was noted when the first thing was made for it, whatever
 * people write there later; until then by its owner reference and the annotation.
 */
export const ownerOf = ({ metadata, spec }: AWSCluster, installation: string): Owner | undefined => {
  const reference = metadata.ownerReferences?.find(
    ({ kind, apiVersion }) => kind === 'Cluster' && apiVersion.startsWith('cluster.x-k8s.io/'),
  );
  const note = noteOf({ metadata });
  const clusterUid = note?.clusterUid ?? reference?.uid;
  if (!clusterUid) return undefined;
  const clusterName = reference?.name ?? metadata.labels?.['cluster.x-k8s.io/cluster-name'] ?? metadata.name;
  const namedAfter = note ? note.namedAfter : pairOf(metadata.annotations?.[namedAfterAnnotation]);
  return {
    installation,
    clusterUid,
    clusterName,
    additionalTags: additional(spec?.additionalTags ?? {}, clusterName),
    ...(namedAfter && { namedAfter }),
  };
};

/** Whether anything was ever made for it, or is about to be. */
export const isBegun = (awsCluster: AWSCluster): boolean => noteOf(awsCluster) !== undefined;

/** The note. */
export const ownerNote = ({ metadata }: AWSCluster, { clusterUid, namedAfter }: Owner): string =>
  [clusterUid, metadata.uid, ...(namedAfter ? [namedAfter.installation, namedAfter.clusterUid] : [])].join('/');
