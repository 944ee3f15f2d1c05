import { atomicList, object, string, time } from '../../../machinery/api/schema.ts';

export const deleteStatus = {
  stays: atomicList(
    'What a deletion leaves in the account: it was not made for the cluster.',
    string('A kind and an id.'),
  ),
  snapshots: atomicList(
    'EtcdSnapshots that are deleted with their files once the Cluster is gone.',
    string('Name of an EtcdSnapshot.'),
  ),
  disksRemoval: string('The command that deletes one of the copies of disks that stay.'),
  finalSnapshot: object('The last snapshot of a cluster that is deleted.', {
    name: string('The EtcdSnapshot; absent if none was taken.'),
    keptUntil: time('When it is deleted.'),
    message: string('Why none was taken.'),
  }),
};
