/** A user reverts a rollout before it completes, sometimes repeatedly. */
import { sleep } from '../../../../machinery/ports.ts';
import { applyAll, type ScenarioContext } from '../context.ts';

const minute = 60_000;
const types = ['t3.large', 'm5.large', 'm5.xlarge'];

export const rollBack = async (context: ScenarioContext) => {
  const { client, clock, draw, settled, desired } = context;
  if (desired.workers < 2) {
    desired.workers = 2;
    await client.scale('MachineDeployment', `${desired.name}-workers`, desired.workers);
  }
  await settled(60);
  const before = desired.instanceType;
  const others = types.filter((type) => type !== before);
  const [other = before, third = before] = draw.chance(0.5) ? others : others.toReversed();
  const course = draw.pick([
    [other, before],
    [other, before, other, before],
    [other, third, other],
    [other, before, third, before],
  ]);
  for (const instanceType of course) {
    desired.instanceType = instanceType;
    await applyAll(context);
    await sleep(clock, draw.spread(20_000, 6 * minute));
  }
};
