/** What holds an object, whatever else waits for it: no controller goes on until a user lifts it. */
import type { KubeObject } from '../../../machinery/api/object.ts';

export const pausedAnnotation = 'cluster.x-k8s.io/paused';

const ownDomains = ['cluster.x-k8s.io', 'capstan.dev'];
/** Such as team.example.com/backup; finalizers without a domain are Kubernetes' own. */
const isForeign = (finalizer: string): boolean => {
  const [domain = ''] = finalizer.split('/');
  return domain.includes('.') && !ownDomains.some((own) => domain === own || domain.endsWith(`.${own}`));
};

/** A predicate; undefined if nothing holds the object. */
export const holdOf = ({ metadata }: KubeObject): string | undefined => {
  if (metadata.annotations?.[pausedAnnotation] !== undefined) return `is held by its annotation ${pausedAnnotation}`;
  const { deletionTimestamp, finalizers = [] } = metadata;
  if (deletionTimestamp === undefined || finalizers.length === 0 || !finalizers.every(isForeign)) return undefined;
  return `is held by ${finalizers.length === 1 ? 'its finalizer' : 'its finalizers'} ${finalizers.join(', ')}`;
};

/** Names the first object that is held. */
export const holdAmong = (objects: readonly KubeObject[]): string | undefined => {
  for (const object of objects) {
    const hold = holdOf(object);
    if (hold !== undefined) return `${object.kind} ${object.metadata.name} ${hold}`;
  }
  return undefined;
};
