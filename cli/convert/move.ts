/** Applies the rules of a conversion between versions to a YAML document. */
import { isMap, isScalar, isSeq, Pair, type Scalar, YAMLMap, YAMLSeq } from 'yaml';
import type { Rule, Value } from '../../kinds/common/conversion.ts';
import { reference } from '../../kinds/common/conversion-values.ts';
import { isObject, type JsonObject, type JsonValue } from '../../machinery/api/object.ts';
import type { Changes } from './changes.ts';
import {
  asMap,
  at,
  contentOf,
  type Field,
  fieldIn,
  isNull,
  keyOf,
  type MapNode,
  needsQuotes,
  nodeOf,
  removeAt,
  scalar,
  textOf,
} from './nodes.ts';

const under = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

/** The text of a variable that another program fills in later. */
export const isVariable = (text: string | undefined): boolean =>
  text !== undefined && /\$\{[^}]*\}|\$\([^)]*\)|\$[A-Za-z_]\w*/.test(text);

/** Why a field moved, and why a value has another form. */
export interface Why {
  move: string;
  form: string;
}

/** Applies the rules to an object in place. */
export const applyTo = (map: MapNode, rules: readonly Rule[], why: Why, changes: Changes, path = ''): void => {
  for (const rule of rules) applyRule(map, rule, why, changes, path);
};

const applyRule = (map: MapNode, { older, newer, value }: Rule, why: Why, changes: Changes, path: string): void => {
  const parent = at(map, ...older.slice(0, -1)) ?? (older.length === 1 ? map : undefined);
  const field = fieldIn(parent, older.at(-1)!);
  if (!field || isNull(field.value)) return;
  const [from, to] = [under(path, older.join('.')), under(path, newer.join('.'))];
  const isMove = from !== to;
  const before = textOf(field.value);
  const converted = convertNode(field.value, value, why, changes, from, isMove ? to : undefined);
  if (converted === undefined) {
    removeAt(map, older);
    return;
  }
  const after = textOf(converted);
  const values = before !== after && before !== undefined && after !== undefined ? { from: before, to: after } : {};
  if (!isMove) {
    if (converted !== field.value) changes.add('changed', from, why.form, values);
    field.value = converted;
    return;
  }
  const there = at(map, ...newer);
  if (there !== undefined && !isNull(there) && !(isMap(there) && isMap(converted))) {
    changes.add('lost', from, `${to} is given, too`, before === undefined ? {} : { from: before });
    removeAt(map, older);
    return;
  }
  changes.moved(from, to, why.move, values);
  moveField(map, older, newer, converted);
};

/** Undefined if the value has no place: then it is reported, and stays where it is. */
const convertNode = (
  node: unknown,
  value: Value,
  why: Why,
  changes: Changes,
  path: string,
  moved: string | undefined,
): unknown => {
  if (value.rules && isMap(node)) {
    applyTo(node as MapNode, value.rules, why, changes, path);
    return node;
  }
  const { item } = value;
  if (item && isSeq(node)) {
    node.items = node.items.map((one, i) => convertNode(one, item, why, changes, `${path}[${i}]`, undefined) ?? one);
    return node;
  }
  // A reference of the newer form already.
  if (value === reference && isMap(node) && !fieldIn(node, 'apiVersion')) return node;
  const given = contentOf(node);
  const result = value.up(given, { namespace: '' });
  if (value === reference && isMap(node) && result !== undefined) {
    const [from, to] = [(given as JsonObject).apiVersion, (result as JsonObject).apiGroup];
    const values = { from: String(from), to: String(to), moved: `${path}.apiGroup` };
    changes.add('changed', `${path}.apiVersion`, 'a reference names no version since v1beta2', values);
  }
  if (result === undefined) {
    if (moved === undefined || isMap(node) || isSeq(node)) return moved === undefined ? node : undefined;
    const text = textOf(node);
    const reason = isVariable(text) ? `needs a value, to be written as ${moved}` : `has no form in ${moved}`;
    changes.add('error', path, reason, text === undefined ? {} : { from: text });
    return undefined;
  }
  return rewritten(node, result);
};

