/** Renders docs/permissions.md, which a test compares with the deployed policies. */
import { type FunctionName, functionNames } from '../names.ts';
import type { Resources } from '../resources.ts';
import { exceptions } from './exceptions.ts';
import { policiesFor } from './policies.ts';
import { isRead, type Statement } from './statement.ts';
import { reachedAndUnused } from './uses.ts';

const code = (text: string) => `\`${text}\``;
const lines = (all: readonly string[]) => all.map(code).join('<br>');

/** `ec2: CreateTags RunInstances`, one line per service. */
const actionsOf = (actions: readonly string[]): string => {
  const services = new Map<string, string[]>();
  for (const action of actions) {
    const [service, name] = action.split(':') as [string, string];
    services.set(service, [...(services.get(service) ?? []), name]);
  }
  return [...services].map(([service, names]) => `${service}: ${names.map(code).join(' ')}`).join('<br>');
};

const conditionsOf = ({ conditions = {} }: Statement): string =>
  Object.entries(conditions)
    .flatMap(([operator, keys]) =>
      Object.entries(keys).map(([key, value]) => {
        const values = typeof value === 'string' ? value : value.join(' ');
        return `${operator}<br>${code(key)}<br>${code(values)}`;
      }),
    )
    .join('<br>');

interface Grant {
  statement: Statement;
  functions: FunctionName[];
}

/** Merges equal statements of several roles into one row. */
const grantsOf = (resources: Resources): Grant[] => {
  const grants = new Map<string, Grant>();
  for (const name of functionNames) {
    for (const statement of Object.values(policiesFor(name, resources)).flat()) {
      const key = JSON.stringify(statement);
      const grant = grants.get(key) ?? { statement, functions: [] };
      grant.functions.push(name);
      grants.set(key, grant);
    }
  }
  return [...grants.values()];
};

const rowOf = ({ statement, functions }: Grant): string => {
  const { sid, why, actions, resources } = statement;
  const cells = [lines(functions), sid, why, actionsOf(actions), lines(resources), conditionsOf(statement)];
  return `| ${cells.join(' | ')} |`;
};

const intro = `# Permissions of each function

Generated from \`cdk/permissions/\`: \`npx vitest run test/build/printout.test.ts -u\`.

Every function has its own role, made from the adapters in its bundle that send commands
(\`reach.json\`), the IAM actions of these commands (\`permissions.ts\` beside each adapter) and its
declared uses (\`uses.ts\`). A test fails when code sends an undeclared command, a declaration is
unused, or a role allows what its bundle cannot do.

**A call that creates a resource must set the installation's tag, and a call that changes or deletes
one requires it.** IAM checks every resource of a call separately: a launch needs the tag on
instance, volumes and interfaces, and only references image and subnet. A test rejects exceptions
that are not listed at the end.

Each role may also write its function's log and traces. Workers may read their queues. \`dispatch\`
may read the stream of changes, and publish discarded changes to their topic.
`;

export const printPermissions = (resources: Resources): string => {
  const named = exceptions.map(
    ({ actions, on, why }) => `| ${actionsOf(actions.filter((action) => !isRead(action)))} | ${lines(on)} | ${why} |`,
  );
  const unused = reachedAndUnused.map(
    ({ adapter, functions, why }) => `| ${code(adapter)} | ${functions.map(code).join(' ')} | ${why} |`,
  );
  return [
    intro,
    '## Statements',
    '',
    '| functions | statement | purpose | actions | resources | conditions |',
    '|---|---|---|---|---|---|',
    ...grantsOf(resources).map(rowOf),
    '',
    '## Exceptions',
    '',
    'Write actions on all resources of a type, without a condition on the tag.',
    '',
    '| actions | resources | reason |',
    '|---|---|---|',
    ...named,
    '',
    'With the context `emptyDefaultGroups=true` also `RevokeSecurityGroupIngress` and',
    '`RevokeSecurityGroupEgress` on every security group without a tag, for',
    '`emptyRoutesDefaultVPCSecurityGroup`: the default group of a VPC has no tags.',
    '',
    'With the context `eksRoles` also, for `reconcile-aws`, the calls of EKS that make clusters with this',
    'installation’s tag and change and delete those that have it, `iam:PassRole` on these roles for EKS,',
    'and writing Secrets of every purpose: kubeconfigs of EKS hold a token that only it can sign. Where',
    '`eksRoles` has `capstan-eks-*` also the calls of IAM that make roles of such names with this',
    'installation’s tag, attach AWS’s policies for EKS clusters and nodes, and delete them.',
    '',
    'With the context `machinePools=true` also, for `reconcile-aws`, the calls that make Auto Scaling',
    'groups and launch templates with this installation’s tag and change and delete those that have',
    'it, and `secretsmanager:PutSecretValue` on secrets with the tag.',
    '',
    'With the context `snapshotLockDays` also `s3:PutObjectRetention` on the objects of the bucket for',
    '`reconcile-workload`, which locks new files. No role may shorten or bypass a lock.',
    '',
    'With the context `vpcId` also the network interfaces that Lambda creates and deletes for',
    '`reconcile-workload`. The role permits `DeleteNetworkInterface` on all resources, because Lambda',
    'checks it before an interface exists. The code of the function is denied both actions.',
    '',
    '## In the bundle but not allowed',
    '',
    '| adapter | functions | reason |',
    '|---|---|---|',
    ...unused,
    '',
  ].join('\n');
};
