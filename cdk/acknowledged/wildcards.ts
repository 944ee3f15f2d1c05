/** Wildcards in the functions' policies, each with the purpose of its statement. */
import type { Stack } from 'aws-cdk-lib';
import { arnIn } from '../arn.ts';
import { functionId } from '../functions.ts';
import { type FunctionName, functionNames } from '../names.ts';
import { anyResource, isInNetwork, networkResources } from '../network.ts';
import { policiesFor } from '../permissions/index.ts';
import type { Resources } from '../resources.ts';
import type { Acknowledgement } from './acknowledge.ts';

type Resolved = string | { Ref: string } | { 'Fn::GetAtt': string[] } | { 'Fn::Join': [string, Resolved[]] };

/** The rule's notation for values that are known only at deployment. */
const flat = (value: Resolved): string => {
  if (typeof value === 'string') return value;
  if ('Ref' in value) return `<${value.Ref}>`;
  if ('Fn::GetAtt' in value) return `<${value['Fn::GetAtt'].join('.')}>`;
  const [separator, parts] = value['Fn::Join'];
  return parts.map(flat).join(separator);
};

type Granted = [resource: string, reason: string];

/** Permissions for a function's infrastructure rather than its own calls. */
const around = (stack: Stack, name: FunctionName): Granted[] => [
  ['*', 'traces have no resource that a policy could name'],
  ...(name === 'dispatch' ? [['*', 'streams are listed by no name'] as Granted] : []),
  ...(name === 'reconcile-workload' && isInNetwork(stack) ? inNetwork(stack) : []),
];

const inNetwork = (stack: Stack): Granted[] => [
  ['*', 'network interfaces and subnets are only listed'],
  ...networkResources.map(
    (one): Granted => [
      arnIn(stack)('ec2', one),
      'it runs in a network, and Lambda makes network interfaces there; a condition says that it is nowhere else',
    ],
  ),
  [
    arnIn(stack)('ec2', anyResource),
    'Lambda deletes the network interfaces that it made; the code of the function is denied it',
  ],
];

const grantedTo = (name: FunctionName, resources: Resources): Granted[] =>
  Object.values(policiesFor(name, resources))
    .flat()
    .flatMap((statement) => statement.resources.map((one): Granted => [one, statement.why]));

/** Distinct reasons per resource. */
const reasonsOf = (stack: Stack, granted: readonly Granted[]): Map<string, Set<string>> => {
  const reasons = new Map<string, Set<string>>();
  for (const [resource, reason] of granted) {
    const id = flat(stack.resolve(resource) as Resolved);
    if (id.includes('*')) reasons.set(id, (reasons.get(id) ?? new Set()).add(reason));
  }
  return reasons;
};

const frontRole = 'FrontRole';
/** The front does what these functions do. */
const frontFunctions: readonly FunctionName[] = ['api', 'watch'];

export const wildcards = (stack: Stack, resources: Resources): Acknowledgement[] => {
  const roles: [string, Granted[]][] = [
    ...functionNames.map((name): [string, Granted[]] => [
      `${functionId(name)}Role`,
      [...around(stack, name), ...grantedTo(name, resources)],
    ]),
    ...(stack.node.tryFindChild(frontRole)
      ? [[frontRole, frontFunctions.flatMap((name) => grantedTo(name, resources))] as [string, Granted[]]]
      : []),
  ];
  return roles.flatMap(([role, granted]) =>
    [...reasonsOf(stack, granted)].map(([resource, reasons]) => ({
      rules: [`AwsSolutions-IAM5[Resource::${resource}]`],
      of: [role],
      reason: [...reasons].join('; '),
    })),
  );
};
