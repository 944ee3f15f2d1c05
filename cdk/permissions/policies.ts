/** What each function's own calls need: what it uses of what it can reach. */
import type { CloudAction } from '../../kinds/ports/cloud.ts';
import type { FunctionName } from '../names.ts';
import type { Resources } from '../resources.ts';
import { accountPolicies } from './account.ts';
import { doorStatements } from './doors.ts';
import reach from './reach.json' with { type: 'json' };
import type { Statement } from './statement.ts';
import { uses } from './uses.ts';

/** Of a function: the adapters in its bundle that send commands, and the calls on the account that its code names. */
export interface Reach {
  adapters: string[];
  account: string[];
}
export const reachOf = (fn: FunctionName): Reach => reach[fn];

/** By name: `Own` for what belongs to the installation, and what concerns the account in policies that each fit the size that IAM allows. */
export type Policies = Readonly<Record<string, readonly Statement[]>>;

export const policiesFor = (fn: FunctionName, resources: Resources): Policies => {
  const { account } = uses[fn];
  const calls = account === 'all' ? (reachOf(fn).account as CloudAction[]) : (account ?? []);
  return { Own: doorStatements(uses[fn], resources), ...accountPolicies(calls, resources) };
};
