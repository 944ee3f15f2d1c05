import { describe, expect, it } from 'vitest';
import { MalformedJson, parseJson } from './json.ts';

describe('parseJson', () => {
  it.each([
    { rule: 'reads every kind of value', text: '{"a":[1,-2.5e3,true,false,null,"x"]}' },
    { rule: 'reads escapes', text: '"\\u00e9\\n\\"\\\\\\/\\ud83d\\ude00"' },
    { rule: 'reads control characters above the first 32', text: '"a\u007f\u0085b"' },
    { rule: 'reads white space', text: ' { "a" : [ ] , "b" : { } } ' },
  ])('$rule', ({ text }) => expect(parseJson(text).value).toEqual(JSON.parse(text)));

  it.each([
    { rule: 'a premature end', text: '{"a":', message: 'unexpected end of JSON input' },
    { rule: 'a missing value', text: '{"a":x}', message: "invalid character 'x' looking for beginning of value" },
    {
      rule: 'an unquoted key',
      text: '{a:1}',
      message: "invalid character 'a' looking for beginning of object key string",
    },
    { rule: 'a missing colon', text: '{"a" 1}', message: "invalid character '1' after object key" },
    { rule: 'a missing comma', text: '{"a":1 "b":2}', message: `invalid character '"' after object key:value pair` },
    { rule: 'a missing comma in a list', text: '[1 2]', message: "invalid character '2' after array element" },
    { rule: 'trailing data', text: '{} x', message: "invalid character 'x' after top-level value" },
    { rule: 'a raw newline in a string', text: '"a\nb"', message: "invalid character '\\n' in string literal" },
    { rule: 'excessive nesting', text: '['.repeat(100_000), message: 'exceeded max depth' },
  ])('refuses $rule as Go does', ({ text, message }) =>
    expect(() => parseJson(text)).toThrow(new MalformedJson(message)));

  it('returns the paths of repeated fields and keeps the last value', () => {
    const { value, duplicates } = parseJson('{"a":1,"a":2,"b":[{"c":1,"c":2}]}');
    expect(value).toEqual({ a: 2, b: [{ c: 2 }] });
    expect(duplicates).toEqual(['a', 'b[0].c']);
  });

  it('treats __proto__ as an ordinary field', () => {
    const { value } = parseJson('{"__proto__":{"polluted":1}}');
    expect(Object.keys(value as object)).toEqual(['__proto__']);
    expect((value as Record<string, unknown>).polluted).toBeUndefined();
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});
