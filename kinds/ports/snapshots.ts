/** The port of etcd snapshots: from a workload cluster's etcd into the installation's storage. */
import { asks, calls } from './port.ts';
import type { EtcdAccess } from './workload.ts';

/** What is stored beside the file, and tells that it is complete. */
export type SnapshotManifest = {
  cluster: { namespace: string; name: string; uid: string };
  snapshot: { name: string; uid: string };
  startedAt: string;
  /** The node whose etcd member was read. */
  member: string;
  etcdVersion: string;
  kubernetesVersion: string;
  /** The member's revision before the snapshot; the file includes it. */
  revision: number;
  /** Names of the Secrets that are kept beside it. */
  secrets?: string[];
};

/** Objects that a copy for another cluster keeps from that cluster's API server. */
export type Exclusion = {
  /** What they are, such as `Nodes`. */
  what: string;
  /**
   * Paths in etcd below `/registry/`, with all below them. In each part of a path one `*` stands for
   * any characters.
   */
  keys: string[];
  /** Only objects whose stored value contains one of these byte sequences, in Latin-1. */
  values?: string[];
  /** Stays if its value is encrypted, and so cannot be searched. */
  mayStay?: true;
};

const isLike = (pattern: string, part: string): boolean => {
  const star = pattern.indexOf('*');
  if (star < 0) return part === pattern;
  const [start, end] = [pattern.slice(0, star), pattern.slice(star + 1)];
  return part.length >= start.length + end.length && part.startsWith(start) && part.endsWith(end);
};

/**
 * What an object is called whose key is at the path or below it: the key behind the parts of the
 * path before a `*`. Undefined for other keys. Both in parts.
 */
export const nameBelow = (path: readonly string[], key: readonly string[]): string | undefined => {
  if (!path.every((pattern, i) => i < key.length && isLike(pattern, key[i]!))) return undefined;
  const star = path.findIndex((pattern) => pattern.includes('*'));
  return key.slice(star < 0 ? path.length : star).join('/') || key.join('/');
};

/** What a copy found in the snapshot, and what it kept from the API server. */
export type CopyReport = {
  /** `names`: the first ones. */
  detached: { what: string; count: number; names: string[] }[];
  /** What is encrypted and was to be searched. */
  unsearched: string[];
  /** Keys that the API server needs to read the objects, such as `aescbc:v1:key1`. */
  encryption: string[];
  /** Of kubeadm's configuration. */
  serviceSubnet?: string;
  podSubnet?: string;
  dnsDomain?: string;
};

export type StoredSnapshot = {
  /** Bytes of the file, with the hash that ends it. */
  size: number;
  /** sha256: and the hexadecimal hash of the database. */
  checksum: string;
  /** sha256: and the hexadecimal hash of the file; absent if it could not be read to its end. */
  fileChecksum?: string;
  member: string;
  etcdVersion: string;
  /** Of a copy for another cluster. */
  copy?: CopyReport;
  /** Names of the Secrets that are kept beside it. */
  secrets?: string[];
};

export type SnapshotCheck = {
  stored: StoredSnapshot;
  /** Why the file cannot be restored; absent if nothing speaks against it. */
  fault?: string;
  /** The newest revision in the file, and the number of revisions of keys in it. */
  revision?: number;
  keys?: number;
};

/** Of a file that is gone, or whose manifest cannot be read. */
export const nothingStored: StoredSnapshot = { size: 0, checksum: '', member: '', etcdVersion: '' };

/** A Secret without which a cluster cannot be restored from its snapshot. Values are in base64, as in a Secret. */
export type KeptSecret = { name: string; type?: string; data: Record<string, string> };

/** A complete snapshot whose files were deleted and are kept. */
export type DeletedSnapshot = {
  /** The key that its file had. */
  location: string;
  manifest: SnapshotManifest & Pick<StoredSnapshot, 'size' | 'checksum'>;
  /** Milliseconds since the epoch. */
  deletedAt: number;
  keptUntil: number;
};

/** One whose manifest cannot be read, so that nothing is known of its file. */
export type DamagedSnapshot = { location: string; fault: string };

/** `location`: the key of the file. */
export interface SnapshotReads {
  /** Reads the whole stored file; absent while it is not complete. */
  Check: [{ location: string }, SnapshotCheck];
  /** A URL from which its holder can read the file for that many seconds. */
  Link: [{ location: string; seconds: number }, { url: string }];
  /** The Secrets that are kept with it; absent if there are none, or if the cluster was of another namespace. */
  Keys: [{ location: string; namespace: string }, { secrets: KeptSecret[] } | { fault: string }];
  /** What is kept of the snapshots of a namespace, or of one of its clusters; the last deleted ones first. */
  ListDeleted: [
    { installation: string; namespace: string; cluster?: string; most: number },
    { snapshots: DeletedSnapshot[]; omitted: number },
  ];
  /** Absent if nothing is kept of it. */
  GetDeleted: [{ location: string }, DeletedSnapshot | DamagedSnapshot];
}

export interface SnapshotEffects {
  /** Replaces what an earlier attempt left. */
  Take: EtcdAccess & { location: string; manifest: SnapshotManifest; secrets: KeptSecret[] };
  /**
   * Writes the file `from` again, for another cluster. Replaces what an earlier attempt left.
   * `checksum`: that of the file to copy.
   */
  Copy: { from: string; checksum: string; without: Exclusion[]; location: string; manifest: SnapshotManifest };
  /** Writes the deleted file `from` again. Replaces what an earlier attempt left. */
  Recover: { from: string; location: string; manifest: SnapshotManifest & Pick<StoredSnapshot, 'size' | 'checksum'> };
  /** An absent file counts as deleted. */
  Delete: { location: string };
}

export const askSnapshots = asks<SnapshotReads>('snapshots');
export const callSnapshots = calls<SnapshotEffects>('snapshots');
