import type { KubeObject } from '../../../machinery/api/object.ts';
import type { EtcdSnapshotStatus } from './schema.ts';

/** Reason of the Ready condition while the file cannot be read, whatever its status. */
export const storageUnreadable = 'StorageUnreadable';

/** The snapshot is taken, or has failed for good. */
export const isOver = ({ status }: KubeObject): boolean => {
  const phase = (status as EtcdSnapshotStatus | undefined)?.phase;
  return phase === 'Succeeded' || phase === 'Failed';
};
