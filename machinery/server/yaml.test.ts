import { describe, expect, it } from 'vitest';
import { decodeYaml } from './yaml.ts';

describe('a YAML body', () => {
  it('that is JSON is read as JSON', () => {
    expect(decodeYaml(' {"a": ["y", 1e3, null], "b": {"c": true}}').value).toEqual({
      a: ['y', 1000, null],
      b: { c: true },
    });
  });

  it('that only looks like JSON is read as YAML', () => {
    expect(decodeYaml('{a: y, "b": [1, ]}').value).toEqual({ a: true, b: [1] });
    const { value, repeated } = decodeYaml('{"a": 1, "a": 2}');
    expect([value, repeated]).toEqual([{ a: 2 }, ['line 1: key "a" already set in map']]);
  });

  it.each([
    { rule: 'brackets', text: `a: ${'['.repeat(100_000)}${']'.repeat(100_000)}` },
    { rule: 'JSON', text: `{"a": ${'['.repeat(100_000)}${']'.repeat(100_000)}}` },
    { rule: 'lists on a line', text: `${'- '.repeat(100_000)}a` },
    { rule: 'keys on a line', text: `${'? '.repeat(100_000)}a` },
  ])('that nests $rule too deeply is refused before a tree is made', ({ text }) =>
    expect(() => decodeYaml(text)).toThrow('yaml: exceeded max depth of 10000'));

  it('may contain brackets in texts', () => {
    const text = '[{'.repeat(4000);
    expect(decodeYaml(`a: "${text}"`).value).toEqual({ a: text });
  });
});
