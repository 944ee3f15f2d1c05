import { describe, expect, it } from 'vitest';
import { explore } from './explore.ts';
import { longest, scenarios } from './store-scenarios.ts';
import { storeWorld } from './store-world.ts';

describe('the store, in every order of steps', () => {
  it.each(longest)('%s', async (name) => {
    const { violation, histories } = await explore(() => storeWorld(scenarios[name]));
    expect(violation).toBeUndefined();
    expect(histories).toBeGreaterThan(1);
  });
});
