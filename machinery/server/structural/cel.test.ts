import { describe, expect, it } from 'vitest';
import type { JsonSchema, ValidationRule } from '../../api/schema.ts';
import { compileErrorOf, validateRules } from './cel.ts';

const anyObject: JsonSchema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const schemaWith = (rule: Partial<ValidationRule> & { rule: string }, schema: JsonSchema = anyObject): JsonSchema => ({
  ...schema,
  'x-kubernetes-validations': [rule],
});
const faultsOf = (rule: string, self: unknown = {}) => validateRules(self, schemaWith({ rule }), undefined);
const expectTrue = (rule: string, self: unknown = {}) => expect(faultsOf(rule, self), rule).toEqual([]);

describe('the library of rules', () => {
  it.each([
    ['"abc".matches("^[a-c]+$") && !"abc".matches("^b")'],
    ['"a1b2".find("[0-9]") == "1" && "a1b2".findAll("[0-9]") == ["1", "2"] && "a1b2".findAll("[0-9]", 1) == ["1"]'],
    ['[1, 2, 3].isSorted() && ![2, 1].isSorted() && [1, 2, 3].sum() == 6 && [1, 3].max() == 3 && [1, 3].min() == 1'],
    ['[1, 2, 1].indexOf(1) == 0 && [1, 2, 1].lastIndexOf(1) == 2 && [1, 2].indexOf(9) == -1'],
    [
      '[1, 1, 2].distinct() == [1, 2] && [3, 1].sort() == [1, 3] && [1, 2, 3].slice(1, 2) == [2] && [[1], [2]].flatten() == [1, 2]',
    ],
    [
      'sets.contains([1, 2], [1]) && !sets.contains([1], [2]) && sets.equivalent([1, 1], [1]) && sets.intersects([1], [1, 2])',
    ],
    [
      '"abc".charAt(1) == "b" && "aXbX".replace("X", "-") == "a-b-" && "aXbX".replace("X", "-", 1) == "a-bX" && "ab".reverse() == "ba"',
    ],
    ['"%s has %d of %.2f".format(["a", 3, 1.5]) == "a has 3 of 1.50" && strings.quote("a") == "\\"a\\""'],
    ['isURL("https://a.example:80/x?y=1") && !isURL("a b")'],
    [
      'url("https://a.example:8080/x?y=1").getHost() == "a.example:8080" && url("https://a.example:8080/x").getPort() == "8080"',
    ],
    ['url("https://a.example/x").getScheme() == "https" && url("https://a.example/x").getEscapedPath() == "/x"'],
    ['isIP("10.0.0.1") && ip("10.0.0.1").family() == 4 && ip("127.0.0.1").isLoopback() && !isIP("10.0.0")'],
    [
      'cidr("10.0.0.0/8").containsIP("10.1.1.1") && cidr("10.0.0.0/8").containsCIDR("10.1.0.0/16") && cidr("10.0.0.0/8").prefixLength() == 8',
    ],
    ['string(cidr("10.1.2.3/8").masked()) == "10.0.0.0/8"'],
    ['quantity("1.5Gi").isGreaterThan(quantity("1500Mi")) && quantity("1000m").compareTo(quantity("1")) == 0'],
    [
      'isQuantity("1e3") && !isQuantity("x") && quantity("2k").asInteger() == 2000 && quantity("1").add(quantity("500m")).isGreaterThan(quantity("1"))',
    ],
    [
      'semver("1.2.3").isLessThan(semver("1.10.0")) && semver("1.0.0-rc.1").isLessThan(semver("1.0.0")) && semver("2.1.0").major() == 2',
    ],
    [
      '!format.dns1123Label().validate("a-b").hasValue() && format.named("dns1123Label").value().validate("A").hasValue()',
    ],
    ['self.?missing.orValue(3) == 3 && !self.?missing.hasValue()'],
    ['cel.bind(x, 2, x * x) == 4'],
    ['{"a": 1}.all(k, k == "a") && [1, 2].exists_one(x, x == 2) && [1, 2].map(x, x > 1, x * 2) == [4]'],
  ])('%s', (rule) => expectTrue(rule));
});

