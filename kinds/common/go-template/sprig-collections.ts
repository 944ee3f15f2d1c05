/** sprig's functions of lists and maps, of defaults, and of types. */
import type { GoFunction } from './execute.ts';
import { isTrue } from './execute.ts';
import { goType } from './format.ts';
import { TemplateError, type Value } from './nodes.ts';
import { listIn, mapIn, stringIn, toPlain, wholeIn } from './operands.ts';

const isSame = (left: Value, right: Value): boolean =>
  typeof left === typeof right && JSON.stringify(toPlain(left)) === JSON.stringify(toPlain(right));
const isEmpty = (value: Value): boolean => !isTrue(value);

const uniqueOf = (values: Value[]): Value[] =>
  values.filter((value, i) => values.findIndex((other) => isSame(value, other)) === i);

const withKeys = (map: Record<string, Value>, isWanted: (key: string) => boolean): Value =>
  Object.fromEntries(Object.entries(map).filter(([key]) => isWanted(key)));

/** The later maps fill in what the first one lacks, or replace it. */
const mergeInto = (target: Record<string, Value>, source: Record<string, Value>, replaces: boolean): void => {
  for (const [key, value] of Object.entries(source)) {
    const before = target[key];
    const areMaps = [before, value].every((one) => typeof one === 'object' && one !== null && !Array.isArray(one));
    if (areMaps) mergeInto(before as Record<string, Value>, value as Record<string, Value>, replaces);
    else if (isEmpty(before) || (replaces && !isEmpty(value))) target[key] = structuredClone(value);
  }
};
const merged =
  (replaces: boolean): GoFunction =>
  (first, ...others) => {
    const target = mapIn(first);
    for (const other of others) mergeInto(target, mapIn(other), replaces);
    return target;
  };

const dictOf: GoFunction = (...values) => {
  const map: Record<string, Value> = {};
  for (let i = 0; i < values.length; i += 2) map[String(values[i])] = i + 1 < values.length ? values[i + 1] : '';
  return map;
};

const digIn: GoFunction = (...values) => {
  if (values.length < 3) throw new TemplateError('dig needs at least three arguments');
  const keys = values.slice(0, -2).map(stringIn);
  let value: Value = mapIn(values.at(-1));
  for (const key of keys) {
    const map: Record<string, Value> = mapIn(value);
    if (!Object.hasOwn(map, key)) return values.at(-2);
    value = map[key];
  }
  return value;
};

const chunksOf = (size: number, values: Value[]): Value[] =>
  Array.from({ length: Math.ceil(values.length / size) }, (_, i) => values.slice(i * size, (i + 1) * size));

const steps = (start: bigint, stop: bigint, step: bigint): Value[] => {
  const values: Value[] = [];
  if (step === 0n || (stop < start ? step > 0n : step < 0n)) return values;
  for (let at = start; step > 0n ? at < stop : at > stop; at += step) {
    if (values.length >= 100_000) throw new TemplateError('too many numbers');
    values.push(at);
  }
  return values;
};

const sequence: GoFunction = (...values) => {
  const [a = 1n, b, c] = values.map(wholeIn);
  const [from, to] = b === undefined ? [1n, a] : [a, c ?? b];
  const step = c === undefined ? (to < from ? -1n : 1n) : b!;
  return steps(from, to + (step > 0n ? 1n : -1n), step)
    .map(String)
    .join(' ');
};

const kindOf = (value: Value): string => {
  const type = goType(value);
  if (type === '<nil>') return 'invalid';
  return type.startsWith('[]') ? 'slice' : type.startsWith('map') ? 'map' : type;
};

const appended: GoFunction = (list, value) => [...listIn(list), value];
const prepended: GoFunction = (list, value) => [value, ...listIn(list)];
const uniqueList: GoFunction = (list) => uniqueOf(listIn(list));
const compacted: GoFunction = (list) => listIn(list).filter((one) => !isEmpty(one));
const without: GoFunction = (list, ...unwanted) =>
  listIn(list).filter((one) => !unwanted.some((other) => isSame(one, other)));
