import { describe, expect, it } from 'vitest';
import { yamlDocuments } from './yaml.ts';

const read = (text: string) => yamlDocuments(text).map((document) => document.toJS());

describe('YAML', () => {
  it.each([
    { rule: 'octal file modes', text: 'mode: 0644', value: { mode: 420 } },
    {
      rule: 'yes, no, on and off as booleans',
      text: 'a: [yes, No, on, OFF, true, y, N]',
      value: { a: [true, false, true, false, true, true, false] },
    },
    { rule: 'booleans and numbers as keys', text: '{y: 1, 0x10: 2}', value: { true: 1, 16: 2 } },
    {
      rule: 'times of day, addresses and dates as strings',
      text: 'a: [12:30, 1:20:30.5, 02:00:00:00:00:01, 2026-01-02, 2026-01-02T03:04:05Z, !!timestamp 2026-01-02]',
      value: {
        a: ['12:30', '1:20:30.5', '02:00:00:00:00:01', '2026-01-02', '2026-01-02T03:04:05Z', '2026-01-02'],
      },
    },
    {
      rule: 'numbers in each notation',
      text: 'a: [1_000, -0x1F, 0b11, 0o14, -017, 089, +1.5, .5, 1., 1.5E+3, !!float 1]',
      value: { a: [1000, -31, 3, 12, -15, 89, 1.5, 0.5, 1, 1500, 1] },
    },
    {
      rule: 'strings that only resemble numbers',
      text: 'a: [., .., .e1, 1.2.3, 0b12, 0x, 1e400, _1, 1-2]',
      value: { a: ['.', '..', '.e1', '1.2.3', '0b12', '0x', '1e400', '_1', '1-2'] },
    },
    { rule: 'binary data as the string that it encodes', text: 'a: !!binary aGk=', value: { a: 'hi' } },
    {
      rule: 'collections with explicit tags',
      text: 'a: !!set {x}\nb: !!omap [{y: 1}]',
      value: { a: { x: null }, b: [{ true: 1 }] },
    },
    { rule: 'quoted words as strings', text: 'a: "yes"', value: { a: 'yes' } },
    { rule: 'merge keys', text: 'a: &a {x: 1}\nb:\n  <<: *a\n  y1: 2', value: { a: { x: 1 }, b: { x: 1, y1: 2 } } },
  ])('reads $rule', ({ text, value }) => expect(read(text)).toEqual([value]));

  it('reads a stream of documents', () => expect(read('---\na: 1\n---\nb: 2\n')).toEqual([{ a: 1 }, { b: 2 }]));
  it.each(['a: [', 'a: .inf', 'a: -.Inf', 'a: .nan'])('keeps the errors of %j with the document', (text) =>
    expect(yamlDocuments(text)[0]!.errors).toHaveLength(1));
});
