/** CEL's macros of two variables: the index and item of a list, or the key and value of a map. */
import type { Environment } from '@marcbachmann/cel-js';
import { type Call, type Checker, type Context, type Evaluator, type Node, type Type, variableName } from './syntax.ts';

type Entry = readonly [key: unknown, value: unknown];

const entriesOf = (range: unknown, evaluator: Evaluator, node: Node): Entry[] => {
  if (Array.isArray(range)) return range.map((item, i) => [BigInt(i), item]);
  if (range instanceof Map) return [...range];
  if (typeof range === 'object' && range !== null && Object.getPrototypeOf(range) === Object.prototype)
    return Object.entries(range);
  throw evaluator.createError('invalid_comprehension_range', 'no such overload', node);
};

const entryTypes = (checker: Checker, range: Type, node: Node): [Type, Type] => {
  const dyn = checker.getType('dyn');
  switch (range.kind) {
    case 'dyn':
      return [dyn, dyn];
    case 'list':
      return [checker.getType('int'), range.valueType ?? dyn];
    case 'map':
      return [range.keyType ?? dyn, range.valueType ?? dyn];
    default:
      throw checker.createError(
        'invalid_comprehension_range',
        `expression of type '${range.name}' cannot be range of a comprehension (must be list, map, or dynamic)`,
        node,
      );
  }
};

/** Goes through the entries; `at` evaluates a body for one of them. */
type Run = (entries: readonly Entry[], at: (body: number, entry: Entry) => unknown) => unknown;

interface Comprehension {
  /** Which of the bodies are predicates. */
  predicates: number;
  run: Run;
  /** The type of the result, by that of the last body. */
  type: (checker: Checker, range: Type, body: Type) => Type;
}

const bool: Comprehension['type'] = (checker) => checker.getType('bool');

const isTrue = (value: unknown): boolean => {
  if (typeof value !== 'boolean') throw new Error('no such overload');
  return value;
};

/** An error counts only if no entry decides. */
const quantifier = (decisive: boolean): Comprehension => ({
  predicates: 1,
  type: bool,
  run: (entries, at) => {
    let failed: { error: unknown } | undefined;
    for (const entry of entries)
      try {
        if (isTrue(at(0, entry)) === decisive) return decisive;
      } catch (error) {
        failed ??= { error };
      }
    if (failed) throw failed.error;
    return !decisive;
  },
});

const existsOne: Comprehension = {
  predicates: 1,
  type: bool,
  run: (entries, at) => entries.filter((entry) => isTrue(at(0, entry))).length === 1,
};

/** `collect` takes what the last body makes of an entry that passes the filter, if there is one. */
const transform = (
  hasFilter: boolean,
  type: Comprehension['type'],
  start: () => { collect: (made: unknown, entry: Entry) => void; result: unknown },
): Comprehension => ({
  predicates: hasFilter ? 1 : 0,
  type,
  run: (entries, at) => {
    const { collect, result } = start();
    for (const entry of entries) if (!hasFilter || isTrue(at(0, entry))) collect(at(hasFilter ? 1 : 0, entry), entry);
    return result;
  },
});

const transformList = (hasFilter: boolean) =>
  transform(
    hasFilter,
    ({ registry }, _, body) => registry.getListType(body),
    () => {
      const result: unknown[] = [];
      return { result, collect: (made) => void result.push(made) };
    },
  );

const keyText = (key: unknown): string => String(key);

/** Maps are objects where their keys are strings, as elsewhere in the library. */
const mapOf = (entries: Map<unknown, unknown>): unknown =>
  [...entries.keys()].every((key) => typeof key === 'string')
    ? Object.fromEntries(entries as Map<string, unknown>)
    : entries;

const collecting = (
  hasFilter: boolean,
  type: Comprehension['type'],
  put: (into: Map<unknown, unknown>, made: unknown, entry: Entry) => void,
): Comprehension => {
  const made = transform(hasFilter, type, () => {
    const result = new Map<unknown, unknown>();
    return { result, collect: (one, entry) => put(result, one, entry) };
  });
  return { ...made, run: (entries, at) => mapOf(made.run(entries, at) as Map<unknown, unknown>) };
};

const transformMap = (hasFilter: boolean) =>
  collecting(
    hasFilter,
    (checker, range, body) =>
      checker.registry.getMapType(
        range.kind === 'list' ? checker.getType('int') : (range.keyType ?? checker.getType('dyn')),
        body,
      ),
    (into, made, [key]) => void into.set(key, made),
  );

const transformMapEntry = (hasFilter: boolean) =>
  collecting(
    hasFilter,
    (checker, _, body) => (body.kind === 'map' ? body : checker.getType('map')),
    (into, made) => {
      const own = made instanceof Map ? [...made] : Object.entries(made as object);
      if (own.length !== 1) throw new Error('transformMapEntry: a map of one entry is expected');
      const [key, value] = own[0]!;
      if (into.has(key)) throw new Error(`insert failed: key ${keyText(key)} already exists`);
      into.set(key, value);
    },
  );

interface Expanded {
  range: Node;
  bodies: Node[];
  names: [string, string];
  outer?: Context;
  inner?: Context;
}

const expander =
  ({ predicates, run, type }: Comprehension) =>
  ({ args, receiver }: Call) => {
    const expanded: Expanded = {
      range: receiver,
      names: [variableName(args[0]!), variableName(args[1]!)],
      bodies: args.slice(2),
    };
    return {
      ...expanded,
      async: false,
      typeCheck: (checker: Checker, macro: Expanded, context: Context): Type => {
        const range = checker.check(macro.range, context);
        const [key, value] = entryTypes(checker, range, macro.range);
        macro.outer = context.forkWithVariable(macro.names[0], key);
        macro.inner = macro.outer.forkWithVariable(macro.names[1], value);
        const types = macro.bodies.map((body) => {
          const checked = checker.check(body, macro.inner!);
          if (macro.bodies.indexOf(body) < predicates && !checked.isDynOrBool())
            throw checker.createError('invalid_predicate', `predicate must return bool, got '${checked.name}'`, body);
          return checked;
        });
        return type(checker, range, types.at(-1)!);
      },
      evaluate: (evaluator: Evaluator, macro: Expanded, context: Context): unknown => {
        const range = evaluator.run(macro.range, context);
        return run(entriesOf(range, evaluator, macro.range), (body, [key, value]) => {
          const outer = macro.outer!.reuse(context).setIterValue(key, evaluator);
          return evaluator.run(macro.bodies[body]!, macro.inner!.reuse(outer).setIterValue(value, evaluator));
        });
      },
    };
  };

export const registerComprehensions = (of: Environment): Environment => {
  const register = (name: string, result: string, expressions: number, comprehension: Comprehension) =>
    of.registerFunction(
      `list.${name}(${Array(2 + expressions)
        .fill('ast')
        .join(', ')}): ${result}`,
      expander(comprehension) as never,
    );
  register('all', 'bool', 1, quantifier(false));
  register('exists', 'bool', 1, quantifier(true));
  register('existsOne', 'bool', 1, existsOne);
  register('exists_one', 'bool', 1, existsOne);
  for (const hasFilter of [false, true]) {
    const expressions = hasFilter ? 2 : 1;
    register('transformList', 'list', expressions, transformList(hasFilter));
    register('transformMap', 'map', expressions, transformMap(hasFilter));
    register('transformMapEntry', 'map', expressions, transformMapEntry(hasFilter));
  }
  return of;
};