const sliced: GoFunction = (list, from = 0n, to = undefined) =>
  listIn(list).slice(Number(wholeIn(from)), to === undefined ? undefined : Number(wholeIn(to)));

const lists: Record<string, GoFunction> = {
  list: (...values) => values,
  tuple: (...values) => values,
  first: (list) => listIn(list)[0],
  last: (list) => listIn(list).at(-1),
  rest: (list) => listIn(list).slice(1),
  initial: (list) => listIn(list).slice(0, -1),
  append: appended,
  push: appended,
  prepend: prepended,
  reverse: (list) => listIn(list).toReversed(),
  uniq: uniqueList,
  compact: compacted,
  without,
  has: (value, list) => (list === undefined || list === null ? false : listIn(list).some((one) => isSame(one, value))),
  slice: sliced,
  concat: (...values) => values.flatMap(listIn),
  chunk: (size, list) => chunksOf(Number(wholeIn(size)), listIn(list)),
  until: (count) => steps(0n, wholeIn(count), wholeIn(count) < 0n ? -1n : 1n),
  untilStep: (start, stop, step) => steps(wholeIn(start), wholeIn(stop), wholeIn(step)),
  seq: sequence,
};
const must = ['first', 'last', 'rest', 'initial', 'append', 'push', 'prepend', 'reverse', 'uniq', 'compact'];
const mustToo = [...must, 'without', 'has', 'slice', 'chunk'];
const mustLists = Object.fromEntries(
  mustToo.map((name) => [`must${name.charAt(0).toUpperCase()}${name.slice(1)}`, lists[name]!]),
);

export const collections: Record<string, GoFunction> = {
  ...lists,
  ...mustLists,
  dict: dictOf,
  get: (map, key) => (Object.hasOwn(mapIn(map), stringIn(key)) ? mapIn(map)[stringIn(key)] : ''),
  set: (map, key, value) => {
    mapIn(map)[stringIn(key)] = value;
    return map;
  },
  unset: (map, key) => {
    delete mapIn(map)[stringIn(key)];
    return map;
  },
  hasKey: (map, key) => Object.hasOwn(mapIn(map), stringIn(key)),
  pluck: (key, ...maps) =>
    maps.map(mapIn).flatMap((map) => (Object.hasOwn(map, stringIn(key)) ? [map[stringIn(key)]] : [])),
  keys: (...maps) => maps.flatMap((map) => Object.keys(mapIn(map)).sort()),
  values: (map) =>
    Object.keys(mapIn(map))
      .sort()
      .map((key) => mapIn(map)[key]),
  pick: (map, ...keys) => withKeys(mapIn(map), (key) => keys.includes(key)),
  omit: (map, ...keys) => withKeys(mapIn(map), (key) => !keys.includes(key)),
  merge: merged(false),
  mustMerge: merged(false),
  mergeOverwrite: merged(true),
  mustMergeOverwrite: merged(true),
  deepCopy: (value) => structuredClone(value),
  mustDeepCopy: (value) => structuredClone(value),
  dig: digIn,
  default: (fallback, ...given) => (given.length === 0 || isEmpty(given[0]) ? fallback : given[0]),
  empty: isEmpty,
  coalesce: (...values) => values.find((one) => !isEmpty(one)) ?? null,
  all: (...values) => values.every((one) => !isEmpty(one)),
  any: (...values) => values.some((one) => !isEmpty(one)),
  ternary: (yes, no, condition) => {
    if (typeof condition !== 'boolean') throw new TemplateError('wrong type for value; expected bool');
    return condition ? yes : no;
  },
  fail: (message) => {
    throw new TemplateError(stringIn(message));
  },
  typeOf: goType,
  typeIs: (name, value) => goType(value) === name,
  typeIsLike: (name, value) => goType(value) === name || goType(value) === `*${name}`,
  kindOf,
  kindIs: (name, value) => kindOf(value) === name,
  deepEqual: isSame,
};
