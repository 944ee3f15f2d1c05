import type { KubeObject } from '../../../machinery/api/object.ts';
import {
  atomicList,
  boolean,
  type Infer,
  int32,
  int64,
  object,
  oneOf,
  required,
  string,
  time,
} from '../../../machinery/api/schema.ts';
import { clusterName, conditions, download, observedGeneration } from '../../common/schema.ts';

export const reasons = ['Manual', 'Schedule', 'Upgrade', 'Restore', 'Copy', 'Deletion', 'Recovery'] as const;
export const phases = ['Pending', 'Running', 'Succeeded', 'Failed'] as const;

const keyPath = '^[^/*]*\\*?[^/*]*(/[^/*]*\\*?[^/*]*)*$';

const exclusion = object('Objects that the copy keeps from the API server.', {
  what: required(string('What they are.', { minLength: 1 })),
  keys: required(
    atomicList(
      'Paths in etcd below /registry/, with all below them. In each part of a path one * stands for any characters.',
      string('A path.', { minLength: 1, pattern: keyPath }),
      { minItems: 1 },
    ),
  ),
  values: atomicList('Only values that contain one of these.', string('Bytes in Latin-1.')),
  mayStay: boolean('They stay if their values are encrypted.'),
});

const copySource = object('The snapshot of another cluster that this one is a copy of.', {
  name: required(string('Name of an EtcdSnapshot of this namespace.', { minLength: 1, maxLength: 253 })),
  without: atomicList('What the copy leaves out.', exclusion),
});

const recovery = object('The deleted snapshot that this one is to bring back.', {
  location: required(
    string('The key that its file had, as a SnapshotListRequest tells it.', { minLength: 1, maxLength: 1024 }),
  ),
});

export const etcdSnapshotSpec = object('Which cluster, why, and for how long.', {
  clusterName: required(clusterName('Name of the Cluster whose etcd is saved.')),
  reason: oneOf('Why it is taken. The schedule of the Cluster deletes its own snapshots.', reasons),
  source: copySource,
  recover: recovery,
  activeDeadlineSeconds: int32('Seconds from its creation after which an attempt that has not succeeded fails.', {
    minimum: 1,
  }),
  ttlSecondsAfterFinished: int32(
    'Seconds after its end at which the object and its file are deleted; absent keeps them.',
    { minimum: 0 },
  ),
});

const verification = object('What the last check of the file found.', {
  request: string('The value of the annotation capstan.dev/verify that asked for it.'),
  time: required(time('When the file was read.')),
  valid: required(boolean('The checksum matches, and every page of the key space could be read.')),
  message: string('What was found.'),
  revision: int64('The newest revision in the file.', { minimum: 0 }),
  keys: int64('Revisions of keys in the file, as etcdutl counts its keys.', { minimum: 0 }),
});

const detached = object('Objects that the copy keeps from the API server, as /detached/ in etcd.', {
  what: required(string('What they are.')),
  count: required(int32('How many there are.', { minimum: 1 })),
  names: atomicList('The first ones.', string('A namespace and name.')),
});

const copyReport = object('What the copy found in the snapshot.', {
  detached: atomicList('What it leaves out.', detached),
  unsearched: atomicList('What is encrypted, and was to be searched.', string('What it is.')),
  encryption: atomicList('Keys that the objects are encrypted with.', string('A provider, version and key.')),
  serviceSubnet: string('The addresses of Services.'),
  podSubnet: string('The addresses of Pods.'),
  dnsDomain: string('The domain of Services.'),
});

const secretNames = (description: string) => atomicList(description, string('Name of a Secret.'));

const keptKeys = object(
  'The Secrets that a restore needs, kept with the file and encrypted under a key of their own.',
  {
    kept: secretNames('Those that are kept.'),
    request: string('The value of the annotation capstan.dev/restore-keys that was answered last.'),
    restored: secretNames('Those that were absent, and were made again then.'),
    message: string('What was found then, or why nothing could be done yet.'),
  },
);

export const etcdSnapshotStatus = object('How far it has come, and what the file holds.', {
  observedGeneration: observedGeneration('v1beta2'),
  phase: oneOf('Pending, Running, Succeeded, or Failed for good.', phases),
  startedAt: time('When the current attempt chose its member and its file.'),
  completedAt: time('When the file was complete.'),
  failedAt: time('When it failed for good.'),
  member: string('The node whose etcd member is read.'),
  location: string('The key of the file in the installation’s storage.'),
  revision: int64('A revision that the file includes: that of the member when it began.', { minimum: 0 }),
  size: int64('Bytes of the file.', { minimum: 0 }),
  checksum: string('sha256: and the hash of the file, without the hash that etcd appends.'),
  fileChecksum: string('sha256: and the hash of the whole file, as sha256sum prints it.'),
  etcdVersion: string('Version of the member.'),
  kubernetesVersion: string('Version of the API server.'),
  verification,
  copy: copyReport,
  keys: keptKeys,
  download: download('file'),
  conditions: conditions(),
});

export type EtcdSnapshotSpec = Infer<typeof etcdSnapshotSpec>;
export type EtcdSnapshotStatus = Infer<typeof etcdSnapshotStatus>;
export type EtcdSnapshot = KubeObject<EtcdSnapshotSpec, EtcdSnapshotStatus>;
declare module '../../../machinery/api/reconcile.ts' {
  interface ObjectTypes {
    EtcdSnapshot: EtcdSnapshot;
  }
}