describe('a rule', () => {
  const counted: JsonSchema = { type: 'object', properties: { n: { type: 'integer' }, 'a-b': { type: 'string' } } };

  it.each([
    { rule: 'names what it evaluated', of: { rule: 'self.n > 1' }, detail: 'failed rule: self.n > 1', field: '' },
    { rule: 'has a message', of: { rule: 'self.n > 1', message: 'too few' }, detail: 'too few', field: '' },
    {
      rule: 'computes its message',
      of: { rule: 'self.n > 1', message: 'no', messageExpression: '"n is " + string(self.n)' },
      detail: 'n is 1',
      field: '',
    },
    {
      rule: 'falls back to its message when that fails',
      of: { rule: 'self.n > 1', message: 'no', messageExpression: 'self.missing' },
      detail: 'no',
      field: '',
    },
    { rule: 'names a field', of: { rule: 'self.n > 1', message: 'no', fieldPath: '.n' }, detail: 'no', field: '.n' },
    {
      rule: 'names a field in brackets',
      of: { rule: 'self.n > 1', message: 'no', fieldPath: "['a-b']" },
      detail: 'no',
      field: '[a-b]',
    },
    {
      rule: 'reports what cannot be evaluated',
      of: { rule: 'self.missing > 1' },
      detail: 'no such key: missing evaluating rule: self.missing > 1',
      field: '',
    },
  ])('$rule', ({ of, detail, field }) => {
    expect(validateRules({ n: 1 }, schemaWith(of, counted), undefined)).toMatchObject([
      { reason: 'FieldValueInvalid', detail, field },
    ]);
  });

  it('has a reason', () => {
    const [fault] = validateRules(
      { n: 1 },
      schemaWith({ rule: 'false', reason: 'FieldValueForbidden' }, counted),
      undefined,
    );
    expect(fault?.reason).toBe('FieldValueForbidden');
  });

  it('may see the old value of what changes, optionally of what is new', () => {
    const transition = schemaWith({ rule: 'self.n >= oldSelf.n' }, counted);
    expect(validateRules({ n: 1 }, transition, undefined)).toEqual([]);
    expect(validateRules({ n: 1 }, transition, { n: 2 })).toHaveLength(1);
    const optional = schemaWith(
      { rule: '!oldSelf.hasValue() || self.n >= oldSelf.value().n', optionalOldSelf: true },
      counted,
    );
    expect(validateRules({ n: 1 }, optional, undefined)).toEqual([]);
    expect(validateRules({ n: 1 }, optional, { n: 2 })).toHaveLength(1);
  });

  it('sees times, durations and bytes as such', () => {
    const schema: JsonSchema = {
      type: 'object',
      properties: {
        at: { type: 'string', format: 'date-time' },
        day: { type: 'string', format: 'date' },
        after: { type: 'string', format: 'duration' },
        raw: { type: 'string', format: 'byte' },
      },
    };
    const value = { at: '2026-01-02T00:00:00Z', day: '2026-01-01', after: '90s', raw: 'YWI=' };
    const rule =
      'self.at > self.day && self.after > duration("1m") && self.raw.size() == 2 && self.at.getFullYear() == 2026';
    expect(validateRules(value, schemaWith({ rule }, schema), undefined)).toEqual([]);
  });
});

