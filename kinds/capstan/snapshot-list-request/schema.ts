import type { KubeObject } from '../../../machinery/api/object.ts';
import { atomicList, type Infer, int32, int64, object, required, string, time } from '../../../machinery/api/schema.ts';
import { clusterName, conditions } from '../../common/schema.ts';

export const snapshotListRequestSpec = object('Whose deleted snapshots are listed.', {
  clusterName: clusterName('Name of a Cluster, which may be gone; absent for all of the namespace.'),
});

const deletedSnapshot = object('A snapshot whose file was deleted and is kept.', {
  name: required(string('The name that its EtcdSnapshot had.')),
  clusterName: required(string('The Cluster whose etcd it is.')),
  clusterUID: required(string('The uid of that Cluster: a later one of its name is another.')),
  location: required(string('The key that its file had, for spec.recover of an EtcdSnapshot.')),
  startedAt: required(time('When it was taken.')),
  deletedAt: required(time('When its file was deleted.')),
  keptUntil: required(time('When it is gone for good.')),
  revision: int64('A revision that the file includes.', { minimum: 0 }),
  size: int64('Bytes of the file.', { minimum: 0 }),
  kubernetesVersion: string('Version of the API server.'),
});

export const snapshotListRequestStatus = object('The list.', {
  time: time('When the storage was asked.'),
  snapshots: atomicList('What can be recovered, the last deleted first, at most 500.', deletedSnapshot),
  omitted: int32('Further ones that are not listed.', { minimum: 0 }),
  message: string('Why the storage cannot be asked yet.'),
  conditions: conditions(),
});

export type SnapshotListRequestStatus = Infer<typeof snapshotListRequestStatus>;
export type SnapshotListRequest = KubeObject<Infer<typeof snapshotListRequestSpec>, SnapshotListRequestStatus>;
declare module '../../../machinery/api/reconcile.ts' {
  interface ObjectTypes {
    SnapshotListRequest: SnapshotListRequest;
  }
}
