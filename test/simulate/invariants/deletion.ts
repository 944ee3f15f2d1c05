/** Deletions of whole clusters, for which many rules make an exception. */
import type { Cluster } from '../../../kinds/core/cluster/index.ts';
import { deleteForMove } from '../../../kinds/core/cluster/protection.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Mirror } from '../mirror.ts';

const isGoing = (object: KubeObject | undefined) => object?.metadata.deletionTimestamp !== undefined;

/** Foreground deletion of a Machine deletes everything that it owns at once, including its host. */
export const isForeground = ({ metadata }: KubeObject): boolean =>
  metadata.finalizers?.includes('foregroundDeletion') ?? false;

/** The cluster or its control plane is deleted, or its target is Nothing. */
export const isEnding = (mirror: Mirror, namespace: string, name: string): boolean => {
  const cluster = mirror.get<Cluster>('Cluster', namespace, name);
  if (!cluster || isGoing(cluster)) return true;
  const { kind = '', name: of = '' } = cluster.spec?.controlPlaneRef ?? {};
  if (kind === 'KubeadmControlPlane') {
    const controlPlane = mirror.get(kind, namespace, of);
    if (!controlPlane || isGoing(controlPlane)) return true;
  }
  return cluster.metadata.annotations?.['capstan.dev/target'] === 'Nothing';
};

/** Whether another installation takes the object over: clusterctl move, or a restored backup. */
export const isMoved = (object: KubeObject | undefined): boolean =>
  object?.metadata.annotations?.[deleteForMove] !== undefined;