/** The node with another value; fields that stay keep their comments and places. */
export const rewritten = (node: unknown, value: JsonValue): unknown => {
  if (JSON.stringify(contentOf(node)) === JSON.stringify(value)) return node;
  if (isMap(node) && Array.isArray(value)) return listOf(node as MapNode, value);
  if (isMap(node) && isObject(value)) {
    const map = node as MapNode;
    const kept = map.items.filter((field) => Object.hasOwn(value, keyOf(field)));
    const added = Object.entries(value).filter(([name]) => !fieldIn(map, name));
    for (const field of kept) field.value = rewritten(field.value, value[keyOf(field)] as JsonValue);
    map.items = [
      ...added.map(([name, content]): Field => new Pair<Scalar, unknown>(scalar(name), nodeOf(content as JsonValue))),
      ...kept,
    ];
    return map;
  }
  const made = nodeOf(value);
  if (isScalar(node) && isScalar(made)) {
    made.comment = node.comment;
    made.commentBefore = node.commentBefore;
    made.spaceBefore = node.spaceBefore;
  }
  return made;
};

/** A map by name as a list of items {name, value}, whose comments stay at the items. */
const listOf = (map: MapNode, items: JsonValue[]): YAMLSeq => {
  const list = new YAMLSeq();
  list.flow = map.flow;
  list.comment = map.comment;
  list.items = items.map((item) => {
    const { name, value } = item as { name: string; value: string };
    const field = fieldIn(map, name)!;
    const made = new YAMLMap() as MapNode;
    made.flow = map.flow;
    made.commentBefore = field.key.commentBefore;
    made.spaceBefore = field.key.spaceBefore;
    const content = textOf(field.value);
    const text = isScalar(field.value) && !isNull(field.value) ? field.value : scalar(value);
    if (isScalar(text) && text.type === 'PLAIN' && needsQuotes(content ?? '')) text.type = 'QUOTE_DOUBLE';
    const label = scalar(name, needsQuotes(name));
    made.items = [new Pair<Scalar, unknown>(scalar('name'), label), new Pair<Scalar, unknown>(scalar('value'), text)];
    return made;
  });
  return list;
};

/** Moves a field. What it needs above it is created at the place that it leaves. */
export const moveField = (map: MapNode, older: readonly string[], newer: readonly string[], value: unknown): void => {
  const shared = older.findIndex((name, i) => name !== newer[i]);
  const top = asMap(at(map, ...older.slice(0, shared))) ?? map;
  const [from, to] = [older.slice(shared), newer.slice(shared)];
  const index = top.items.findIndex((field) => keyOf(field) === from[0]);
  const before = top.items.length;
  const taken = removeAt(top, from)!;
  const place = top.items.length < before ? index : index + 1;
  putField(top, to, taken, value, place);
};

const putField = (
  map: MapNode,
  [name, ...rest]: readonly string[],
  field: Field,
  value: unknown,
  place: number,
): void => {
  const there = fieldIn(map, name!);
  if (rest.length > 0) {
    const inner = there && !isNull(there.value) ? asMap(there.value) : (new YAMLMap() as MapNode);
    if (!inner) return;
    if (!there) map.items.splice(place, 0, new Pair<Scalar, unknown>(scalar(name!), inner));
    else there.value = inner;
    putField(inner, rest, field, value, inner.items.length);
    return;
  }
  if (there) {
    const [own, other] = [asMap(there.value), asMap(value)];
    if (own && other) own.items.push(...other.items.filter((one) => !fieldIn(own, keyOf(one))));
    else if (isNull(there.value)) there.value = value;
    return;
  }
  field.key.value = name!;
  field.value = value;
  map.items.splice(place, 0, field);
};
