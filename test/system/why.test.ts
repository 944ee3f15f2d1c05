/** `capstan why` names the true cause of each fault first; why.long.test.ts draws more faults. */
import { afterEach, it } from 'vitest';
import { expectExplained, faults } from './faults-to-explain.ts';
import type { World } from './world.ts';

let world: World | undefined;
afterEach(() => world?.end());

it.each(faults.filter(({ isQuick }) => isQuick))('$fault', async (fault) => {
  world = await fault.draw();
  expectExplained(world, fault);
});
