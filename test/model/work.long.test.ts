import { expect, it } from 'vitest';
import { explore } from './explore.ts';
import { large, scenarios } from './work-scenarios.ts';
import { workWorld } from './work-world.ts';

it.each(large)('the protocol of work items holds with %s', async (name) => {
  const { violation, states } = await explore(() => workWorld(scenarios[name]), 50_000);
  expect(violation).toBeUndefined();
  expect(states).toBeGreaterThan(10);
});
