import { describe, expect, it } from 'vitest';
import { explore } from './explore.ts';
import { launchWorld } from './launch-world.ts';

describe('machines launched together, in every order of steps', () => {
  it.each([
    { rule: 'with a crash', machines: 2, passes: 2, crashes: 1 },
    { rule: 'when the first one is deleted', machines: 2, passes: 3, deletable: [0] },
    { rule: 'when another one is deleted', machines: 2, passes: 3, deletable: [1] },
    { rule: 'when the call is refused', machines: 2, passes: 3, refusals: 1 },
  ])('get one instance each $rule', async (options) => {
    const { violation, states } = await explore(launchWorld(options));
    expect(violation).toBeUndefined();
    expect(states).toBeGreaterThan(100);
  }, 60_000);
});
