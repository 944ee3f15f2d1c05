/** A cluster is torn down, or kept as it is, only while its users would have it so, and never torn down once it was Available. */
import type { Cluster } from '../../../kinds/core/cluster/index.ts';
import type { ClusterOperation } from '../../../kinds/operations/cluster-operation/index.ts';
import type { Condition } from '../../../machinery/api/object.ts';
import { type Invariant, type Setting, Violation } from './invariant.ts';

const isAvailable = ({ status }: Cluster): boolean =>
  (status?.conditions as Condition[] | undefined)?.some(
    (condition) => condition.type === 'Available' && condition.status === 'True',
  ) ?? false;
const targetOf = (cluster: Cluster | undefined) => cluster?.metadata.annotations?.['capstan.dev/target'];

export const kept = ({ world }: Setting): Invariant => {
  /** Uids of those that were ever Available. */
  const available = new Set<string>();
  const note = (cluster: Cluster) => {
    if (isAvailable(cluster)) available.add(cluster.metadata.uid!);
  };
  for (const cluster of world.mirror.all<Cluster>('Cluster')) note(cluster);
  /** Somebody cancels it, or it may not be torn down. */
  const isExcused = ({ metadata: { namespace = '', annotations = {} } }: Cluster): boolean => {
    const name = annotations['capstan.dev/operation'] ?? '';
    const operation = world.mirror.get<ClusterOperation>('ClusterOperation', namespace, name);
    const { metadata, spec } = operation ?? {};
    return !spec || spec.cancel === true || spec.adopted === true || metadata?.deletionTimestamp !== undefined;
  };
  return {
    onCommit: ({ object, before }) => {
      if (object?.kind !== 'Cluster') return;
      const cluster = object as Cluster;
      const { name, uid = '', annotations = {}, deletionTimestamp } = cluster.metadata;
      const target = targetOf(cluster);
      // What is usual need not be said.
      const policy = annotations['capstan.dev/on-create-failure'] ?? 'TearDown';
      if (!deletionTimestamp && target !== targetOf(before as Cluster | undefined)) {
        if (target === 'Nothing' && available.has(uid))
          throw new Violation('torn down', `${name}, which was Available`);
        if (target === 'Nothing' && policy !== 'TearDown')
          throw new Violation('torn down', `${name}, with the policy ${policy}`);
        // What a workflow cannot go on with is kept in any case.
        if (target === 'Hold' && policy !== 'Hold' && !isExcused(cluster) && !available.has(uid) && !world.isHeldUp)
          throw new Violation('kept', `${name}, with the policy ${policy}`);
      }
      note(cluster);
    },
  };
};
