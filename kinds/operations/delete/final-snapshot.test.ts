/** The last snapshot of a cluster that is deleted. */
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { finalSnapshotName } from '../../core/contract/final-snapshot.ts';
import type { WorkloadSnapshot } from '../../ports/workload.ts';
import {
  annotated,
  clusterOf,
  clusterStateOf,
  objectOf,
  wasAvailable,
} from '../cluster-operation/operation.fixture.ts';
import type { ClusterState } from '../shared/cluster-state.ts';
import type { OperationScope } from '../shared/scope.ts';
import { awaitedFinal, finalMessage, takeFinal, withFinal } from './final-snapshot.ts';

const deleting = { deletionTimestamp: '2026-11-29T10:00:00Z' };
const deleted = (change: object = {}) => {
  const cluster = clusterOf({ ...wasAvailable, ...change });
  return { ...cluster, metadata: { ...cluster.metadata, ...deleting } };
};
const workload = { reachable: true } as WorkloadSnapshot;
const snapshot = (status: object): KubeObject => objectOf('EtcdSnapshot', finalSnapshotName(deleted()), { status });
const failed = [{ type: 'Ready', status: 'False', reason: 'DeadlineExceeded', message: 'Not complete in time' }];

const decide = (change: Partial<ClusterState> = {}, cluster = deleted()) => {
  const clusterState = clusterStateOf(cluster, { workload, ...change });
  const scope = { cluster, clusterState } as OperationScope;
  const status = withFinal({}, clusterState);
  return {
    status,
    does: takeFinal(scope, status).map(({ do: verb }) => verb),
    waits: awaitedFinal(scope, status)?.verdict,
    says: finalMessage(status, 'default'),
  };
};
const silent = '. No last snapshot was taken, because the API server of the cluster does not answer';

describe('the last snapshot', () => {
  it.each<{
    rule: string;
    change?: Partial<ClusterState>;
    cluster?: ReturnType<typeof deleted>;
    does?: string[];
    waits?: string;
    says: string | RegExp;
  }>([
    { rule: 'is asked for at once', does: ['create'], waits: 'pending', says: '' },
    {
      rule: 'is awaited',
      change: { snapshots: [snapshot({ phase: 'Running' })] },
      waits: 'pending',
      says: '',
    },
    {
      rule: 'is named with its end and the command that removes it',
      change: { snapshots: [snapshot({ phase: 'Succeeded', completedAt: '2026-11-29T10:01:00Z' })] },
      says: /^\. Its last state is EtcdSnapshot demo-final-\S+ until 2026-12-29T10:01:00Z; to remove it now, run: kubectl delete etcdsnapshot demo-final-\S+ -n default$/,
    },
    {
      rule: 'fails without holding the deletion',
      change: { snapshots: [snapshot({ phase: 'Failed', conditions: failed })] },
      says: '. No last snapshot was taken: Not complete in time',
    },
    { rule: 'is not awaited of a silent cluster', change: { workload: undefined }, says: silent },
    {
      rule: 'is given up once the cluster is silent',
      change: { workload: { reachable: false } as WorkloadSnapshot, snapshots: [snapshot({ phase: 'Pending' })] },
      does: ['delete'],
      says: silent,
    },
    {
      rule: 'is refused by an annotation',
      cluster: deleted({
        ...annotated({ 'capstan.dev/final-snapshot': 'false', 'capstan.dev/was-available': 'true' }),
      }),
      says: /because of capstan.dev\/final-snapshot of the Cluster$/,
    },
    {
      rule: 'needs an etcd of the control plane',
      change: { managesEtcd: false },
      says: /because Capstan does not manage its etcd$/,
    },
    { rule: 'is none of a cluster that never was Available', cluster: clusterOf() as never, says: '' },
  ])('$rule', ({ change, cluster, does = [], waits, says }) => {
    const decision = decide(change, cluster);
    expect(decision.does).toEqual(does);
    expect(decision.waits).toBe(waits);
    expect(decision.says).toMatch(says === '' ? /^$/ : says);
  });

  it('stays decided when the cluster answers no more', () => {
    const { status } = decide({ snapshots: [snapshot({ phase: 'Succeeded', completedAt: '2026-11-29T10:01:00Z' })] });
    const later = withFinal(status, clusterStateOf(deleted(), { workload: undefined }));
    expect(later.finalSnapshot).toEqual(status.finalSnapshot);
  });
});
