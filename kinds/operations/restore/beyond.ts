/**
 * Workers that a restore cannot bring back: their specs ask for another minor version than the restored
 * control plane has, and any Machine of theirs can join only after a change of one of the two. Pure.
 */
import { isTrue } from '../../../machinery/api/conditions.ts';
import type { Cluster } from '../../core/cluster/index.ts';
import { availableByParts } from '../../core/contract/available.ts';
import { setVersion } from '../../core/contract/creatable.ts';
import { conditionsOf } from '../shared/cause.ts';
import { type Rollout, wantedVersionOf } from '../shared/rollouts.ts';
import { fits, goesBack, nameOf, poolsIn, type Restored, type Workers } from './workers.ts';

const isAvailable = ({ object }: Rollout): boolean => isTrue(conditionsOf(object), 'Available');

/** Available as it would be if all workers were. */
const isAvailableBut = (cluster: Cluster): boolean => {
  const conditions = cluster.status?.conditions ?? [];
  const workers = { type: 'WorkersAvailable', status: 'True' as const, reason: 'Available', message: '' };
  const others = conditions.filter(({ type }) => type !== workers.type);
  return availableByParts(cluster, [...others, workers]).status === 'True';
};

/**
 * The message of a restore that has brought back all but such workers; undefined if the cluster is Available,
 * or lacks something else, too.
 */
export const availableWithout = (workers: Workers, restored: Restored): string | undefined => {
  const absent = poolsIn(workers).filter((pool) => !isAvailable(pool));
  const isBeyond = (pool: Rollout) => !fits(wantedVersionOf(pool), restored) && !goesBack(workers, pool, restored);
  if (absent.length === 0 || !absent.every(isBeyond) || !isAvailableBut(workers.cluster)) return undefined;
  const textOf = (pool: Rollout) =>
    `${nameOf(pool.object)} asks for ${wantedVersionOf(pool)}, which cannot join a control plane of ${restored.version}. To give it that version, run: ${setVersion(pool.object, restored.version)}`;
  return absent.map(textOf).join('. ');
};
