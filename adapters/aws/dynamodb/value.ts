/** Encodes items of the Table port for DynamoDB. */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { Attribute, Item, ItemKey } from '../../../machinery/ports.ts';

export type { AttributeValue };
export type DynamoItem = Record<string, AttributeValue>;

export const toValue = (value: Attribute): AttributeValue => {
  if (value === null) return { NULL: true };
  if (typeof value === 'string') return { S: value };
  if (typeof value === 'number') return { N: String(value) };
  if (typeof value === 'boolean') return { BOOL: value };
  if (value instanceof Uint8Array) return { B: value };
  if (Array.isArray(value)) return { L: value.map(toValue) };
  return { M: fieldsOf(value) };
};

const fieldsOf = (fields: Record<string, Attribute | undefined>): DynamoItem =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, toValue(value)]])),
  );

const attributeOf = (value: AttributeValue): Attribute => {
  if (value.S !== undefined) return value.S;
  if (value.N !== undefined) return Number(value.N);
  if (value.BOOL !== undefined) return value.BOOL;
  if (value.B !== undefined) return new Uint8Array(value.B);
  if (value.L !== undefined) return value.L.map(attributeOf);
  if (value.M !== undefined) return Object.fromEntries(Object.entries(value.M).map(([n, v]) => [n, attributeOf(v)]));
  if (value.NULL !== undefined) return null;
  throw new Error('an attribute of a type that is never written');
};

// A sort key has one type per table: numbers are encoded as padded strings that sort by value, before other
// strings.
const digits = 16;
export const sortKeyOf = (sk: string | number): string =>
  typeof sk === 'number' ? `#${String(sk).padStart(digits, '0')}` : `=${sk}`;
const fromSortKey = (text: string): string | number => (text.startsWith('#') ? Number(text.slice(1)) : text.slice(1));

export const keyOf = ({ pk, sk }: ItemKey): DynamoItem => ({ pk: { S: pk }, sk: { S: sortKeyOf(sk) } });

export const toDynamo = (item: Item): DynamoItem => ({ ...fieldsOf(item), ...keyOf(item) });

export const fromDynamo = (item: DynamoItem): Item => {
  const fields = Object.fromEntries(Object.entries(item).map(([name, value]) => [name, attributeOf(value)]));
  return { ...fields, pk: String(fields.pk), sk: fromSortKey(String(fields.sk)) };
};
