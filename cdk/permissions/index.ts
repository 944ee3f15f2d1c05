/** What each function's own calls need. What Lambda does in its name (logs, traces, reading queues and the stream) is added where that is set up. */
import { aws_iam as iam } from 'aws-cdk-lib';
import type { CloudAction } from '../../kinds/ports/cloud.ts';
import type { FunctionName } from '../names.ts';
import type { Resources } from '../resources.ts';
import { accountStatements } from './account.ts';
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

export const plainStatementsFor = (fn: FunctionName, resources: Resources): Statement[] => {
  const { account } = uses[fn];
  const calls = account === 'all' ? (reachOf(fn).account as CloudAction[]) : (account ?? []);
  return [...doorStatements(uses[fn], resources), ...accountStatements(calls, resources)];
};

const mutable = (conditions: NonNullable<Statement['conditions']>) =>
  Object.fromEntries(Object.entries(conditions).map(([operator, keys]) => [operator, { ...keys }]));

export const statementsFor = (fn: FunctionName, resources: Resources): iam.PolicyStatement[] =>
  plainStatementsFor(fn, resources).map(
    ({ sid, actions, resources, conditions }) =>
      new iam.PolicyStatement({
        sid,
        actions: [...actions],
        resources: [...resources],
        ...(conditions && { conditions: mutable(conditions) }),
      }),
  );
