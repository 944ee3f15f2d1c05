/** What the controller records of a pool before it makes a node group. Pure. */
import type { KubeObject } from '../../../machinery/api/object.ts';

/** JSON of a Note. Reserved for controllers. */
export const nodegroupAnnotation = 'capstan.dev/node-group';

export interface Note {
  /** uid of the pool: a copy of the object must not act on the original's node group. */
  pool: string;
  clusterUid: string;
  clusterName: string;
  region: string;
  /** Name of the cluster in EKS. */
  eksCluster: string;
}

const isNote = (value: unknown): value is Note => {
  const { pool, clusterUid, clusterName, region, eksCluster } = (value ?? {}) as Partial<Note>;
  return [pool, clusterUid, clusterName, region, eksCluster].every((one) => typeof one === 'string');
};

/** Undefined before a node group was asked for. */
export const noteOf = ({ metadata }: Pick<KubeObject, 'metadata'>): Note | undefined => {
  try {
    const note: unknown = JSON.parse(metadata.annotations?.[nodegroupAnnotation] ?? 'null');
    return isNote(note) && note.pool === metadata.uid ? note : undefined;
  } catch {
    return undefined;
  }
};
