/**
 * A JSON parser for an API server: it reports repeated fields, limits nesting, treats any key as
 * plain data, and rounds no integer.
 */
import { losesDigits, roundedInteger } from '../api/exact.ts';
import { isObject, type JsonObject, type JsonValue } from '../api/object.ts';

/** Far above an ordinary object's depth, far below the stack's limit. */
const deepest = 500;

export class MalformedJson extends Error {
  override readonly name = 'MalformedJson';
}

/** An integer that a JavaScript number would round. */
export class RoundedInteger extends MalformedJson {}

/** Whether the field at this path is a float64 upstream, where integers are rounded, too. */
export type IsFloat = (path: string) => boolean;

export interface ParsedJson {
  value: JsonValue;
  /** Paths of repeated fields. */
  duplicates: string[];
  /** Of YAML instead: the line and the name of each repeated key, in words. */
  repeated?: string[];
}

/** The error of a strict reader of YAML. */
export const yamlFault = (repeated: readonly string[]): string => ['yaml: unmarshal errors:', ...repeated].join('\n  ');

/** An assignment to `__proto__` would change the prototype instead of adding a field. */
export const setField = (object: Record<string, unknown>, key: string, value: unknown): void => {
  Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
};

/** A copy without fields that are null; nulls in lists stay, as they are values there. */
export const withoutNulls = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isObject(value)) return value;
  const copy: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(value)) if (field !== null) setField(copy, name, withoutNulls(field));
  return copy;
};

export const childPath = (path: string, field: string): string => (path ? `${path}.${field}` : field);

const whitespace = new Set([' ', '\n', '\r', '\t']);
const escapes = new Set(['"', '\\', '/', 'b', 'f', 'n', 'r', 't']);
const numberForm = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

const shown = (char: string) =>
  char === "'" ? "'\\''" : char === '"' ? `'"'` : `'${JSON.stringify(char).slice(1, -1)}'`;

/**
 * The value and the paths of repeated fields. Throws MalformedJson with the message of Go's
 * decoder, which clients print, and RoundedInteger.
 */
export const parseJson = (text: string, isFloat: IsFloat = () => false): ParsedJson => {
  const duplicates: string[] = [];
  let at = 0;

  const fail = (where: string): never => {
    throw new MalformedJson(
      at >= text.length ? 'unexpected end of JSON input' : `invalid character ${shown(text[at]!)} ${where}`,
    );
  };
  const skip = () => {
    while (whitespace.has(text[at]!)) at++;
  };
  /** The string that begins here, as JSON.parse reads it; undefined when it is malformed. */
  const wellFormed = (): string | undefined => {
    for (let end = text.indexOf('"', at + 1); end >= 0; end = text.indexOf('"', end + 1)) {
      let slashes = 0;
      while (text[end - 1 - slashes] === '\\') slashes++;
      if (slashes % 2 === 1) continue;
      try {
        const value = JSON.parse(text.slice(at, end + 1)) as string;
        at = end + 1;
        return value;
      } catch {
        return undefined;
      }
    }
    return undefined;
  };
  /** Never returns: throws the error in the string that begins here. */
  const malformed = (): never => {
    for (at++; ; at++) {
      const char = text[at];
      if (char === undefined || char < ' ') return fail('in string literal');
      if (char !== '\\') continue;
      at++;
      if (text[at] === 'u') {
        for (let digit = 1; digit <= 4; digit++) {
          if (/^[0-9a-fA-F]$/.test(text[at + digit] ?? '')) continue;
          at += digit;
          return fail('in \\u hexadecimal character escape');
        }
        at += 4;
      } else if (!escapes.has(text[at] ?? '')) return fail('in string escape code');
    }
  };
  const string = (): string => wellFormed() ?? malformed();
  const literal = <T extends JsonValue>(word: string, value: T): T => {
    for (const char of word) {
      if (text[at] !== char) fail(`in literal ${word} (expecting ${shown(char)})`);
      at++;
    }
    return value;
  };
  const list = (path: string, depth: number): JsonValue[] => {
    const items: JsonValue[] = [];
    at++;
    skip();
    if (text[at] === ']') {
      at++;
      return items;
    }
    for (;;) {
      items.push(value(`${path}[${items.length}]`, depth));
      skip();
      if (text[at] === ']') {
        at++;
        return items;
      }
      if (text[at] !== ',') fail('after array element');
      at++;
    }
  };
  const object = (path: string, depth: number): JsonObject => {
    const fields: JsonObject = {};
    at++;
    skip();
    if (text[at] === '}') {
      at++;
      return fields;
    }
    for (;;) {
      skip();
      if (text[at] !== '"') fail('looking for beginning of object key string');
      const key = string();
      skip();
      if (text[at] !== ':') fail('after object key');
      at++;
      const field = childPath(path, key);
      if (Object.hasOwn(fields, key)) duplicates.push(field);
      setField(fields, key, value(field, depth));
      skip();
      if (text[at] === '}') {
        at++;
        return fields;
      }
      if (text[at] !== ',') fail('after object key:value pair');
      at++;
    }
  };
  const value = (path: string, depth: number): JsonValue => {
    if (depth > deepest) throw new MalformedJson('exceeded max depth');
    skip();
    switch (text[at]) {
      case '{':
        return object(path, depth + 1);
      case '[':
        return list(path, depth + 1);
      case '"':
        return string();
      case 't':
        return literal('true', true);
      case 'f':
        return literal('false', false);
      case 'n':
        return literal('null', null);
      default: {
        numberForm.lastIndex = at;
        const digits = numberForm.exec(text)?.[0];
        if (digits === undefined) return fail('looking for beginning of value');
        at += digits.length;
        if (losesDigits(digits) && !isFloat(path)) throw new RoundedInteger(`${path}: ${roundedInteger(digits)}`);
        return Number(digits);
      }
    }
  };

  const result = value('', 0);
  skip();
  if (at < text.length) fail('after top-level value');
  return { value: result, duplicates };
};
