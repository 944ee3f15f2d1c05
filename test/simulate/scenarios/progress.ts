/** What users wait for, and when they give up. */
import type { Cluster } from '../../../kinds/core/cluster/index.ts';
import type { Machine } from '../../../kinds/core/machine/index.ts';
import type { ClusterOperation } from '../../../kinds/operations/cluster-operation/index.ts';
import { CloudError } from '../../../kinds/ports/cloud/index.ts';
import type { Condition } from '../../../machinery/api/object.ts';
import { sleep } from '../../../machinery/ports.ts';
import { Violation } from '../invariants/rule.ts';
import type { ScenarioContext } from './context.ts';
import { isStillborn } from './recovery.ts';

const minute = 60_000;
/** The daily resync recovers lost events. */
export const resyncTimeout = 25 * 60 * minute;
/** The limit when no worker is held up, so that nothing waits for the resync. */
export const promptly = 20 * minute;

/** Whether the Cluster has this condition. */
export const isServing = ({ world, desired }: ScenarioContext, type = 'Available'): boolean => {
  const { conditions = [] } = (world.mirror.get<Cluster>('Cluster', 'default', desired.name)?.status ?? {}) as {
    conditions?: Condition[];
  };
  return conditions.some((one) => one.type === type && one.status === 'True');
};

/** Whether it is so. A failed AWS call counts as no, because a fault may deny it. */
const seen = async (isSo: () => boolean | Promise<boolean>): Promise<boolean> => {
  try {
    return await isSo();
  } catch (error) {
    if (error instanceof CloudError) return false;
    throw error;
  }
};

/** Whether the cluster's upgrade was refused because its checks did not end: it waits for a user. */
const isUnchecked = ({ world: { mirror }, desired }: ScenarioContext): boolean => {
  const { annotations = {} } = mirror.get<Cluster>('Cluster', 'default', desired.name)?.metadata ?? {};
  const last = mirror.get<ClusterOperation>('ClusterOperation', 'default', annotations['capstan.dev/operation'] ?? '');
  return last?.status?.phase === 'RolledBack' && /\bClusterNotChecked\b/.test(last.status.message ?? '');
};

/**
 * Waits until it is so. False when the wait ends early: the cluster lacks the condition for two
 * hours, or, in a disturbed run, a machine or an upgrade that could not be checked waits for a user.
 */
export const comes = async (
  context: ScenarioContext,
  what: string,
  isSo: () => boolean | Promise<boolean>,
  type = 'Available',
  most: number | (() => number) = resyncTimeout,
): Promise<boolean> => {
  const { clock, world } = context;
  let [served, silent] = [0, 0];
  while (!(await seen(isSo))) {
    if (isServing(context, type)) [served, silent] = [served + minute, 0];
    else silent += minute;
    const stillborn = world.mirror.all<Machine>('Machine').find(isStillborn(clock.now()));
    if (stillborn && !world.isDisturbed)
      throw new Violation('upkeep', `timed out: ${what}; ${stillborn.metadata.name} never became a Node`);
    if (silent > 120 * minute || stillborn || (world.isDisturbed && isUnchecked(context))) return false;
    if (served > (typeof most === 'number' ? most : most())) throw new Violation('upkeep', `timed out: ${what}`);
    await sleep(clock, minute);
  }
  return true;
};
export const areGone = ({ world }: ScenarioContext, machines: readonly Machine[]) => {
  const uids = new Set(machines.map(({ metadata }) => metadata.uid));
  return () => !world.mirror.all<Machine>('Machine').some(({ metadata }) => uids.has(metadata.uid));
};
