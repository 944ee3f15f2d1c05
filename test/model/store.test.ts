import { describe, expect, it } from 'vitest';
import { rules as allRules, type Rules } from '../../machinery/store/rules.ts';
import { explore } from './explore.ts';
import { longest, type ScenarioName, scenarios } from './store-scenarios.ts';
import { type Scenario, storeWorld } from './store-world.ts';

describe('the store, in every order of steps', () => {
  const names = (Object.keys(scenarios) as ScenarioName[]).filter((name) => !longest.includes(name));
  it.each(names)('%s', async (name) => {
    const { violation, histories } = await explore(() => storeWorld(scenarios[name]));
    expect(violation).toBeUndefined();
    expect(histories).toBeGreaterThan(1);
  });
});

/** Where a rule is needed, and which property fails without it. */
const counterexamples: { rule: keyof Rules; scenario: ScenarioName; breaks: string }[] = [
  { rule: 'ticketAfterRead', scenario: 'two patches of one object', breaks: 'I2' },
  { rule: 'tombstones', scenario: 'a creation while the name comes and goes', breaks: 'I2' },
  { rule: 'olderTombstoneOnly', scenario: 'a creation while the name comes and goes', breaks: 'I2' },
  { rule: 'lookAtSlotFirst', scenario: 'a transaction that is sent twice', breaks: 'I6' },
  { rule: 'sealLostSlot', scenario: 'a creation whose copy is late while the name comes and goes', breaks: 'I6' },
  {
    rule: 'sealUnknownSlot',
    scenario: 'a creation whose outcome is unknown while the name comes and goes',
    breaks: 'I6',
  },
  { rule: 'stopAtHoles', scenario: 'a list during two writes', breaks: 'I3' },
  { rule: 'stopAtHoles', scenario: 'a watch while one of two writers crashes', breaks: 'I5' },
  { rule: 'sealWait', scenario: 'a list during two writes', breaks: 'I7' },
  { rule: 'settleWindow', scenario: 'two lists after a write that shows slowly', breaks: 'I3' },
  { rule: 'settleBySight', scenario: 'lists around a write that is sent late and shows slowly', breaks: 'I3' },
  { rule: 'keptWindow', scenario: 'two lists after a write that shows slowly', breaks: 'I3' },
  { rule: 'reachHighest', scenario: 'a list during two writes', breaks: 'I3' },
  { rule: 'tombstonesInLists', scenario: 'a list during a removal of what had settled', breaks: 'I3' },
  { rule: 'sendLimit', scenario: 'a writer that thaws after its slot was sealed and forgotten', breaks: 'I4' },
  { rule: 'expiredSeals', scenario: 'a watch from before a type slept', breaks: 'I5' },
  { rule: 'watchHorizon', scenario: 'a watch from before a type slept', breaks: 'I5' },
  { rule: 'wakeBeforeTicket', scenario: 'a watch from before a type slept, which a writer wakes', breaks: 'I5' },
  { rule: 'freshReads', scenario: 'readers that thaw after the log was forgotten', breaks: 'I3' },
];

describe('the checker', () => {
  it.each(counterexamples)('detects a missing $rule: $scenario', async ({ rule, scenario, breaks }) => {
    const world: Scenario = { ...scenarios[scenario], rules: { [rule]: false } };
    const { violation } = await explore(() => storeWorld(world));
    expect(violation).toMatch(new RegExp(`^${breaks}: `));
  });

  it('detects a table that shows transactions in part and says otherwise', async () => {
    const scenario: Scenario = scenarios['two lists after a write that shows slowly'];
    const { violation } = await explore(() => storeWorld({ ...scenario, showsTransactionsWhole: true }));
    expect(violation).toMatch(/^I3: /);
  });

  it('has a case for every rule of the store', () => {
    expect(new Set(counterexamples.map(({ rule }) => rule))).toEqual(new Set(Object.keys(allRules)));
  });
});
