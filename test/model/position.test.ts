import { describe, expect, it } from 'vitest';
import { explore } from './explore.ts';
import { positionWorld, type Scenario } from './position-world.ts';

const mostStates = 50_000;

const scenarios = {
  'two at once': { acts: [1, 1], begins: { stored: 3, marked: 3 } },
  'two at once, again and again': { acts: [2, 2], begins: { stored: 3, marked: 3 } },
  'two at once, the first ever': { acts: [1, 1] },
  'two that may share an advance': { acts: [1, 1], begins: { stored: 3, marked: 3 }, quantum: 10_000 },
  'two after a death between the writes': { acts: [1, 1], begins: { stored: 3, marked: 2 } },
  'a death anywhere': { acts: [1], crashes: 1, begins: { stored: 3, marked: 3 } },
  'a stall anywhere': { acts: [1, 2], stalls: 1, begins: { stored: 3, marked: 3 } },
} satisfies Record<string, Scenario>;

describe('the position of an installation with several processes', () => {
  it.each(Object.entries(scenarios))('matches its mark with %s', async (_, scenario) => {
    const { violation, states } = await explore(() => positionWorld(scenario), mostStates);
    expect(violation).toBeUndefined();
    expect(states).toBeGreaterThan(10);
  });

  it('does not match its mark when two processes may write at once', async () => {
    const scenario = { ...scenarios['two at once, again and again'], isUnconditional: true };
    expect((await explore(() => positionWorld(scenario), mostStates)).violation).toBeDefined();
  });

  it('does not match when a slow process overwrites it with an older mark, and the account remembers only the last one', async () => {
    const scenario = { ...scenarios['a stall anywhere'], isForgetful: true };
    expect((await explore(() => positionWorld(scenario), mostStates)).violation).toBeDefined();
  });
});
