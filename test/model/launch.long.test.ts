import { describe, expect, it } from 'vitest';
import { explore } from './explore.ts';
import { launchWorld } from './launch-world.ts';

describe('machines launched together, in every order of steps', () => {
  it.each([
    { rule: 'with a crash', machines: 2, passes: 3, crashes: 1 },
    { rule: 'when the first one gives up waiting', machines: 2, passes: 3, jumps: [11, 6] },
    { rule: 'when another one cancels the call', machines: 2, passes: 3, jumps: [16] },
    { rule: 'when a worker stalls meanwhile', machines: 2, passes: 2, stalls: 1, jumps: [16] },
    { rule: 'when the first one is deleted', machines: 2, passes: 3, deletable: [0] },
    { rule: 'when another one is deleted', machines: 2, passes: 3, deletable: [1] },
    { rule: 'when the call is refused', machines: 2, passes: 3, refusals: 1 },
    { rule: 'when one is deleted meanwhile', machines: 2, passes: 2, deletable: [1], jumps: [16] },
  ])('get one instance each $rule', async (options) => {
    const { violation } = await explore(launchWorld(options), 200_000);
    expect(violation).toBeUndefined();
  }, 600_000);

  it('leave a trace when one launches alone before it knows that the call never comes', async () => {
    const options = { machines: 2, passes: 3, jumps: [16], impatient: true };
    const { violation } = await explore(launchWorld(options), 200_000);
    expect(violation).toMatch(/^uid-m1 has i-\d and i-\d/);
  }, 600_000);
});