describe('what does not end', () => {
  const list = (length: number) => Array.from({ length }, (_, i) => i);
  const lists: JsonSchema = {
    type: 'object',
    properties: { l: { type: 'array', items: { type: 'integer' } }, s: { type: 'string' } },
  };
  const within = (ms: number, rule: string, self: object) => {
    const began = performance.now();
    const faults = validateRules(self, schemaWith({ rule }, lists), undefined);
    expect(performance.now() - began).toBeLessThan(ms);
    return faults;
  };

  it('ends at the limit of a call', () => {
    const rule = 'self.l.all(a, self.l.all(b, self.l.all(c, a + b + c >= 0)))';
    expect(within(3000, rule, { l: list(500) })).toMatchObject([
      {
        detail: `'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: ${rule}`,
      },
    ]);
  });

  it('ends where an operator drops errors', () => {
    const rule = 'self.l.exists(a, self.l.exists(b, self.l.exists(c, a + b + c < 0 || a < 0)) || false) || true';
    expect(within(3000, rule, { l: list(500) })).toHaveLength(1);
  });

  it('counts long strings by their length', () => {
    expect(
      within(3000, 'self.l.all(a, self.s + self.s != self.s)', { l: list(2000), s: 'x'.repeat(100_000) }),
    ).toHaveLength(1);
  });

  it('matches patterns in linear time', () => {
    expect(within(1000, 'self.s.matches("^(a+)+$")', { s: `${'a'.repeat(40)}!` })).toHaveLength(1);
  });

  it('ends at the limit of an object', () => {
    const items: JsonSchema = schemaWith(
      {
        rule: '[1,2,3,4,5,6,7,8].all(a, [1,2,3,4,5,6,7,8].all(b, [1,2,3,4,5,6,7,8].all(c, [1,2,3,4,5,6,7,8].all(d, a+b+c+d > 0))))',
      },
      { type: 'integer' },
    );
    const faults = validateRules(list(2000), { type: 'array', items }, undefined);
    expect(faults.at(-1)?.detail).toBe(
      'validation failed due to running out of cost budget, no further validation rules will be run',
    );
  });
});

describe('an expression', () => {
  const text = { type: 'string' } as const;
  const schema: JsonSchema = {
    type: 'object',
    properties: {
      name: { ...text, maxLength: 9 },
      since: { ...text, format: 'date-time' },
      'odd-one': text,
      size: { type: 'integer' },
      share: { type: 'number' },
      port: { 'x-kubernetes-int-or-string': true },
      items: { type: 'array', items: { type: 'object', properties: { key: text } } },
      labels: { type: 'object', additionalProperties: text },
      free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    },
  };
  it.each([
    'self.size > 1 && has(self.name)',
    'self.odd__dash__one == "a"',
    'self.items.all(one, one.key.startsWith("a"))',
    'self.items.exists(one, oldSelf.items.exists(other, other.key == one.key))',
    '"a" in self.labels && self.labels["a"] == self.labels.a',
    'self.free.anything.at.all == 1',
    'self.port == 80 || self.port == "80%"',
    'self.since > timestamp("2026-01-01T00:00:00Z")',
    'self.share <= 1.0 && size(self.name) > 2',
    '!has(self.name) || self.name.matches("^a")',
  ])('%s fits the schema', (rule) => expect(compileErrorOf(rule, 'bool', false, schema)).toBeUndefined());

  it.each([
    ['self.colour == "red"', 'colour'],
    ['self.items.all(one, one.value == "a")', 'value'],
    ['oldSelf.colour == self.name', 'colour'],
  ])('%s names a field that is not there', (rule, field) =>
    expect(compileErrorOf(rule, 'bool', false, schema)).toContain(`undefined field '${field}'`));

  it.each([
    ['self.n > 1', 'bool', undefined],
    ['self.n >', 'bool', 'compilation failed'],
    ['other.n > 1', 'bool', 'compilation failed'],
    ['unknown(self.n)', 'bool', 'compilation failed'],
    ['1 + 1', 'bool', 'must evaluate to a bool'],
    ['"a" + string(self.n)', 'string', undefined],
    ['self.n == 1', 'string', 'messageExpression must evaluate to a string'],
  ] as const)('%s as %s', (expression, wanted, fault) => {
    const error = compileErrorOf(expression, wanted);
    if (fault === undefined) expect(error).toBeUndefined();
    else expect(error).toContain(fault);
  });
});
