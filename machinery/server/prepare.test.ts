import { describe, expect, it } from 'vitest';
import { freeze } from '../api/frozen.ts';
import type { KindDefinition } from '../api/kind.ts';
import type { KubeObject } from '../api/object.ts';
import type { JsonSchema } from '../api/schema.ts';
import { prepareObject } from './prepare.ts';

const number: JsonSchema = { type: 'integer', minimum: 0 };
const part = (more: JsonSchema = {}): JsonSchema => ({ type: 'object', properties: { size: number }, ...more });
const kindWith = (schema: JsonSchema): KindDefinition =>
  ({ group: 'x', kind: 'Box', plural: 'boxes', versions: [{ name: 'v1', storage: true, schema }] }) as never;
const box = (fields: object): KubeObject =>
  ({ apiVersion: 'x/v1', kind: 'Box', metadata: { name: 'a' }, ...fields }) as never;

describe('preparing an object that a controller writes', () => {
  const properties = {
    spec: part({ properties: { size: { ...number, default: 1 }, list: { type: 'array', items: number } } }),
    status: part(),
  };
  const kind = kindWith({ type: 'object', properties, required: ['spec'] });
  const first = prepareObject(kind, box({ spec: { list: [1], unknown: true }, status: { size: 1 } }));

  it('prunes unknown fields and applies defaults', () => {
    expect(first).toEqual(box({ spec: { list: [1], size: 1 }, status: { size: 1 } }));
  });

  it.each([
    { rule: 'shares a part that is already prepared', change: {}, shares: true },
    { rule: 'shares it beside a new part', change: { status: { size: 2 } }, shares: true },
    { rule: 'shares it beside a removed part', change: { status: undefined }, shares: true },
    {
      rule: 'prepares a part that merely equals a prepared one',
      change: { spec: { list: [1], size: 1 } },
      shares: false,
    },
  ])('$rule', ({ change, shares }) => {
    const again = prepareObject(kind, { ...first, ...change });
    expect(again).toEqual(JSON.parse(JSON.stringify({ ...first, ...change })));
    expect(again.spec === first.spec).toBe(shares);
  });

  it('keeps a stored part that needs no change', () => {
    const stored = freeze({ list: [2], size: 2 });
    expect(prepareObject(kind, box({ spec: stored })).spec).toBe(stored);
    const older = freeze({ list: [2] });
    expect(prepareObject(kind, box({ spec: older })).spec).toEqual({ list: [2], size: 1 });
  });

  it.each([
    { rule: 'a changed part is invalid', change: { status: { size: -1 } }, field: 'status.size' },
    { rule: 'an unprepared part is invalid', change: { spec: freeze({ size: -2 }) }, field: 'spec.size' },
    { rule: 'a part is missing', change: { spec: undefined }, field: 'spec' },
  ])('refuses an object when $rule', ({ change, field }) => {
    const write = () => prepareObject(kind, { ...first, ...change });
    expect(write).toThrow(field);
    expect(write).toThrow(field);
  });

  it.each([
    { rule: 'accepts a fault that the stored object has already', change: { status: { size: 2 } } },
    { rule: 'refuses the same fault at another value', change: { spec: { size: -3 } }, field: 'spec.size' },
    { rule: 'refuses another fault beside it', change: { status: { size: -1 } }, field: 'status.size' },
  ])('$rule', ({ change, field }) => {
    const older = freeze(box({ spec: { size: -2 }, status: { size: 1 } }));
    const write = () => prepareObject(kind, { ...older, ...change }, older);
    if (field) expect(write).toThrow(field);
    else expect(write()).toEqual({ ...older, ...change });
    expect(() => prepareObject(kind, older)).toThrow('spec.size');
  });

  it('evaluates rules on the whole object', () => {
    const rule = { rule: 'self.status.size <= self.spec.size', message: 'status is larger than spec' };
    const ruled = kindWith({ type: 'object', properties, 'x-kubernetes-validations': [rule] });
    const good = prepareObject(ruled, box({ spec: { size: 2 }, status: { size: 1 } }));
    expect(() => prepareObject(ruled, { ...good, status: { size: 3 } } as KubeObject)).toThrow(rule.message);
    const smaller = prepareObject(ruled, box({ spec: { size: 0 }, status: { size: 0 } }));
    expect(() => prepareObject(ruled, { ...good, spec: smaller.spec } as KubeObject)).toThrow(rule.message);
  });
});
