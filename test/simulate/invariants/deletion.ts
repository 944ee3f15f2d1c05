/** Whether a cluster goes as a whole: then nobody cares for what is in it. */
import type { Cluster } from '../../../kinds/core/cluster/index.ts';
import { deleteForMove } from '../../../kinds/core/cluster/protection.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Mirror } from '../mirror.ts';

const isGoing = (object: KubeObject | undefined) => object?.metadata.deletionTimestamp !== undefined;

/** Whoever deletes a Machine in the foreground has all that it owns deleted at once, its host among it. */
export const isForeground = ({ metadata }: KubeObject): boolean =>
  metadata.finalizers?.includes('foregroundDeletion') ?? false;

/** Nobody wants it any more, nor its control plane, or it is planned towards nothing. */
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
