import { describe, expect, it } from 'vitest';
import { exactJson, losesDigits } from './exact.ts';

describe('losesDigits', () => {
  it.each([
    '9007199254740993',
    '-9007199254740993',
    '9223372036854775807',
    '1152921504606846976',
    '1'.repeat(40),
  ])('%s', (digits) => expect(losesDigits(digits)).toBe(true));
  it.each([
    '0',
    '-0',
    '9007199254740992',
    '-9007199254740991',
    '1152921504606847000',
    '1e30',
    '0.1000000000000000055',
  ])('not %s', (digits) => expect(losesDigits(digits)).toBe(false));
});

describe('exactJson', () => {
  it.each([
    '{"a":9007199254740992}',
    '{"a":"x\\"9007199254740993"}',
    '{"9007199254740993":1.23456789012345678901}',
  ])('reads %s', (text) => expect(exactJson(text)).toEqual(JSON.parse(text)));
  it.each([
    '{"a":[1,9007199254740993]}',
    '-9223372036854775807',
    '{"a":"","b":{"c":18446744073709551615}}',
  ])('refuses %s', (text) => expect(() => exactJson(text)).toThrow('too large to be stored exactly'));
});
