/** The port of etcd snapshots: from a workload cluster's etcd into the installation's storage. */
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
};

export type StoredSnapshot = {
  /** Bytes of the file, with the hash that ends it. */
  size: number;
  /** sha256: and the hexadecimal hash of the database. */
  checksum: string;
  member: string;
  etcdVersion: string;
};

export type SnapshotCheck = {
  stored: StoredSnapshot;
  /** Why the file cannot be restored; absent if nothing speaks against it. */
  fault?: string;
  /** The newest revision in the file, and the number of revisions of keys in it. */
  revision?: number;
  keys?: number;
};

/** `location`: the key of the file. */
export interface SnapshotReads {
  /** Reads the whole stored file; absent while it is not complete. */
  Check: [{ location: string }, SnapshotCheck];
  /** A URL from which its holder can read the file for that many seconds. */
  Link: [{ location: string; seconds: number }, { url: string }];
}

export interface SnapshotEffects {
  /** Replaces what an earlier attempt left. */
  Take: EtcdAccess & { location: string; manifest: SnapshotManifest };
  /** An absent file counts as deleted. */
  Delete: { location: string };
}
