import type { KubeObject } from '../../machinery/api/object.ts';

/** Whether the object itself is marked as paused. */
export const hasPaused = ({ metadata }: KubeObject): boolean =>
  metadata.annotations?.['cluster.x-k8s.io/paused'] !== undefined;
