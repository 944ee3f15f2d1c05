import { describe, expect, it } from 'vitest';
import type { WorkRules } from '../../machinery/controller/work.ts';
import { explore } from './explore.ts';
import { large, type ScenarioName, scenarios } from './work-scenarios.ts';
import { workWorld } from './work-world.ts';

const mostStates = 50_000;

/** A scenario per rule that fails without it. */
const needed = {
  countOwnWrites: 'own writes',
  ownWritesWait: 'own writes of a failing pass',
  putBackRedelivered: 'a crash after a stall',
  hopWithoutLease: 'a message twice',
  finishOwnLease: 'a zombie',
  armAfterCommit: 'a change while a timer is under way',
  recordAfterSend: 'a due time and a crash',
  wakeAfterFinish: 'changes at any moment',
  noteForHolder: 'changes at any moment',
  doneAsOfStart: 'changes at any moment',
  endSuperseded: 'a due time that is always near',
  sweepArms: 'a due time that is left to the sweep',
  shareUnheld: 'changes that may wait, while a pass runs',
  shareSent: 'changes that may all wait, one of them dispatched twice',
  sendAgain: 'changes that may wait, while a pass runs',
} satisfies Record<keyof WorkRules, ScenarioName>;

describe('the protocol of work items', () => {
  const small = Object.entries(scenarios).filter(([name]) => !large.includes(name as ScenarioName));
  it.each(small)('holds with %s', async (_, scenario) => {
    const { violation, states } = await explore(() => workWorld(scenario), mostStates);
    expect(violation).toBeUndefined();
    expect(states).toBeGreaterThan(10);
  });

  it.each(Object.entries(needed))('does not hold without the rule %s', async (rule, name) => {
    const { violation } = await explore(() => workWorld(scenarios[name], { [rule]: false }), mostStates);
    expect(violation).toBeDefined();
  });
});
