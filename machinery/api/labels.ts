/** Label selectors, in query parameters and in objects. */
import { badRequest } from './errors.ts';
import type { LabelSelector } from './object.ts';

export type Labels = Record<string, string>;
export type LabelMatcher = (labels: Labels | undefined) => boolean;

type Operator = 'In' | 'NotIn' | 'Exists' | 'DoesNotExist' | 'GreaterThan' | 'LessThan';
interface Requirement {
  key: string;
  operator: Operator;
  values: string[];
}

/** By a key that a user can choose, such as `constructor`, which every object inherits. */
export const ownValue = <T>(values: Readonly<Record<string, T>> | undefined, key: string): T | undefined =>
  values && Object.hasOwn(values, key) ? values[key] : undefined;

/** As Kubernetes parses integers in selectors. */
const integer = /^[+-]?\d+$/;
const difference = (value: string | undefined, bound: string | undefined): bigint | undefined =>
  value !== undefined && bound !== undefined && integer.test(value) && integer.test(bound)
    ? BigInt(value) - BigInt(bound)
    : undefined;

/** Whether a value, undefined if it is absent, meets a requirement. */
export const meets = (
  value: string | undefined,
  { operator, values }: Pick<Requirement, 'operator'> & { values: readonly string[] },
): boolean => {
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'GreaterThan':
      return (difference(value, values[0]) ?? 0n) > 0n;
    case 'LessThan':
      return (difference(value, values[0]) ?? 0n) < 0n;
  }
};

const matcher =
  (requirements: Requirement[]): LabelMatcher =>
  (labels) =>
    requirements.every((one) => meets(ownValue(labels, one.key), one));

const namePart = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;
const prefixPart = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;

/** Whether the text is a valid key of a label, an annotation or a taint. */
export const isQualifiedName = (text: string): boolean => {
  const parts = text.split('/');
  if (parts.length > 2) return false;
  const [prefix, name] = parts.length === 2 ? [parts[0]!, parts[1]!] : [undefined, parts[0]!];
  return namePart.test(name) && (prefix === undefined || (prefix.length <= 253 && prefixPart.test(prefix)));
};
export const isLabelValue = (text: string): boolean => text === '' || namePart.test(text);

const operators: Record<string, Operator> = {
  in: 'In',
  notin: 'NotIn',
  '=': 'In',
  '==': 'In',
  '!=': 'NotIn',
  '>': 'GreaterThan',
  '<': 'LessThan',
};

const tokens = (text: string): string[] => text.match(/[(),]|!=|==|[=!<>]|[^(),=!<>\s]+/g) ?? [];

const checked = (requirement: Requirement, refuse: (why: string) => never): Requirement => {
  const { key, operator, values } = requirement;
  if (!isQualifiedName(key))
    refuse(
      `<nil>: Invalid value: ${JSON.stringify(key)}: name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    );
  const ordered = operator === 'GreaterThan' || operator === 'LessThan';
  for (const value of values) {
    if (ordered ? !integer.test(value) : !isLabelValue(value))
      refuse(
        `values[0][${key}]: Invalid value: ${JSON.stringify(value)}: a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`,
      );
  }
  return requirement;
};

/** Parses `a=b,c!=d,e in (f,g),h,!i`; 400 for an invalid selector. */
export const parseLabelSelector = (text: string): LabelMatcher => {
  const refuse = (why: string): never => {
    throw badRequest(`unable to parse requirement: ${why}`);
  };
  const all = tokens(text);
  let at = 0;
  const isWord = (token: string | undefined): token is string =>
    token !== undefined && !/^([(),]|!=|==|[=!<>])$/.test(token);
  const word = (): string => {
    const token = all[at++];
    return isWord(token) ? token : refuse(`found '${token ?? ''}', expected: identifier`);
  };
  const set = (): string[] => {
    if (all[at++] !== '(') refuse(`found '${all[at - 1] ?? ''}', expected: '('`);
    const values: string[] = [];
    for (;;) {
      values.push(isWord(all[at]) ? all[at++]! : '');
      const token = all[at++];
      if (token === ')') return values;
      if (token !== ',') refuse(`found '${token ?? ''}', expected: ',' or ')'`);
    }
  };
  const requirement = (): Requirement => {
    if (all[at] === '!') {
      at++;
      return { key: word(), operator: 'DoesNotExist', values: [] };
    }
    const key = word();
    const token = all[at];
    if (token === undefined || token === ',') return { key, operator: 'Exists', values: [] };
    const operator = operators[token];
    if (!operator) return refuse(`found '${token}', expected: in, notin, =, ==, !=, gt, lt`);
    at++;
    if (token === 'in' || token === 'notin') return { key, operator, values: set() };
    return { key, operator, values: [isWord(all[at]) ? all[at++]! : ''] };
  };

  const requirements: Requirement[] = [];
  while (at < all.length) {
    if (all[at] !== '!' && !isWord(all[at]))
      throw badRequest(`found '${all[at]}', expected: !, identifier, or 'end of string'`);
    requirements.push(checked(requirement(), refuse));
    const next = all[at++];
    if (next === undefined) break;
    if (next !== ',') throw badRequest(`found '${next}', expected: ',' or 'end of string'`);
    if (at === all.length) throw badRequest("found '', expected: identifier after ','");
  }
  return matcher(requirements);
};

/** The matcher of an object's selector: empty matches everything, absent matches nothing. */
export const labelMatcher = (selector: LabelSelector | undefined): LabelMatcher => {
  if (!selector) return () => false;
  const equalities = Object.entries(selector.matchLabels ?? {}).map(
    ([key, value]): Requirement => ({ key, operator: 'In', values: [value] }),
  );
  const expressions = (selector.matchExpressions ?? []).map(
    ({ key, operator, values }): Requirement => ({ key, operator: operator as Operator, values: values ?? [] }),
  );
  return matcher([...equalities, ...expressions]);
};

/** Formats an object's selector as `a=b,c in (d,e)`. */
export const formatLabelSelector = (selector: LabelSelector): string => {
  const equalities = Object.entries(selector.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`);
  const expressions = (selector.matchExpressions ?? []).map(({ key, operator, values }) => {
    const list = `(${[...(values ?? [])].sort().join(',')})`;
    switch (operator) {
      case 'In':
        return `${key} in ${list}`;
      case 'NotIn':
        return `${key} notin ${list}`;
      case 'DoesNotExist':
        return `!${key}`;
      default:
        return key;
    }
  });
  return [...equalities, ...expressions].sort().join(',');
};
