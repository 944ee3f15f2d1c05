/** Makes a document fit the schema of its kind: what the API would refuse or drop is reported. */
import { isScalar, isSeq, Scalar } from 'yaml';
import { isRefusedAsEmpty } from '../../kinds/common/fit.ts';
import type { JsonValue } from '../../machinery/api/object.ts';
import type { JsonSchema } from '../../machinery/api/schema.ts';
import type { Changes } from './changes.ts';
import { isTrue } from './manifest.ts';
import { isVariable } from './move.ts';
import { asMap, contentOf, type Field, fieldIn, isNull, keyOf, type MapNode, needsQuotes, textOf } from './nodes.ts';

const under = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

export const fitDocument = (schema: JsonSchema, map: MapNode, changes: Changes): void =>
  fitFields(schema, map, changes, '');

const fitFields = (schema: JsonSchema, map: MapNode, changes: Changes, path: string): void => {
  const { properties = {}, required = [] } = schema;
  map.items = map.items.filter((field) => {
    const name = keyOf(field);
    const where = under(path, name);
    const of = Object.hasOwn(properties, name) ? properties[name]! : undefined;
    if (!of) {
      const text = textOf(field.value);
      changes.add('lost', where, 'v1beta2 has no such field', text === undefined ? {} : { from: text });
      return false;
    }
    if (isNull(field.value)) {
      changes.add('changed', where, 'nothing is given');
      return false;
    }
    if (!required.includes(name) && isVoid(of, field.value)) {
      changes.add('changed', where, empty);
      return false;
    }
    if (!fitField(of, field, changes, where)) return false;
    if (required.includes(name) || !isRefusedAsEmpty(of, typed(of, field.value))) return true;
    changes.add('changed', where, empty);
    return false;
  });
  for (const name of required)
    if (!fieldIn(map, name) && properties[name]?.default === undefined)
      changes.add('error', under(path, name), 'needs a value: it is required');
};

const empty = 'an empty value is refused, and means that nothing is given';

/** Whether an object is refused because what it must have is empty. */
const isVoid = ({ properties, required = [] }: JsonSchema, node: unknown): boolean => {
  const fields = asMap(node)?.items ?? [];
  if (!properties || fields.length === 0 || required.length === 0) return false;
  return fields.every((field) => {
    const of = properties[keyOf(field)];
    return of !== undefined && (isNull(field.value) || isRefusedAsEmpty(of, typed(of, field.value)));
  });
};

const typed = (schema: JsonSchema, node: unknown): JsonValue => {
  const text = textOf(node);
  return schema.type === 'integer' && text !== undefined && text !== '' ? Number(text) : contentOf(node);
};

/** False if the value cannot stay. */
const fitField = (schema: JsonSchema, field: Field, changes: Changes, path: string): boolean => {
  if (schema['x-kubernetes-preserve-unknown-fields']) return true;
  const { value } = field;
  if (isScalar(value)) return fitScalar(schema, value, changes, path);
  if (isSeq(value)) {
    const { items } = schema;
    if (!items) return true;
    value.items = value.items.filter((item, i) => fitField(items, { value: item } as Field, changes, `${path}[${i}]`));
    return true;
  }
  const map = asMap(value);
  if (!map) return true;
  if (schema.properties) fitFields(schema, map, changes, path);
  const { additionalProperties } = schema;
  if (typeof additionalProperties === 'object')
    map.items = map.items.filter(
      (one) => !isNull(one.value) && fitField(additionalProperties, one, changes, under(path, keyOf(one))),
    );
  return true;
};

const isPlain = ({ type }: Scalar): boolean => (type ?? Scalar.PLAIN) === Scalar.PLAIN;
const booleans = /^(true|false|yes|no|on|off|y|n)$/i;

const fitScalar = (schema: JsonSchema, node: Scalar, changes: Changes, path: string): boolean => {
  const text = String(node.value ?? '');
  if (schema['x-kubernetes-int-or-string'] || isVariable(text)) return true;
  const refuse = (what: string): boolean => {
    changes.add('error', path, `needs a value: it must be ${what}`, { from: text });
    return false;
  };
  const requote = (why: string): void => {
    if (!isPlain(node)) changes.add('changed', path, why, { from: `"${text}"`, to: text });
    node.type = Scalar.PLAIN;
  };
  switch (schema.type) {
    case 'string':
      if (isPlain(node) && needsQuotes(text)) {
        node.type = Scalar.QUOTE_DOUBLE;
        if (text !== '') changes.add('changed', path, 'the API takes only text here', { from: text, to: `"${text}"` });
      }
      return true;
    case 'integer':
    case 'number':
      if (text === '' || Number.isNaN(Number(text))) return refuse('a number');
      requote('the API takes only a number here');
      return true;
    case 'boolean':
      if (!booleans.test(text)) return refuse('true or false');
      requote('the API takes only a boolean here');
      if (!/^(true|false)$/.test(text)) {
        node.value = isTrue(text) ? 'true' : 'false';
        changes.add('changed', path, 'YAML 1.1 reads it so', { from: text, to: String(node.value) });
      }
      return true;
    case 'object':
    case 'array':
      return refuse(schema.type === 'array' ? 'a list' : 'a map');
    default:
      return true;
  }
};
