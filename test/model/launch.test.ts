import { describe, expect, it } from 'vitest';
import { explore } from './explore.ts';
import { launchWorld } from './launch-world.ts';

describe('machines launched together, in every order of steps', () => {
  it('get one instance each with a crash', async () => {
    const { violation, states } = await explore(launchWorld({ machines: 2, passes: 2, crashes: 1 }));
    expect(violation).toBeUndefined();
    expect(states).toBeGreaterThan(100);
  }, 60_000);
});
