/**
 * The last snapshot of a cluster that is deleted. Its operation has it taken while the workers leave,
 * and the control plane keeps its Machines until it is over. Pure.
 */
import type { JsonValue, KubeObject } from '../../../machinery/api/object.ts';
import { isDeleting } from './machines.ts';
import { wasAvailable } from './target.ts';

/** On a Cluster: `false` takes none. */
export const finalSnapshotAnnotation = 'capstan.dev/final-snapshot';

const day = 24 * 3600;
/** Seconds for which the snapshot stays after the cluster. */
export const finalTtl = 30 * day;
/** Seconds after which an attempt fails, and the deletion goes on. */
export const finalDeadline = 600;

const longestName = 253;

/** A later Cluster of the same name has another one. */
export const finalSnapshotName = ({ metadata: { name, uid = '' } }: KubeObject): string => {
  const ending = `-final-${uid.slice(0, 8)}`;
  return `${name.slice(0, longestName - ending.length)}${ending}`;
};

/** `config` as in the controllers' context: without workflows no operation takes it. */
export const isFinalWanted = (cluster: KubeObject, config: Record<string, JsonValue>): boolean =>
  config.workflows === true &&
  isDeleting(cluster) &&
  wasAvailable(cluster) &&
  cluster.metadata.annotations?.[finalSnapshotAnnotation] !== 'false';
