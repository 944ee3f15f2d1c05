import type { Cluster } from '../../../../kinds/core/cluster/index.ts';
import type { ClusterOperation } from '../../../../kinds/operations/cluster-operation/index.ts';
import { objectTargetsOf } from '../relations.ts';
import type { Rule } from '../rule.ts';

const coversAll = (before: ClusterOperation, now: ClusterOperation): boolean =>
  (now.spec?.objects ?? []).every((one) =>
    before.spec?.objects?.some(
      ({ kind, name, revision }) => kind === one.kind && name === one.name && revision === one.revision,
    ),
  );

/**
 * A rollback cannot oscillate with a client that applies the same spec again: an upgrade that did
 * not succeed begins anew only after a change, or when a user asks for it.
 */
export const begunOnce: Rule = ({ world: { mirror } }, broken) => ({
  onCommit: ({ event, object }) => {
    if (event !== 'ADDED' || object?.kind !== 'ClusterOperation') return;
    const now = object as ClusterOperation;
    if (now.spec?.type !== 'upgrade') return;
    const uids = new Set(now.metadata.ownerReferences?.map(({ uid }) => uid));
    const last = mirror
      .all<ClusterOperation>('ClusterOperation')
      .filter(({ metadata, spec }) => spec?.type === 'upgrade' && metadata.uid !== now.metadata.uid)
      .filter(({ metadata }) => metadata.ownerReferences?.some(({ uid }) => uids.has(uid)))
      .toSorted((a, b) => (a.spec?.attempt ?? 0) - (b.spec?.attempt ?? 0))
      .at(-1);
    if (!last || last.status?.phase === 'Succeeded' || last.spec?.retry !== now.spec.retry) return;
    if (coversAll(last, now))
      throw broken(`${now.metadata.name} begins the same again after ${last.metadata.name} ${last.status?.phase}`);
  },
});

/** Once an upgrade has succeeded, it limits and rolls back nothing that exists. */
export const limitsNothing: Rule = ({ world: { mirror } }, broken) => ({
  atEnd: async () => {
    for (const cluster of mirror.all<Cluster>('Cluster')) {
      const { annotations = {}, namespace = '', name } = cluster.metadata;
      const last = mirror.get<ClusterOperation>(
        'ClusterOperation',
        namespace,
        annotations['capstan.dev/operation'] ?? '',
      );
      const admitted = Object.entries(objectTargetsOf(cluster)).filter(([, { target }]) => target !== 'RollBack');
      if (last?.spec?.type === 'upgrade' && last.status?.phase === 'Succeeded' && admitted.length > 0)
        throw broken(
          `${last.metadata.name} has succeeded, but ${name} still has targets ${admitted.map(([key]) => key)}`,
        );
    }
  },
});
