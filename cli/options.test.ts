import { InvalidArgumentError } from 'commander';
import { describe, expect, it } from 'vitest';
import { anyNumber, portNumber, positiveNumber, positiveWholeNumber } from './options.ts';

describe.each([
  { parse: positiveNumber, takes: ['1', '0.5', '60'], refuses: ['0', '-1', '', 'x', 'Infinity'] },
  { parse: positiveWholeNumber, takes: ['1', '99999'], refuses: ['0', '1.5', '-1', '', '1e3', '99999999999999999999'] },
  { parse: portNumber, takes: ['1', '8443', '65535'], refuses: ['0', '65536', '99999', '80.5', '-1', ''] },
  { parse: anyNumber, takes: ['0', '-7', '1.5'], refuses: ['', 'x', 'NaN'] },
])('$parse.name', ({ parse, takes, refuses }) => {
  it.each(takes)('accepts %s', (text) => expect(parse(text)).toBe(Number(text)));
  it.each(refuses)('rejects %j', (text) => expect(() => parse(text)).toThrow(InvalidArgumentError));
});
