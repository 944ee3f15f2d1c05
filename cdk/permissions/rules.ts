/**
 * Least privilege for calls on the account. IAM checks every resource of a call separately, so a rule assigns each resource type of
 * an action to one role: created by the call, ours, or only used.
 * Source: AWS's Service Authorization Reference, which lists resource types and condition keys per action.
 */
import type { Call } from '../../kinds/ports/cloud/call.ts';
import { calls } from '../../kinds/ports/cloud/calls.ts';
import type { CloudService } from '../../kinds/ports/cloud-limits.ts';
import type { Resources } from '../resources.ts';
import type { Conditions, Statement } from './statement.ts';

export const installationTag = 'capstan.dev/installation';

/** The types of resources that IAM checks, each in one role. */
export type Rule<Type extends string> = { readonly [K in 'makes' | 'ours' | 'uses']?: readonly Type[] };
export type Rules<Type extends string> = Readonly<Record<string, Rule<Type>>>;

const roles = ['makes', 'ours', 'uses'] as const;

/** Of calls that share an IAM action, the rule has what any of them needs. */
export const rulesOf = <Type extends string>(service: CloudService): Rules<Type> => {
  const checked = Object.entries<Call>(Object.assign({}, ...calls[service])).filter(([, call]) =>
    roles.some((role) => call[role]),
  );
  const byAction = Map.groupBy(checked, ([name, { iam }]) => iam ?? `${service}:${name}`);
  const typesOf = (those: readonly [string, Call][], role: (typeof roles)[number]) => {
    const types = [...new Set(those.flatMap(([, call]) => call[role] ?? []))] as Type[];
    return types.length > 0 ? { [role]: types } : {};
  };
  return Object.fromEntries(
    [...byAction].map(([action, those]) => [action, Object.assign({}, ...roles.map((role) => typesOf(those, role)))]),
  );
};

export interface Service<Type extends string> {
  /** The prefix of its statements' sids. */
  name: string;
  rules: Rules<Type>;
  /** All resources of a type in the account, in any region. */
  arnOf: (type: Type, resources: Resources) => string;
  /** Resources that a call may reference, where these differ from `arnOf`. */
  usableArnOf?: (type: Type, resources: Resources) => string;
}

export const carriesOurTag = ({ installation }: Resources): Conditions => ({
  StringEquals: { [`aws:ResourceTag/${installationTag}`]: installation },
});
export const givesOurTag = ({ installation }: Resources): Conditions => ({
  StringEquals: { [`aws:RequestTag/${installationTag}`]: installation },
});

/** Tags that prove ownership. */
const proof = [installationTag, 'capstan.dev/cluster-uid'];
/** Tags set on existing resources: never ownership tags. */
export const givesNoProof = (resources: Resources): Conditions => ({
  ...carriesOurTag(resources),
  'ForAllValues:StringNotEqualsIgnoreCase': { 'aws:TagKeys': proof },
  Null: { 'aws:TagKeys': 'false' },
});
/** Tags that claim what belongs to no installation: the ownership tags alone. */
export const claims = ({ installation }: Resources): Conditions => ({
  StringEquals: { [`aws:RequestTag/${installationTag}`]: installation },
  'ForAllValues:StringEquals': { 'aws:TagKeys': proof },
  Null: { [`aws:ResourceTag/${installationTag}`]: 'true' },
});
/** Tags removed: never ownership tags. A call must name keys, because a call without keys removes all tags. */
export const takesNoProof = (resources: Resources): Conditions => ({
  ...carriesOurTag(resources),
  'ForAllValues:StringNotLike': { 'aws:TagKeys': ['capstan.dev/*'] },
  Null: { 'aws:TagKeys': 'false' },
});

/** One statement for created resources, one for ours, and one per action for those that it references. */
export const statementsOf = <Type extends string>(
  { name, rules, arnOf, usableArnOf = arnOf }: Service<Type>,
  allowed: readonly string[],
  resources: Resources,
): Statement[] => {
  const calls = allowed.filter((action) => Object.hasOwn(rules, action));
  const all = (part: keyof Rule<Type>): Pick<Statement, 'actions' | 'resources'> => {
    const actions = calls.filter((action) => rules[action]![part]?.length);
    const types = [...new Set(actions.flatMap((action) => rules[action]![part]!))].sort();
    return { actions, resources: types.map((type) => arnOf(type, resources)) };
  };
  const statements: Statement[] = [
    {
      sid: `${name}Makes`,
      why: 'creates only resources with this installation’s tag',
      ...all('makes'),
      conditions: givesOurTag(resources),
    },
    {
      sid: `${name}Ours`,
      why: 'acts only on resources with this installation’s tag',
      ...all('ours'),
      conditions: carriesOurTag(resources),
    },
    ...calls.map((action) => ({
      sid: `${name}${action.split(':')[1]}Uses`,
      why: 'the call only references this resource; the statements above check what it creates or changes',
      actions: [action],
      resources: (rules[action]!.uses ?? []).map((type) => usableArnOf(type, resources)),
    })),
  ];
  return statements.filter((statement) => statement.resources.length > 0);
};
