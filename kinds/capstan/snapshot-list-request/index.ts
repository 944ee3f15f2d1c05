import type { Admission, FieldError } from '../../../machinery/api/kind.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { age, clusterColumn, column } from '../../common/columns.ts';
import { immutable } from '../../common/validate.ts';
import { defineKind } from '../../define.ts';
import { snapshotListRequest as facts } from './kind.ts';
import { type SnapshotListRequest, snapshotListRequestSpec, snapshotListRequestStatus } from './schema.ts';

export type * from './schema.ts';

/** It is answered once. */
const validate = (object: KubeObject, { operation, old }: Admission): FieldError[] => {
  const [now, before] = [object, old].map((one) => (one as SnapshotListRequest | undefined)?.spec?.clusterName);
  return operation === 'update' && now !== before ? [immutable('spec.clusterName')] : [];
};

/** Asks once which deleted snapshots are kept. Its controller deletes it soon after the answer. */
export const snapshotListRequest = defineKind({
  ...facts,
  shortNames: [],
  validate,
  versions: [
    {
      name: 'v1alpha1',
      served: true,
      storage: true,
      description: 'Asks the storage once which deleted etcd snapshots of this namespace it keeps.',
      columns: [clusterColumn, column('Answered', 'date', '.status.time', 'When the storage was asked.'), age],
      spec: snapshotListRequestSpec,
      status: snapshotListRequestStatus,
    },
  ],
});
