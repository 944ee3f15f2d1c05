/** What users wait for, and when they stop waiting. */
import type { Cluster } from '../../../kinds/core/cluster/index.ts';
import type { Machine } from '../../../kinds/core/machine/index.ts';
import { CloudError } from '../../../kinds/ports/cloud.ts';
import type { Condition } from '../../../machinery/api/object.ts';
import { sleep } from '../../../machinery/ports.ts';
import { Violation } from '../invariants/rule.ts';
import type { Scene } from './context.ts';
import { isStillborn } from './recovery.ts';

const minute = 60_000;
/** What got lost is looked for once in a day. */
export const patience = 25 * 60 * minute;
/** Where nobody is held up nobody waits for that. */
export const promptly = 20 * minute;

/** By that condition of the cluster. */
export const isServing = ({ world, wish }: Scene, type = 'Available'): boolean => {
  const { conditions = [] } = (world.mirror.get<Cluster>('Cluster', 'default', wish.name)?.status ?? {}) as {
    conditions?: Condition[];
  };
  return conditions.some((one) => one.type === type && one.status === 'True');
};

/** Whoever cannot look at the account, since somebody else sees to it that nobody can, has not seen it. */
const seen = async (isSo: () => boolean | Promise<boolean>): Promise<boolean> => {
  try {
    return await isSo();
  } catch (error) {
    if (error instanceof CloudError) return false;
    throw error;
  }
};

/**
 * False when it has not come about while the cluster (by that condition), or, once something has gone wrong, one of its
 * machines waits for a person.
 */
export const comes = async (
  scene: Scene,
  what: string,
  isSo: () => boolean | Promise<boolean>,
  type = 'Available',
  most: number | (() => number) = patience,
): Promise<boolean> => {
  const { clock, world } = scene;
  let [served, silent] = [0, 0];
  while (!(await seen(isSo))) {
    if (isServing(scene, type)) [served, silent] = [served + minute, 0];
    else silent += minute;
    const stillborn = world.mirror.all<Machine>('Machine').find(isStillborn(clock.now()));
    if (stillborn && !world.isDisturbed)
      throw new Violation('upkeep', `${what} does not come about: ${stillborn.metadata.name} never became a node`);
    if (silent > 120 * minute || stillborn) return false;
    if (served > (typeof most === 'number' ? most : most()))
      throw new Violation('upkeep', `${what} does not come about`);
    await sleep(clock, minute);
  }
  return true;
};
export const areGone = ({ world }: Scene, machines: readonly Machine[]) => {
  const uids = new Set(machines.map(({ metadata }) => metadata.uid));
  return () => !world.mirror.all<Machine>('Machine').some(({ metadata }) => uids.has(metadata.uid));
};
