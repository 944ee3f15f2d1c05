import { atomicList, string, time } from '../../../machinery/api/schema.ts';

export const restoreSpec = {
  snapshot: string('The EtcdSnapshot that a restore restores.', { minLength: 1, maxLength: 253 }),
};

export const restoreStatus = {
  version: string('The version that a restore builds.'),
  checkedSpec: string('Hash of what the Preflight of a restore checked of how the control plane builds Machines.'),
  before: string('The EtcdSnapshot of the state that a restore replaces; absent if etcd did not answer.'),
  disks: atomicList(
    'Copies of the disks of its hosts that a restore keeps aside where etcd does not answer, or that stay after a deletion.',
    string('What it is, and of which disk.'),
  ),
  disksUntil: time('When they are deleted.'),
  hosts: atomicList('Provider IDs of the hosts whose Nodes a restore removes.', string('A provider ID.')),
};
