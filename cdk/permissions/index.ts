/** Allows functions their calls. Logs, traces and event sources get their permissions where they are created. */
import { aws_iam as iam } from 'aws-cdk-lib';
import type { FunctionName } from '../names.ts';
import type { Resources } from '../resources.ts';
import { policiesFor } from './policies.ts';
import type { Statement } from './statement.ts';

export { policiesFor } from './policies.ts';

const constructed = ({ sid, actions, resources, conditions = {} }: Statement) =>
  new iam.PolicyStatement({
    sid,
    actions: [...actions],
    resources: [...resources],
    conditions: Object.fromEntries(Object.entries(conditions).map(([operator, keys]) => [operator, { ...keys }])),
  });

/** Allows a function's role its calls. */
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
