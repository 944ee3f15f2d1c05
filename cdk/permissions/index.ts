/** What each function's own calls need. What Lambda does in its name (logs, traces, reading queues and the stream) is added where that is set up. */
import { aws_iam as iam } from 'aws-cdk-lib';
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

const constructed = ({ sid, actions, resources, conditions = {} }: Statement) =>
  new iam.PolicyStatement({
    sid,
    actions: [...actions],
    resources: [...resources],
    conditions: Object.fromEntries(Object.entries(conditions).map(([operator, keys]) => [operator, { ...keys }])),
  });

/** Allows a function's role what its calls need. */
export const allow = (role: iam.Role, fn: FunctionName, resources: Resources): void => {
  for (const [name, statements] of Object.entries(policiesFor(fn, resources))) {
    const all = statements.map(constructed);
    if (name === 'Own') for (const statement of all) role.addToPolicy(statement);
    else
      role.addManagedPolicy(
        new iam.ManagedPolicy(role, name, {
          description: `Capstan ${resources.installation}: what ${fn} may do with the ${name.toLowerCase()} of the account`,
          statements: all,
        }),
      );
  }
};

export const statementsFor = (fn: FunctionName, resources: Resources): iam.PolicyStatement[] =>
  Object.values(policiesFor(fn, resources)).flat().map(constructed);
