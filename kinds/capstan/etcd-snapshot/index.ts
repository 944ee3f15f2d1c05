import { age, clusterColumn, column, conditionColumn } from '../../common/columns.ts';
import { defineKind } from '../../define.ts';
import { etcdSnapshot as facts } from './kind.ts';
import { etcdSnapshotSpec, etcdSnapshotStatus } from './schema.ts';
import { defaultEtcdSnapshot, validateEtcdSnapshot } from './validate.ts';

export type * from './schema.ts';

/** A snapshot of a workload cluster's etcd. The Cluster owns it; deleting it deletes its file. */
export const etcdSnapshot = defineKind({
  ...facts,
  shortNames: ['esnap'],
  default: defaultEtcdSnapshot,
  validate: validateEtcdSnapshot,
  versions: [
    {
      name: 'v1alpha1',
      served: true,
      storage: true,
      description: 'A snapshot of the etcd of a workload cluster, in the storage of the installation.',
      columns: [
        clusterColumn,
        column('Reason', 'string', '.spec.reason', 'Why it is taken.'),
        column('Phase', 'string', '.status.phase', 'Where it stands.'),
        conditionColumn('Ready', 'Ready', 'Whether the file is complete and matches its checksum.'),
        column('Size', 'integer', '.status.size', 'Bytes of the file.'),
        column('Revision', 'integer', '.status.revision', 'A revision that the file includes.'),
        age,
        column('Member', 'string', '.status.member', 'The node whose etcd member was read.', 1),
        column('Location', 'string', '.status.location', 'The key of the file.', 1),
      ],
      spec: etcdSnapshotSpec,
      specRequired: true,
      status: etcdSnapshotStatus,
    },
  ],
});
