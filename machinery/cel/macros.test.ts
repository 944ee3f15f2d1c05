/** What the library does not have of CEL: macros of two variables, of optionals, and literals. */
import { describe, expect, it } from 'vitest';
import { jsonOf } from './json.ts';
import { ObjectLiteral } from './literals.ts';
import { baseEnvironment, check, checkingEnvironment, compilerOf } from './program.ts';

const environment = baseEnvironment.clone().registerType('Object', ObjectLiteral as never);
const compile = compilerOf(environment);
const object = { replicas: 3n, list: [10n, 20n], map: { a: 1n, b: 2n } };

const evaluate = (expression: string): unknown => {
  const program = compile(expression);
  if (program instanceof Error) throw program;
  return jsonOf(program({ object }));
};

describe('an expression', () => {
  it.each<[expression: string, value: unknown]>([
    ['[1, 2, 3].all(i, v, v == i + 1)', true],
    ['[1, 2, 3].all(i, v, v > 1)', false],
    ['[0, 1].all(i, v, i > 0 && 1 / v == 1)', false],
    ['[].all(i, v, false)', true],
    ["object.map.exists(k, v, k == 'b' && v == 2)", true],
    ['[0, 1].exists(i, v, 1 / v == 1)', true],
    ['[].exists(i, v, true)', false],
    ['object.list.existsOne(i, v, v > 10)', true],
    ['object.list.existsOne(i, v, v > 1)', false],
    ['object.list.exists_one(i, v, i == 0)', true],
    ['object.list.transformList(i, v, v + i)', [10, 21]],
    ['object.list.transformList(i, v, i > 0, v + i)', [21]],
    ['object.map.transformList(k, v, k)', ['a', 'b']],
    ['object.map.transformMap(k, v, v * 2)', { a: 2, b: 4 }],
    ['object.map.transformMap(k, v, v > 1, v * 2)', { b: 4 }],
    ['object.list.transformMap(i, v, v)[1]', 20],
    ["['a', 'b'].transformMapEntry(i, v, {v: i})", { a: 0, b: 1 }],
    ["['a', 'b'].transformMapEntry(i, v, i > 0, {v: i})", { b: 1 }],
    ['[[1], [2, 3]].transformList(i, v, v.transformList(j, w, i * 10 + w))', [[1], [12, 13]]],
    ['object.?replicas.optMap(r, r + 1).orValue(0)', 4],
    ['object.?missing.optMap(r, r + 1).orValue(0)', 0],
    ['object.?replicas.optFlatMap(r, r > 5 ? optional.of(r) : optional.none()).orValue(7)', 7],
    ['object.?missing.optFlatMap(r, optional.of(r)).hasValue()', false],
    ['Object{spec: Object.spec{replicas: object.replicas,}}', { spec: { replicas: 3 } }],
    ['Object{spec: 1}.spec + 1', 2],
    ['Object{?a: object.?replicas, ?b: object.?missing}', { a: 3 }],
    ["{?'a': object.?replicas, ?'b': object.?missing, 'c': 1}", { a: 3, c: 1 }],
    ['[?object.?missing, ?object.?replicas, 7]', [3, 7]],
    ['object.list.map(x, Object{n: x})', [{ n: 10 }, { n: 20 }]],
  ])('%s', (expression, value) => expect(evaluate(expression)).toEqual(value));

  it.each([
    ['[0, 1].all(i, v, 1 / v == 1)', 'division by zero'],
    ['[0].exists(i, v, 1 / v == 1)', 'division by zero'],
    ["['a', 'a'].transformMapEntry(i, v, {v: i})", 'key a already exists'],
    ['[1].transformMapEntry(i, v, {})', 'a map of one entry'],
    ['object.replicas.all(i, v, true)', 'no such overload'],
    ['object.list.all(i, v, v)', 'no such overload'],
    ['Other{a: 1}', "undeclared reference to 'Other'"],
    ['size(?object)', "'?' is not expected here"],
    ['[?1]', "but found 'int'"],
    ['[?dyn(1)]', 'non-optional value'],
    ['[1].all(i.j, v, true)', 'must be a simple name'],
    ['Object{a: object.?missing}', 'no form in JSON'],
  ])('%s fails: %s', (expression, message) => expect(() => evaluate(expression)).toThrow(message));

  it('counts what its macros of two variables evaluate', async () => {
    const { costOfCall, evaluateWithin } = await import('./budget.ts');
    const list = Array.from({ length: 1100 }, (_, i) => BigInt(i));
    const program = compile('object.list.all(i, v, object.list.all(j, w, i + w >= 0))');
    if (program instanceof Error) throw program;
    const { result } = evaluateWithin(costOfCall, () => program({ object: { list } }));
    expect(result).toEqual({ isOver: true });
  });
});

describe('a check', () => {
  const known = checkingEnvironment({ items: 'list<int>', flags: 'map<string, bool>' }).registerType(
    'Object',
    ObjectLiteral as never,
  );
  it.each([
    ['items.all(i, v, i < v)', { type: 'bool' }],
    ['items.transformList(i, v, v > 1)', { type: 'list<bool>' }],
    ['flags.transformMap(k, v, size(k))', { type: 'map<string, int>' }],
    ['Object{a: items}', { type: 'Object' }],
  ])('%s', (expression, checked) => expect(check(expression, known)).toEqual(checked));

  it.each([
    ['items.all(i, v, i + v)', "predicate must return bool, got 'int'"],
    ['flags.all(k, v, k + v)', 'found no matching overload'],
    ["'text'.all(i, v, true)", 'cannot be range of a comprehension'],
    ['Other{}', "undeclared reference to 'Other'"],
  ])('%s fails: %s', (expression, message) => expect(JSON.stringify(check(expression, known))).toContain(message));
});
