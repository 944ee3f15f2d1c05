import { describe, expect, it } from 'vitest';
import { yamlDocuments } from './yaml.ts';

const read = (text: string) => yamlDocuments(text).map((document) => document.toJS());

describe('YAML', () => {
  it.each([
    { rule: 'octal file modes', text: 'mode: 0644', value: { mode: 420 } },
    {
      rule: 'the words yes, no, on and off',
      text: 'a: [yes, No, on, OFF, true]',
      value: { a: [true, false, true, false, true] },
    },
    { rule: 'y and n as letters', text: '{y: n}', value: { y: 'n' } },
    { rule: 'quoted words as text', text: 'a: "yes"', value: { a: 'yes' } },
    { rule: 'merge keys', text: 'a: &a {x: 1}\nb:\n  <<: *a\n  y1: 2', value: { a: { x: 1 }, b: { x: 1, y1: 2 } } },
  ])('reads $rule', ({ text, value }) => expect(read(text)).toEqual([value]));

  it('reads a stream of documents', () => expect(read('---\na: 1\n---\nb: 2\n')).toEqual([{ a: 1 }, { b: 2 }]));
  it('keeps the errors with the document', () => expect(yamlDocuments('a: [')[0]!.errors).not.toEqual([]));
});
