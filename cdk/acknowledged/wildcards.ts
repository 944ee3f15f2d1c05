/** The wildcards in the functions' policies, each with what its statement says of itself. */
import type { Stack } from 'aws-cdk-lib';
import { functionId } from '../functions.ts';
import { type FunctionName, functionNames } from '../names.ts';
import { policiesFor } from '../permissions/index.ts';
import type { Resources } from '../resources.ts';
import type { Acknowledgement } from './acknowledge.ts';

type Resolved = string | { Ref: string } | { 'Fn::GetAtt': string[] } | { 'Fn::Join': [string, Resolved[]] };

/** As the rule writes what is known only when it is deployed. */
const flat = (value: Resolved): string => {
  if (typeof value === 'string') return value;
  if ('Ref' in value) return `<${value.Ref}>`;
  if ('Fn::GetAtt' in value) return `<${value['Fn::GetAtt'].join('.')}>`;
  const [separator, parts] = value['Fn::Join'];
  return parts.map(flat).join(separator);
};

const rule = (resource: string) => `AwsSolutions-IAM5[Resource::${resource}]`;
const traces = 'traces have no resource that a policy could name';

const reasonsOf = (stack: Stack, name: FunctionName, resources: Resources): Map<string, Set<string>> => {
  const reasons = new Map<string, Set<string>>([['*', new Set([traces])]]);
  if (name === 'dispatch') reasons.get('*')!.add('streams are listed by no name');
  for (const statement of Object.values(policiesFor(name, resources)).flat())
    for (const resource of statement.resources.map((one) => flat(stack.resolve(one) as Resolved))) {
      if (!resource.includes('*')) continue;
      if (!reasons.has(resource)) reasons.set(resource, new Set());
      reasons.get(resource)!.add(statement.why);
    }
  return reasons;
};

export const wildcards = (stack: Stack, resources: Resources): Acknowledgement[] =>
  functionNames.flatMap((name) =>
    [...reasonsOf(stack, name, resources)].map(([resource, reasons]) => ({
      rules: [rule(resource)],
      of: [`${functionId(name)}Role`],
      reason: [...reasons].join('; '),
    })),
  );
