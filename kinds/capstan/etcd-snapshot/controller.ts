import { defineController } from '../../../machinery/api/reconcile.ts';
import type { Providers } from '../../core/contract/providers.ts';
import { type Observed, observe } from './observe.ts';
import { reconcile } from './reconcile.ts';
import type { EtcdSnapshot } from './schema.ts';

/** The EtcdSnapshot controller: takes a snapshot, checks the stored file, and deletes it. */
export const etcdSnapshots = ({ controlPlanes }: Pick<Providers, 'controlPlanes'>) =>
  defineController<EtcdSnapshot, Observed>({
    name: 'etcd-snapshot',
    for: 'EtcdSnapshot',
    worker: 'workload',
    level: 'gate',
    watches: [
      { kind: 'Cluster', to: 'members' },
      // A snapshot that waits for its cluster is taken as soon as the cluster answers.
      { kind: 'WorkloadSnapshot', to: 'members' },
    ],
    finalizer: 'capstan.dev/etcd-snapshot',
    clusterOf: ({ spec }) => spec?.clusterName,
    conditions: 'v1beta2',
    observe: (snapshot, read, context) => observe(snapshot, read, context, controlPlanes),
    reconcile,
  });
