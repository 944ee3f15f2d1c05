/** The policies for people: docs/permissions.md, which a test compares with what is deployed. */
import { type FunctionName, functionNames } from '../names.ts';
import type { Resources } from '../resources.ts';
import { exceptions } from './exceptions.ts';
import { policiesFor } from './policies.ts';
import { isRead, type Statement } from './statement.ts';
import { reachedAndUnused } from './uses.ts';

const code = (text: string) => `\`${text}\``;
const lines = (all: readonly string[]) => all.map(code).join('<br>');

/** `ec2: CreateTags RunInstances`, a line a service. */
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

const section = (name: FunctionName, resources: Resources): string => {
  const statements = Object.values(policiesFor(name, resources)).flat();
  const rows = statements.map(
    (statement) =>
      `| ${statement.sid} | ${statement.why} | ${actionsOf(statement.actions)} | ${lines(statement.resources)} | ${conditionsOf(statement)} |`,
  );
  return [`## ${name}`, '', '| statement | why | actions | on | only if |', '|---|---|---|---|---|', ...rows].join(
    '\n',
  );
};

const intro = `# What each function may do

Made from \`cdk/permissions/\`; \`npx vitest run -u test/build/printout.test.ts\` writes it anew.

Every function has a role of its own. What it may do comes from three things: which adapters its bundle holds that send commands
(\`cdk/permissions/reach.json\`, read off the bundles), which IAM actions those commands need (\`permissions.ts\` beside each adapter),
and what the function does with them (\`cdk/permissions/uses.ts\`). A test fails when a command is sent that nothing declares, when
something is declared that nobody sends, and when a role allows what its bundle cannot do.

In the account, **what is made carries the installation's tag in the call that makes it, and what is changed or deleted must
carry it already**. AWS checks every resource that a call touches by itself: a launch needs the tag on the instance, its volumes and
its interfaces, and only refers to the image and to the subnet, which may be somebody else's. Where AWS cannot say what a
call touches, or it is somebody else's on purpose, the exception stands in the list at the end, which is complete: a test looks
for others in every role of the template.

Besides these, each role may write its own function's log and traces; the workers' roles read their queues, and that of \`dispatch\` the
stream of changes, and tells a topic of what is given up.
`;

export const printPermissions = (resources: Resources): string => {
  const all = functionNames.map((name) => section(name, resources));
  const named = exceptions.map(
    ({ actions, on, why }) => `| ${actionsOf(actions.filter((action) => !isRead(action)))} | ${lines(on)} | ${why} |`,
  );
  const unused = reachedAndUnused.map(
    ({ adapter, functions, why }) => `| ${code(adapter)} | ${functions.map(code).join(' ')} | ${why} |`,
  );
  return [
    intro,
    ...all.flatMap((one) => [one, '']),
    '## Exceptions',
    '',
    'What may be done to a whole sort of resource without a tag of this installation as condition.',
    '',
    '| actions | on | why |',
    '|---|---|---|',
    ...named,
    '',
    'With the context `emptyDefaultGroups=true` also: `RevokeSecurityGroupIngress` and `RevokeSecurityGroupEgress` on every security',
    'group without a tag, for `emptyRoutesDefaultVPCSecurityGroup`: the default group of a VPC comes without tags.',
    '',
    'With the context `vpcId` also: Lambda makes network interfaces in that network, and deletes them (`DeleteNetworkInterface` on',
    'everything, for it is asked before there is one), under the role of `reconcile-workload`, whose own code is denied both.',
    '',
    '## In the bundle and not allowed',
    '',
    '| adapter | functions | why |',
    '|---|---|---|',
    ...unused,
    '',
  ].join('\n');
};
