import { describe, expect, it } from 'vitest';
import type { AwakeRules } from '../../adapters/aws/timers/awake.ts';
import { awakeWorld, type Scenario } from './awake-world.ts';
import { explore } from './explore.ts';

const mostStates = 100_000;

const scenarios = {
  'changes at any moment': { begins: 'awake', changes: 2, sweeps: 2 },
  'changes in two functions at once': { begins: 'awake', changes: 2, sweeps: 1, dispatchers: 2 },
  'sleep and a first change': { begins: 'asleep', changes: 2, sweeps: 2 },
  'a first change in two functions': { begins: 'asleep', changes: 2, sweeps: 1, dispatchers: 2 },
  'a dispatcher that dies': { begins: 'asleep', changes: 1, sweeps: 2, dispatcherCrashes: 1 },
  'a sweep that dies': { begins: 'awake', changes: 1, sweeps: 2, sweepCrashes: 1 },
  'both dying': { begins: 'awake', changes: 1, sweeps: 1, sweepCrashes: 1, dispatcherCrashes: 1 },
  'a deployment that switches on what sleeps': { begins: 'deployed over while asleep', changes: 1, sweeps: 2 },
} satisfies Record<string, Scenario>;

/** A scenario per rule that fails without it. */
const needed = {
  unlessNoted: 'changes at any moment',
  wakingFirst: 'a dispatcher that dies',
  lookAgain: 'changes at any moment',
  repair: 'a sweep that dies',
} satisfies Record<keyof AwakeRules, keyof typeof scenarios>;

describe('falling asleep and waking', () => {
  it.each(Object.entries(scenarios))('leaves no work behind with %s', async (_, scenario) => {
    const { violation, states } = await explore(() => awakeWorld(scenario), mostStates);
    expect(violation).toBeUndefined();
    expect(states).toBeGreaterThan(10);
  });

  it.each(Object.entries(needed))('leaves work behind without the rule %s', async (rule, name) => {
    const { violation } = await explore(() => awakeWorld(scenarios[name], { [rule]: false }), mostStates);
    expect(violation).toBeDefined();
  });

  it('needs Lambda to invoke a failed sweep again', async () => {
    const lost = { ...scenarios['a sweep that dies'], isSweepLost: true };
    expect((await explore(() => awakeWorld(lost), mostStates)).violation).toBeDefined();
  });
});
