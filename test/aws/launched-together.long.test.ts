import { describe, it } from 'vitest';
import { started } from './machines.ts';
import { addTrio, allRun, expectNothingLeft, expectOneEach, lagging, trio } from './together.fixture.ts';

describe('AWSMachines that were created together', () => {
  it('get one instance each, whichever action a crash follows', async () => {
    const crashes = Array.from({ length: 24 }, (_, index) => index);
    for (const crash of crashes)
      for (const behaviour of [{}, lagging]) {
        const world = await started({ seed: crash + 1, behaviour });
        addTrio(world);
        world.crashAfter(crash);
        await world.until(allRun(world, trio));
        world.crashAfter(Number.POSITIVE_INFINITY);
        await world.run(60);
        await expectOneEach(world, trio);
        await expectNothingLeft(world, trio);
      }
  });

  it('get one instance each after many crashes', async () => {
    for (let seed = 1; seed <= 12; seed++) {
      const world = await started({ seed, behaviour: lagging });
      addTrio(world);
      for (let crash = 0; crash < 10; crash++) {
        world.crashAfter(1 + ((seed + crash) % 4));
        await world.run(4);
      }
      world.crashAfter(Number.POSITIVE_INFINITY);
      await world.until(allRun(world, trio));
      await world.run(60);
      await expectOneEach(world, trio);
      await expectNothingLeft(world, trio);
    }
  });

  it.each(trio)('leave nothing behind when %s is deleted at any time', async (name) => {
    for (let after = 0; after <= 40; after += after < 8 ? 0.5 : 4)
      for (const crash of [Number.POSITIVE_INFINITY, 1]) {
        const world = await started({ seed: 1 + after, behaviour: lagging });
        addTrio(world);
        await world.run(after);
        world.crashAfter(crash);
        world.remove('AWSMachine', name);
        const others = trio.filter((one) => one !== name);
        await world.until(() => !world.find('AWSMachine', name) && allRun(world, others)());
        await world.run(90);
        await expectOneEach(world, others);
        await expectNothingLeft(world, others);
      }
  });
});
