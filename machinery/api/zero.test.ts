import { describe, expect, it } from 'vitest';
import { boolean, int64, list, object, required, string } from './schema.ts';
import { withoutZeros } from './zero.ts';

const schema = object('A spec.', {
  region: string('Text.'),
  key: string('Text, a pointer.'),
  replicas: int64('Number.'),
  enabled: boolean('Boolean.'),
  type: string('Text with a default.', { default: 'classic' }),
  kind: required(string('Text.')),
  endpoint: object('Structure.', { host: string('Text.'), port: int64('Number.') }),
  cni: object('Structure, a pointer.', { rules: list('List.', string('Text.')) }),
  network: object('Structure.', {
    cni: object('Structure, a pointer.', { rules: list('List.', string('Text.')) }),
    subnets: list('List.', object('Structure.', { id: string('Text.'), isPublic: boolean('Boolean.') })),
  }),
}).json;
const pointers = new Set(['key', 'cni', 'network.cni']);

describe('zero values', () => {
  it.each([
    { rule: 'of texts are absent', given: { region: '' }, left: {} },
    { rule: 'of pointers stay', given: { key: '', cni: {} }, left: { key: '', cni: {} } },
    { rule: 'inside pointers are absent', given: { cni: { rules: [] } }, left: { cni: {} } },
    {
      rule: 'of numbers and booleans stay',
      given: { replicas: 0, enabled: false },
      left: { replicas: 0, enabled: false },
    },
    { rule: 'with a default stay', given: { type: '' }, left: { type: '' } },
    { rule: 'of required fields stay', given: { kind: '' }, left: { kind: '' } },
    { rule: 'of whole structures are absent', given: { endpoint: { host: '', port: 0 } }, left: {} },
    {
      rule: 'of numbers stay in a structure with more',
      given: { endpoint: { host: 'a', port: 0 } },
      left: { endpoint: { host: 'a', port: 0 } },
    },
    { rule: 'do not hide a pointer', given: { network: { cni: {}, subnets: [] } }, left: { network: { cni: {} } } },
    {
      rule: 'of items stay items',
      given: { network: { subnets: [{ id: '', isPublic: false }] } },
      left: { network: { subnets: [{ isPublic: false }] } },
    },
  ])('$rule', ({ given, left }) => {
    expect(withoutZeros(given, schema, pointers)).toEqual(left);
  });
  it('shares what does not change', () => {
    const given = { region: 'a', network: { subnets: [{ id: 'x' }] } };
    expect(withoutZeros(given, schema, pointers)).toBe(given);
  });
});
