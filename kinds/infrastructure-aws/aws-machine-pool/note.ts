/** What the controller records of a pool before it makes anything in the account. Pure. */
import type { KubeObject } from '../../../machinery/api/object.ts';

/** JSON of a Note. Reserved for controllers. */
export const poolAnnotation = 'capstan.dev/pool';
/** Hash and number of parts of the bootstrap data that is stored. Reserved for controllers. */
export const storedDataAnnotation = 'capstan.dev/stored-bootstrap-data';

/** The image of the instances, kept until a field that chooses it changes. */
export interface NotedImage {
  /** The fields that chose it. */
  key: string;
  id: string;
  root: string;
  /** Size of its root volume, in GiB. */
  size: number;
}

/** What instances are replaced for, as hashes. */
export interface NotedTemplate {
  /** Of the newest version. */
  roll: string;
  /** The version with which it began. */
  since: number;
  /** Of each version that instances have. */
  rolls: Record<string, string>;
}

export interface Note {
  /** uid of the pool: a copy of the object must not act on the original's group. */
  pool: string;
  region: string;
  clusterUid: string;
  clusterName: string;
  /** Of the group and of the launch template. */
  name: string;
  /** Common prefix of the secrets with the bootstrap data, and how many of them may exist. */
  secrets: { prefix: string; count: number };
  image?: NotedImage;
  template?: NotedTemplate;
  /** The last instance refresh: for which version, and when it was started in milliseconds since the epoch. */
  refresh?: { since: number; at: number };
  /** The newest version of the launch template when old ones were last deleted. */
  pruned?: number;
  /** Lifecycle hooks that were put. */
  hooks?: string[];
}

const isNote = (value: unknown): value is Note => {
  const { pool, region, clusterUid, name, secrets } = (value ?? {}) as Partial<Note>;
  return [pool, region, clusterUid, name, secrets?.prefix].every((one) => typeof one === 'string');
};

/** Undefined before anything was made. */
export const noteOf = ({ metadata }: Pick<KubeObject, 'metadata'>): Note | undefined => {
  try {
    const note: unknown = JSON.parse(metadata.annotations?.[poolAnnotation] ?? 'null');
    return isNote(note) && note.pool === metadata.uid ? note : undefined;
  } catch {
    return undefined;
  }
};

export const groupNameOf = (pool: KubeObject): string | undefined => noteOf(pool)?.name;

export interface StoredData {
  hash: string;
  count: number;
}

export const storedDataOf = ({ metadata }: KubeObject): StoredData | undefined => {
  const [hash, count] = (metadata.annotations?.[storedDataAnnotation] ?? '').split('/');
  return hash && Number(count) > 0 ? { hash, count: Number(count) } : undefined;
};
export const storedDataText = ({ hash, count }: StoredData): string => `${hash}/${count}`;
