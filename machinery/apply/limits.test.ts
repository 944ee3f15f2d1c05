import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue, KubeObject } from '../api/object.ts';
import type { JsonSchema } from '../api/schema.ts';
import { type Apply, apply, mergeTypeOf, update } from './index.ts';

const schema: JsonSchema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        any: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        items: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
          items: { type: 'object', properties: { name: { type: 'string' }, text: { type: 'string' } } },
        },
      },
    },
  },
};
const of = (spec: JsonObject): KubeObject => ({ apiVersion: 'it/v1', kind: 'It', metadata: { name: 'it' }, spec });
const write = (live: KubeObject | undefined, object: KubeObject): Apply => ({
  live,
  object,
  manager: 'a',
  subresource: '',
  apiVersion: 'it/v1',
  kind: 'It',
  now: '2001-01-01T00:00:00Z',
  versions: { typeAt: () => mergeTypeOf(schema), convert: (one) => one },
  force: false,
});

const deep = (leaf: JsonValue): JsonObject => {
  let value: JsonObject = { leaf };
  for (let i = 0; i < 495; i++) value = { a: value };
  return value;
};
const text = 'x'.repeat(80);
const many = (count: number): JsonObject[] => Array.from({ length: count }, (_, i) => ({ name: `item-${i}`, text }));

describe('extreme objects', () => {
  it('as deep as a body may be', async () => {
    const { object: live } = await apply(write(undefined, of({ any: deep(1) })));
    const { object, managedFields } = await apply(write(live, of({ any: deep(2) })));
    expect(object.spec).toEqual({ any: deep(2) });
    expect(JSON.stringify(managedFields).match(/"f:a"/g)).toHaveLength(495);
  });

  it('of a megabyte and ten thousand items, of which half go and the rest turns round', async () => {
    const items = many(10_000);
    const { object: live } = await apply(write(undefined, of({ items })));
    expect(JSON.stringify(live.spec).length).toBeGreaterThan(1_000_000);
    const rest = items.slice(0, 5000).toReversed();
    const { object } = await apply(write(live, of({ items: rest })));
    expect(object.spec).toEqual({ items: rest });
    const changed = items.map((one) => ({ ...one, text: 'y' }));
    const { managedFields } = await update(
      write({ ...live, metadata: { ...live.metadata, uid: 'it' } }, of({ items: changed })),
    );
    expect(managedFields!.map(({ operation }) => operation)).toEqual(['Apply', 'Update']);
  });

  it('with a thousand managers', async () => {
    const entries = Array.from({ length: 1000 }, (_, i) => ({
      manager: `m${i}`,
      operation: 'Apply',
      apiVersion: 'it/v1',
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:spec': { 'f:any': { 'f:a': {}, [`f:x${i}`]: {} } } },
    }));
    const live = { ...of({ any: { a: 1 } }), metadata: { name: 'it', uid: 'it', managedFields: entries } };
    const { managedFields } = await update(write(live, of({ any: { a: 1, b: 1 } })));
    expect(managedFields).toHaveLength(1001);
  });
});
