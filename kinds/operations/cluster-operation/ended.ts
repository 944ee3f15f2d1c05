import type { KubeObject } from '../../../machinery/api/object.ts';

const under: readonly unknown[] = [undefined, 'Pending', 'Running', 'Paused', 'Held'];

/** The operation has ended, so its controller changes nothing more. */
export const isOver = ({ status }: Pick<KubeObject, 'status'>): boolean =>
  !under.includes((status as { phase?: string } | undefined)?.phase);

/** An ended operation in deletion does not count: it may still have to wait for its Cluster. */
export const isPast = (operation: KubeObject): boolean =>
  isOver(operation) && operation.metadata.deletionTimestamp === undefined;
