/** `capstan why` names the true cause of each fault first. */
import { afterEach, expect, it } from 'vitest';
import { expectExplained, faults } from './faults-to-explain.ts';
import type { World } from './world.ts';

let world: World | undefined;
afterEach(() => world?.end());

it('are drawn in thirty places at least', () => expect(faults.length).toBeGreaterThanOrEqual(30));

it.each(faults)('$fault', async (fault) => {
  world = await fault.draw();
  await expectExplained(world, fault);
});
