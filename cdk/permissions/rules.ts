/**
 * How a call on the account is narrowed. AWS checks every resource that a call touches by itself, so each type of resource
 * that an action touches is named once: as one that the call makes, as one that must be ours, or as one that it only uses.
 * Source: AWS's Service Authorization Reference, which says for each action its types and the condition keys of each.
 */
import type { Resources } from '../resources.ts';
import type { Conditions, Statement } from './statement.ts';

export const installationTag = 'capstan.dev/installation';

export interface Rule<Type extends string> {
  /** Made by the call, which must tag them as this installation's: aws:RequestTag. */
  makes?: readonly Type[];
  /** There already, and tagged as this installation's: aws:ResourceTag. */
  ours?: readonly Type[];
  /** Anybody's, as a VPC or an image that a user names: the call does nothing to them. */
  uses?: readonly Type[];
}
export type Rules<Type extends string> = Readonly<Record<string, Rule<Type>>>;

export interface Service<Type extends string> {
  /** Of ids, which begin as `sids` do. */
  name: string;
  rules: Rules<Type>;
  /** Everything of a type in the account, in any region. */
  arnOf: (type: Type, resources: Resources) => string;
  /** What is there already and may be used; where it differs from the former. */
  usableArnOf?: (type: Type, resources: Resources) => string;
}

export const carriesOurTag = ({ installation }: Resources): Conditions => ({
  StringEquals: { [`aws:ResourceTag/${installationTag}`]: installation },
});
export const givesOurTag = ({ installation }: Resources): Conditions => ({
  StringEquals: { [`aws:RequestTag/${installationTag}`]: installation },
});

/** Tags that prove whose a thing is. */
const proof = [installationTag, 'capstan.dev/cluster-uid'];
/** Of tags that are put on what is there already: none that proves whose it is. */
export const givesNoProof = (resources: Resources): Conditions => ({
  ...carriesOurTag(resources),
  'ForAllValues:StringNotEqualsIgnoreCase': { 'aws:TagKeys': proof },
  Null: { 'aws:TagKeys': 'false' },
});
/** Of tags that are taken off: none of ours is, and some are named, for a call that names none takes all. */
export const takesNoProof = (resources: Resources): Conditions => ({
  ...carriesOurTag(resources),
  'ForAllValues:StringNotLike': { 'aws:TagKeys': ['capstan.dev/*'] },
  Null: { 'aws:TagKeys': 'false' },
});

/** One statement for all that is made, one for all that is ours, and one for each action that uses what is not. */
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
      why: 'makes nothing without the tag of this installation',
      ...all('makes'),
      conditions: givesOurTag(resources),
    },
    {
      sid: `${name}Ours`,
      why: 'changes and deletes nothing but what carries the tag of this installation',
      ...all('ours'),
      conditions: carriesOurTag(resources),
    },
    ...calls.map((action) => ({
      sid: `${name}${action.split(':')[1]}Uses`,
      why: 'may be somebody else’s: the call only refers to it, and what it makes or changes is checked above',
      actions: [action],
      resources: (rules[action]!.uses ?? []).map((type) => usableArnOf(type, resources)),
    })),
  ];
  return statements.filter((statement) => statement.resources.length > 0);
};
