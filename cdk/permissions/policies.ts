/** The policies of each function, from its declared uses and its reachable calls. */
import type { CloudAction } from '../../kinds/ports/cloud/index.ts';
import type { FunctionName } from '../names.ts';
import type { Resources } from '../resources.ts';
import { accountPolicies } from './account.ts';
import { ownStatements } from './own-resources.ts';
import reach from './reach.json' with { type: 'json' };
import type { Statement } from './statement.ts';
import { type Uses, uses } from './uses.ts';

/** What a function's bundle contains: adapters that send commands, and calls on the account. */
export interface Reach {
  adapters: string[];
  account: string[];
}
export const reachOf = (fn: FunctionName): Reach => {
  const noted: Partial<Record<FunctionName, Reach>> = reach;
  const found = noted[fn];
  if (!found) throw new Error(`reach.json lacks the function ${fn}: run node tools/reach.mjs`);
  return found;
};

/** By name: `Own` for the installation's own resources; calls on the account are split to fit IAM's policy size. */
export type Policies = Readonly<Record<string, readonly Statement[]>>;

export const policiesFor = (fn: FunctionName, resources: Resources): Policies => {
  const use: Uses = { ...uses[fn], ...(resources.eksRoles.length > 0 && uses[fn].withEks) };
  const { account } = use;
  const calls = account === 'all' ? (reachOf(fn).account as CloudAction[]) : (account ?? []);
  return { Own: ownStatements(use, resources), ...accountPolicies(calls, resources) };
};
