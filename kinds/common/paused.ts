import type { KubeObject } from '../../machinery/api/object.ts';

export const pausedAnnotation = 'cluster.x-k8s.io/paused';

/** Whether the object itself is marked as paused. */
export const hasPaused = ({ metadata }: Pick<KubeObject, 'metadata'>): boolean =>
  metadata.annotations?.[pausedAnnotation] !== undefined;
