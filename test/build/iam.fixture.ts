/** The part of IAM that Capstan's policies use: whether statements allow an action on a resource. */
import type { Statement } from '../../cdk/permissions/statement.ts';

export interface Request {
  action: string;
  resource: string;
  /** The condition keys that AWS sets for this request and resource; a list for multivalued keys. */
  context?: Readonly<Record<string, string | readonly string[]>>;
}

const glob = (pattern: string): RegExp =>
  new RegExp(
    `^${pattern
      .replace(/[.+^${}()|[\]\\]/g, '\\$&')
      .replace(/\*/g, '.*')
      .replace(/\?/g, '.')}$`,
  );
// A resource `*` in a request has no ID yet, so only a pattern that matches everything covers it.
const covers = (pattern: string, text: string): boolean => glob(pattern).test(text);

type Test = (wanted: readonly string[], have: readonly string[] | undefined) => boolean;
const equals = (wanted: readonly string[], one: string) => wanted.includes(one);
const like = (wanted: readonly string[], one: string) => wanted.some((pattern) => covers(pattern, one));

const operators: Record<string, Test> = {
  StringEquals: (wanted, have) => have?.some((one) => equals(wanted, one)) ?? false,
  StringNotEquals: (wanted, have) => !have?.some((one) => equals(wanted, one)),
  StringEqualsIfExists: (wanted, have) => have?.some((one) => equals(wanted, one)) ?? true,
  'ForAllValues:StringEquals': (wanted, have) => have?.every((one) => equals(wanted, one)) ?? true,
  'ForAllValues:StringLike': (wanted, have) => have?.every((one) => like(wanted, one)) ?? true,
  'ForAllValues:StringNotEqualsIgnoreCase': (wanted, have) =>
    !have?.some((one) => wanted.some((other) => other.toLowerCase() === one.toLowerCase())),
  'ForAllValues:StringNotLike': (wanted, have) => !have?.some((one) => like(wanted, one)),
  Null: ([wanted], have) => (have === undefined) === (wanted === 'true'),
};

const listed = (value: string | readonly string[]): readonly string[] => (typeof value === 'string' ? [value] : value);

const applies = ({ actions, resources, conditions = {} }: Statement, { action, resource, context = {} }: Request) =>
  actions.includes(action) &&
  resources.some((pattern) => covers(pattern, resource)) &&
  Object.entries(conditions).every(([operator, keys]) => {
    const test = operators[operator];
    if (!test) throw new Error(`no operator ${operator}`);
    return Object.entries(keys).every(([key, wanted]) =>
      test(listed(wanted), context[key] === undefined ? undefined : listed(context[key])),
    );
  });

/** AWS denies a call when one of its resources is not allowed, so each is checked separately. */
export const isAllowed = (statements: readonly Statement[], request: Request): boolean =>
  statements.some((statement) => applies(statement, request));
