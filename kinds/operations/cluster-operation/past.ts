import type { KubeObject } from '../../../machinery/api/object.ts';

const under: readonly unknown[] = [undefined, 'Pending', 'Running', 'Held'];

/** Nothing more happens to it by itself. */
export const isOver = ({ status }: Pick<KubeObject, 'status'>): boolean =>
  !under.includes((status as { phase?: string } | undefined)?.phase);

/** One that is to go may have to wait for its Cluster. */
export const isPast = (operation: KubeObject): boolean =>
  isOver(operation) && operation.metadata.deletionTimestamp === undefined;
