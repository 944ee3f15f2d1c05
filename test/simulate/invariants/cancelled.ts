/** Whoever cancels a creation pays for nothing more: what there is stays, and none of it is built on. */
import type { Cluster } from '../../../kinds/core/cluster/index.ts';
import type { ClusterOperation } from '../../../kinds/operations/cluster-operation/index.ts';
import type { Invariant, Setting } from './invariant.ts';
import { soon } from './soon.ts';
import { isGoing, isPaused } from './whose.ts';

const notes = {
  operation: 'capstan.dev/operation',
  target: 'capstan.dev/target',
  available: 'capstan.dev/was-available',
};

export const cancelled = (setting: Setting): Invariant => {
  const { mirror } = setting.world;
  return soon('cancelled', setting, function* () {
    for (const { metadata, spec, status } of mirror.all<ClusterOperation>('ClusterOperation')) {
      if (spec?.type !== 'create' || !spec.cancel || status?.phase !== 'Cancelled') continue;
      const cluster = mirror.get<Cluster>('Cluster', metadata.namespace!, spec.clusterName);
      const { annotations = {}, uid } = cluster?.metadata ?? {};
      const isIts = metadata.ownerReferences?.some((owner) => owner.uid === uid);
      if (!cluster || !isIts || isGoing(cluster) || isPaused(mirror, cluster)) continue;
      // Of what stands nothing is taken back, and another attempt goes on by itself.
      if (annotations[notes.available] !== undefined || annotations[notes.operation] !== metadata.name) continue;
      const is = annotations[notes.target] === 'Build';
      yield { what: `whether ${spec.clusterName}, whose creation is cancelled, is built on`, is, should: false };
    }
  });
};
