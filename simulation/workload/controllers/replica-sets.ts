import { equal } from '../../../machinery/api/merge.ts';
import { isPodActive, isPodReady, type PodObject, type ReplicaSetObject } from '../objects.ts';
import type { ClusterController } from '../world.ts';
import { expendableFirst, orphansOf, ownedBy, ownerReference, podOf } from './pods-of.ts';

export const replicaSets: ClusterController = (world, plan) => {
  const pods = world.list<PodObject>('pods');
  for (const set of world.list<ReplicaSetObject>('replicasets.apps')) {
    if (set.metadata.deletionTimestamp || !set.spec) continue;
    for (const orphan of orphansOf(set, set.spec.selector, pods))
      plan.update('pods', { ...orphan, metadata: { ...orphan.metadata, ownerReferences: [ownerReference(set)] } });
    const active = ownedBy(set, pods).filter(isPodActive);
    const wanted = set.spec.replicas ?? 1;
    for (let count = active.length; count < wanted; count++)
      plan.create('pods', podOf(set, `${set.metadata.name}-${world.suffix()}`, set.spec.template));
    if (active.length > wanted)
      for (const pod of [...active].sort(expendableFirst).slice(0, active.length - wanted))
        plan.terminate(pod, world.now);
    const ready = active.filter(isPodReady).length;
    const status = {
      replicas: active.length,
      fullyLabeledReplicas: active.length,
      ...(ready > 0 && { readyReplicas: ready, availableReplicas: ready }),
      observedGeneration: set.metadata.generation,
    };
    if (!equal(status, set.status)) plan.update('replicasets.apps', { ...set, status });
  }
};
