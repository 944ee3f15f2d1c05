/** EC2 takes spot instances away, or recommends to replace them. */
import type { Machine } from '../../../../kinds/core/machine/index.ts';
import { sleep } from '../../../../machinery/ports.ts';
import { hostOf } from '../../invariants/relations.ts';
import type { ScenarioContext } from '../context.ts';
import { areGone, comes, resyncTimeout } from '../progress.ts';
import { runningOf } from './failures.ts';

const minute = 60_000;
/** The warning or, if it was lost, the scan of the account tells. */
const heard = 90 * minute;

/** Of these Machines, some that run on spot instances lose them, after a warning that may be lost. */
export const interruptSpot = async (context: ScenarioContext, machines: readonly Machine[]) => {
  const { clock, draw, world } = context;
  const running = runningOf(context, machines).filter(
    ({ machine }) => hostOf(world.mirror, machine)?.status?.interruptible === true,
  );
  if (running.length === 0) return;
  const chosen = running.filter(() => draw.chance(0.5));
  for (const { id } of chosen) {
    // A user or a rollout may be faster.
    const isThere = () => world.account.list().some((one) => one.id === id && one.state === 'running');
    if (draw.chance(0.4) && isThere()) world.account.rebalance(id);
    await sleep(clock, draw.spread(1000, 5 * minute));
    if (isThere()) world.account.interrupt(id);
  }
  const most = () => (world.isHeldUp ? resyncTimeout : heard);
  const lost = chosen.map(({ machine }) => machine);
  await comes(context, 'the end of interrupted workers', areGone(context, lost), 'RemoteConnectionProbe', most);
};
