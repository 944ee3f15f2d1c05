/** Reduces a failing run to a smaller one that fails in the same way. */
import { faultNames } from './faults/index.ts';
import { clustersOf, scenarioOf } from './scenarios/life.ts';
import { type Outcome, type RunOptions, simulate } from './simulation.ts';

/**
 * The smallest run that still fails, or the run itself when it does not fail. It tries fewer
 * clusters, then fewer actions, then fewer faults one by one.
 */
export const shrink = async (options: RunOptions, tell: (line: string) => void): Promise<Outcome> => {
  let outcome = await simulate(options);
  const { seed } = options;
  let { only = faultNames.filter((name) => outcome.fired[name] > 0), steps } = options;
  let { clusters = clustersOf(seed, scenarioOf(seed, options)) } = options;
  const invariant = outcome.failure?.invariant;
  const attempt = async (change: Partial<RunOptions>, what: string): Promise<boolean> => {
    if (invariant === undefined) return false;
    const next = await simulate({ ...options, only, steps, clusters, ...change });
    const isSame = next.failure?.invariant === invariant;
    tell(`${isSame ? 'fails' : 'holds'} ${what}`);
    if (isSame) outcome = next;
    return isSame;
  };
  while (clusters > 1 && (await attempt({ clusters: clusters - 1 }, `with ${clusters - 1} clusters`))) clusters -= 1;
  for (let fewer = 0; fewer < (steps ?? 6); fewer++) {
    if (!(await attempt({ steps: fewer }, `with ${fewer} steps`))) continue;
    steps = fewer;
    break;
  }
  for (const name of only) {
    const rest = only.filter((other) => other !== name);
    if (await attempt({ only: rest }, `without ${name}`)) only = rest;
  }
  return outcome;
};
