/** Who owns an AWSCluster's infrastructure, and whether its creation has begun. */

import type { KubeObject } from '../../../machinery/api/object.ts';
import { additional, clusterUidTag, namedAfterAnnotation, type Owner } from '../engine/tags.ts';
import type { AWSCluster } from './schema.ts';

interface Note {
  clusterUid: string;
  namedAfter?: Owner['namedAfter'];
}

const pairOf = (text = ''): Owner['namedAfter'] => {
  const [, installation, clusterUid] = /^(.+)\/([^/]+)$/.exec(text) ?? [];
  return installation && clusterUid ? { installation, clusterUid } : undefined;
};

/**
 * The note counts only on the object it was written on: a copy of the YAML must not take over the
 * original's resources.
 */
const noteOf = ({ metadata }: Pick<AWSCluster, 'metadata'>): Note | undefined => {
  const [clusterUid, on, ...former] = (metadata.annotations?.[clusterUidTag] ?? '').split('/');
  return clusterUid && on === metadata.uid ? { clusterUid, namedAfter: pairOf(former.join('/')) } : undefined;
};

const referenceOf = ({ ownerReferences }: AWSCluster['metadata']) =>
  ownerReferences?.find(({ kind, apiVersion }) => kind === 'Cluster' && apiVersion.startsWith('cluster.x-k8s.io/'));

/**
 * The owner and the name prefix of its load balancers, as recorded when the controller created the
 * first resource, whatever users write there later; before that by owner reference and annotation.
 */
export const ownerOf = ({ metadata, spec }: AWSCluster, installation: string): Owner | undefined => {
  const reference = referenceOf(metadata);
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

/** uid of the Cluster that the infrastructure is created for. */
export const clusterUidOf = ({ metadata }: AWSCluster): string | undefined =>
  noteOf({ metadata })?.clusterUid ?? referenceOf(metadata)?.uid;

/** Whether the controller has created a resource for it, or is about to. */
export const isBegun = (awsCluster: AWSCluster): boolean => noteOf(awsCluster) !== undefined;

/**
 * The owner, which the controller recorded or which is the Cluster of this namespace. API clients
 * write references: one to another namespace's Cluster must not reach what was made for that.
 */
export const provenOwnerOf = (
  awsCluster: AWSCluster,
  cluster: KubeObject | undefined,
  installation: string,
): Owner | undefined => {
  const owner = ownerOf(awsCluster, installation);
  return isBegun(awsCluster) || cluster?.metadata.uid === owner?.clusterUid ? owner : undefined;
};

/** The value of the owner annotation. */
export const ownerNote = ({ metadata }: AWSCluster, { clusterUid, namedAfter }: Owner): string =>
  [clusterUid, metadata.uid, ...(namedAfter ? [namedAfter.installation, namedAfter.clusterUid] : [])].join('/');
