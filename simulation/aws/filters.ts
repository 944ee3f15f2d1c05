/**
 * Filters as EC2 evaluates them: values are alternatives, filters combine with AND, `*` and `?` are
 * wildcards (`?` is at most one character).
 */
import type { Filter } from '../../kinds/ports/cloud/index.ts';
import { type Collection, type Stored, tagIndex } from './collection.ts';
import { invalidParameter } from './errors.ts';

export type Fields<T> = Record<string, (item: T) => string[]>;

const hasWildcard = (value: string): boolean => /[*?\\]/.test(value);

/** Without backtracking: the cost is the length of the pattern times the length of the text. */
export const globMatches = (pattern: string, text: string): boolean => {
  let states = new Set([0]);
  const close = (positions: Set<number>): Set<number> => {
    for (const at of positions) if (pattern[at] === '*' || pattern[at] === '?') positions.add(at + 1);
    return positions;
  };
  states = close(states);
  for (const character of text) {
    const next = new Set<number>();
    for (const at of states) {
      const token = pattern[at];
      if (token === '*') next.add(at);
      else if (token === '?') next.add(at + 1);
      else if (token === '\\' && pattern[at + 1] === character) next.add(at + 2);
      else if (token === character) next.add(at + 1);
    }
    states = close(next);
    if (states.size === 0) return false;
  }
  return states.has(pattern.length);
};

const valueMatches = (wanted: string, actual: string): boolean =>
  hasWildcard(wanted) ? globMatches(wanted, actual) : wanted === actual;

const fieldOf = <T>(name: string, fields: Fields<T>): ((item: T) => string[]) =>
  (Object.hasOwn(fields, name) ? fields[name] : undefined) ?? invalidParameter(`The filter '${name}' is invalid`);

/** Whether the item passes all filters; an unknown filter is refused. */
export const matches = <T>(item: T, filters: Filter[] | undefined, fields: Fields<T>): boolean =>
  (filters ?? []).every(({ Name, Values }) => {
    const actual = fieldOf(Name, fields)(item);
    return Values.some((wanted) => actual.some((value) => valueMatches(wanted, value)));
  });

const tagField = <T extends Stored>(name: string): ((item: T) => string[]) | undefined => {
  if (name === 'tag-key') return (item) => Object.keys(item.tags);
  if (name === 'tag-value') return (item) => Object.values(item.tags);
  if (!name.startsWith('tag:')) return undefined;
  const key = name.slice('tag:'.length);
  return (item) => (Object.hasOwn(item.tags, key) ? [item.tags[key]!] : []);
};

/** The records of a region that pass the filters, in creation order; starts from the narrowest index that applies. */
export const select = <T extends Stored>(
  collection: Collection<T>,
  region: string,
  filters: Filter[] | undefined,
  fields: Fields<T>,
): T[] => {
  const tests = (filters ?? []).map(({ Name, Values }) => ({
    values: Values,
    field: tagField<T>(Name) ?? fieldOf(Name, fields),
  }));
  let narrowest = { index: 'region', values: [region], size: collection.count('region', region) };
  for (const { Name, Values } of filters ?? []) {
    const index = Name.startsWith('tag:') ? tagIndex(region, Name.slice('tag:'.length)) : Name;
    if (!collection.has(index) || Values.some(hasWildcard)) continue;
    const size = Values.reduce((sum, value) => sum + collection.count(index, value), 0);
    if (size < narrowest.size) narrowest = { index, values: Values, size };
  }
  const found = new Map(
    narrowest.values.flatMap((value) => collection.by(narrowest.index, value)).map((record) => [record.id, record]),
  );
  return [...found.values()]
    .filter(
      (record) =>
        record.region === region &&
        tests.every(({ values, field }) => {
          const actual = field(record);
          return values.some((wanted) => actual.some((value) => valueMatches(wanted, value)));
        }),
    )
    .sort((a, b) => a.seq - b.seq);
};
