/** A cluster is torn down only while its users would have it so, and never once it was Available. */
import type { Cluster } from '../../../kinds/cluster/index.ts';
import type { Condition } from '../../../machinery/api/object.ts';
import { type Invariant, type Setting, Violation } from './invariant.ts';

const isAvailable = ({ status }: Cluster): boolean =>
  (status?.conditions as Condition[] | undefined)?.some(
    (condition) => condition.type === 'Available' && condition.status === 'True',
  ) ?? false;
const isTornDown = (cluster: Cluster | undefined) =>
  cluster?.metadata.annotations?.['capstan.dev/target'] === 'Nothing';

export const kept = ({ world }: Setting): Invariant => {
  /** Uids of those that were ever Available. */
  const available = new Set<string>();
  const note = (cluster: Cluster) => {
    if (isAvailable(cluster)) available.add(cluster.metadata.uid!);
  };
  for (const cluster of world.mirror.all<Cluster>('Cluster')) note(cluster);
  return {
    onCommit: ({ object, before }) => {
      if (object?.kind !== 'Cluster') return;
      const cluster = object as Cluster;
      const { name, uid = '', annotations = {}, deletionTimestamp } = cluster.metadata;
      if (!deletionTimestamp && isTornDown(cluster) && !isTornDown(before as Cluster | undefined)) {
        if (available.has(uid)) throw new Violation('torn down', `${name}, which was Available`);
        const policy = annotations['capstan.dev/on-create-failure'] ?? 'TearDown';
        if (policy !== 'TearDown') throw new Violation('torn down', `${name}, with the policy ${policy}`);
      }
      note(cluster);
    },
  };
};
