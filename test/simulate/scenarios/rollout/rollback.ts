/** A user reverts a rollout before it completes, sometimes repeatedly. */
import { sleep } from '../../../../machinery/ports.ts';
import { applyAll, type Scene } from '../context.ts';

const minute = 60_000;
const types = ['t3.large', 'm5.large', 'm5.xlarge'];

export const rollBack = async (scene: Scene) => {
  const { client, clock, draw, settled, wish } = scene;
  if (wish.workers < 2) {
    wish.workers = 2;
    await client.scale('MachineDeployment', `${wish.name}-workers`, wish.workers);
  }
  await settled(60);
  const before = wish.instanceType;
  const others = types.filter((type) => type !== before);
  const [other = before, third = before] = draw.chance(0.5) ? others : others.toReversed();
  const course = draw.pick([
    [other, before],
    [other, before, other, before],
    [other, third, other],
    [other, before, third, before],
  ]);
  for (const instanceType of course) {
    wish.instanceType = instanceType;
    await applyAll(scene);
    await sleep(clock, draw.spread(20_000, 6 * minute));
  }
};
