/** What an EtcdSnapshot's conditions mean. */
import {
  byControlPlane,
  byOperation,
  byProbe,
  type CauseRules,
  kubectl,
  mergePatch,
} from '../../common/causes/index.ts';

export const etcdSnapshotCauses: CauseRules = {
  group: 'capstan.dev',
  kind: 'EtcdSnapshot',
  conditions: {
    Deleting: {
      bad: 'True',
      reasons: {
        InUse: { level: 'wait', by: byOperation },
        NotDeleted: {
          level: 'fault',
          advice:
            'End what denies it: a lock of the file, or a policy. Or leave the file where it is: without its finalizer the object goes alone',
          run: (one) => [mergePatch(one, { metadata: { finalizers: null } })],
        },
      },
    },
    Ready: {
      next: 'Capstan tries again until activeDeadlineSeconds of the snapshot have passed',
      reasons: {
        Taking: { level: 'wait' },
        TakeFailed: {},
        WaitingForControlPlane: { level: 'wait', by: byControlPlane },
        ClusterUnreachable: { level: 'wait', by: byProbe, overdueAfter: 600 },
        EtcdUnreadable: { by: byControlPlane },
        NoEtcdAuthority: { by: byControlPlane },
        NoHealthyMember: { by: byControlPlane },
        EtcdOfService: { next: 'It has failed for good', run: (one) => [kubectl('delete', one)] },
        ClusterNotFound: { next: 'It has failed for good', run: (one) => [kubectl('delete', one)] },
        StorageUnreadable: {},
        Damaged: {
          next: 'It has failed for good',
          advice: 'Take another',
          run: ({ spec, metadata }) => [
            `capstan snapshot create ${(spec as { clusterName?: string }).clusterName} -n ${metadata.namespace}`,
          ],
        },
        DeadlineExceeded: { next: 'It has failed for good' },
        NoRoom: {},
      },
      fine: ['Complete'],
    },
  },
};
