/** Walks a value along its type: whether it fits, its fields, and a value without some of them. */
import { define, type Fields } from '../api/merge.ts';
import { isObject, type JsonValue } from '../api/object.ts';
import { type Element, elementText, fieldElement, keyElement, valueElement } from './element.ts';
import { FieldSet } from './field-set.ts';
import { goSyntax, plainText, typeName } from './go-text.ts';
import { fieldType, formOf, type ListType, type MapType, type MergeType, type Scalar } from './type.ts';

export interface Misfit {
  path: string;
  message: string;
}

export const misfitText = ({ path, message }: Misfit): string => (path ? `${path}: ${message}` : message);
/** Several, as structured-merge-diff prints them. */
export const misfitsText = (misfits: readonly Misfit[]): string =>
  misfits.length === 1
    ? misfitText(misfits[0]!)
    : ['errors:', ...misfits.map((one) => `  ${misfitText(one)}`)].join('\n');

export const misfit = (message: string): Misfit[] => [{ path: '', message }];
const below = (element: Element, misfits: Misfit[]): Misfit[] =>
  misfits.map(({ path, message }) => ({ path: elementText(element) + path, message }));

/** An item of a list that has no place in it. */
export class Unplaceable extends Error {
  override readonly name = 'Unplaceable';
}

const keyed = ({ keys, item: type }: ListType, item: unknown): Element => {
  if (item === null) throw new Unplaceable('associative list with keys may not have a null element');
  if (!isObject(item)) throw new Unplaceable('associative list with keys may not have non-map elements');
  const found: [string, unknown][] = [];
  for (const key of keys) {
    const value = Object.hasOwn(item, key) ? item[key] : undefined;
    if (value === undefined && !type.map)
      throw new Unplaceable(`couldn't find default value for ${key}: associative list may not have non-map types`);
    const chosen = value === undefined ? type.map?.fields.get(key)?.default : value;
    if (value !== undefined || (chosen !== undefined && chosen !== null)) found.push([key, chosen]);
  }
  if (found.length > 0) return keyElement(found);
  const names = `[${keys.map((key) => goSyntax(key)).join(' ')}]`;
  throw new Unplaceable(
    `associative list with keys has an element that omits all key fields ${names} (and doesn't have default values for any key fields)`,
  );
};

const valued = (item: unknown): Element => {
  if (Array.isArray(item)) throw new Unplaceable('not supported: associative list with lists as elements');
  if (item === null) throw new Unplaceable("associative list without keys has an element that's an explicit null");
  if (isObject(item)) throw new Unplaceable("associative list without keys has an element that's a map type");
  return valueElement(item);
};

/** The path element of an item of a set or keyed list. Throws Unplaceable. */
export const itemElement = (type: ListType, item: unknown): Element => {
  if (type.isAtomic) throw new Unplaceable('invalid indexing of non-associative list');
  return type.keys.length > 0 ? keyed(type, item) : valued(item);
};

/** Items by path element, in order; several where a list repeats one. */
export const indexed = (type: ListType, list: readonly unknown[], misfits: Misfit[]): Map<Element, unknown[]> => {
  const items = new Map<Element, unknown[]>();
  for (const [i, item] of list.entries()) {
    const element = elementAt(type, item, i, misfits);
    if (element === undefined) continue;
    const others = items.get(element);
    if (others) others.push(item);
    else items.set(element, [item]);
  }
  return items;
};

export const elementAt = (type: ListType, item: unknown, i: number, misfits: Misfit[]): Element | undefined => {
  try {
    return itemElement(type, item);
  } catch (error) {
    if (!(error instanceof Unplaceable)) throw error;
    misfits.push(...misfit(`element ${i}: ${error.message}`));
    return undefined;
  }
};

export const unresolved = (): Misfit[] => misfit('schema error: invalid atom: inlined');

const pointed = (value: unknown): string => `&{${plainText(value)}}`;

export const scalarMisfits = (scalar: Scalar, value: unknown, side = ''): Misfit[] => {
  if (value === null || value === undefined) return [];
  switch (scalar) {
    case 'numeric':
      return typeof value === 'number' ? [] : misfit(`${side}expected numeric (int or float), got ${typeName(value)}`);
    case 'string':
      return typeof value === 'string'
        ? []
        : misfit(`${side}expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`);
    case 'boolean':
      return typeof value === 'boolean' ? [] : misfit(`${side}expected boolean, got ${pointed(value)}`);
    case 'untyped':
      return typeof value === 'object' ? misfit(`${side}expected any scalar, got ${pointed(value)}`) : [];
  }
};

const listMisfits = (type: ListType, value: unknown, repeats: boolean): Misfit[] => {
  if (value === null) return [];
  if (!Array.isArray(value)) return misfit(`expected list, got ${pointed(value)}`);
  const misfits: Misfit[] = [];
  const seen = new Set<Element>();
  for (const [i, item] of value.entries()) {
    const element = type.isAtomic ? `i:${i}` : elementAt(type, item, i, misfits);
    if (element === undefined) return misfits;
    if (!type.isAtomic) {
      if (seen.has(element) && !repeats) misfits.push(...misfit(`duplicate entries for key ${elementText(element)}`));
      seen.add(element);
    }
    misfits.push(...below(element, misfitsOf(item, type.item, repeats)));
  }
  return misfits;
};

const mapMisfits = (type: MapType, value: unknown, repeats: boolean): Misfit[] => {
  if (value === null) return [];
  if (!isObject(value)) return misfit(`expected map, got ${pointed(value)}`);
  const misfits: Misfit[] = [];
  for (const key of Object.keys(value)) {
    if (value[key] === undefined) continue;
    const of = fieldType(type, key);
    if (!of) {
      misfits.push({ path: `.${key}`, message: 'field not declared in schema' });
      return misfits;
    }
    const found = misfitsOf(value[key], of, repeats);
    if (found.length > 0) misfits.push(...below(fieldElement(key), found));
  }
  return misfits;
};

/** What of a value does not fit its type; `repeats` permits items that a list has twice. */
export const misfitsOf = (value: unknown, type: MergeType, repeats = false): Misfit[] => {
  switch (formOf(type, value)) {
    case 'map':
      return mapMisfits(type.map!, value, repeats);
    case 'scalar':
      return scalarMisfits(type.scalar!, value);
    case 'list':
      return listMisfits(type.list!, value, repeats);
    case undefined:
      return unresolved();
  }
};

const isEmptyMap = (value: unknown): boolean => isObject(value) && Object.keys(value).length === 0;

/** Of an item that a removal left without its keys: there is something, so the list stays. */
const unplaced: Element = '';

const collectList = (type: ListType, value: unknown, into: FieldSet): void => {
  if (type.isAtomic) into.isMember = true;
  if (type.isAtomic || !Array.isArray(value)) return;
  const misfits: Misfit[] = [];
  for (const [element, items] of indexed(type, value, misfits)) {
    const child = into.at(element);
    if (items.length === 1) collect(items[0], type.item, child);
    child.isMember = true;
  }
  if (misfits.length > 0) into.at(unplaced).isMember = true;
};

const collectMap = (type: MapType, value: unknown, into: FieldSet): void => {
  if (type.isAtomic) into.isMember = true;
  else if (isObject(value))
    for (const key of Object.keys(value)) {
      const field = value[key];
      if (field === undefined) continue;
      const child = new FieldSet();
      const of = fieldType(type, key);
      if (of) collect(field, of, child);
      if (field === null || isEmptyMap(field) || !type.fields.has(key)) child.isMember = true;
      if (!child.isEmpty) into.put(fieldElement(key), child);
    }
};

const collect = (value: unknown, type: MergeType, into: FieldSet): void => {
  switch (formOf(type, value)) {
    case 'map':
      collectMap(type.map!, value, into);
      break;
    case 'scalar':
      into.isMember = true;
      break;
    case 'list':
      collectList(type.list!, value, into);
  }
};

/** The fields that a value sets. */
export const fieldsOf = (value: unknown, type: MergeType): FieldSet => {
  const set = new FieldSet();
  collect(value, type, set);
  set.isMember = false;
  return set;
};

const listWithout = (type: ListType, value: unknown, fields: FieldSet): unknown => {
  if (!Array.isArray(value) || type.isAtomic) return null;
  const items: unknown[] = [];
  for (const [i, item] of value.entries()) {
    const element = elementAt(type, item, i, []);
    const found = element === undefined ? undefined : fields.children.get(element);
    if (found?.isMember) continue;
    items.push(found ? removed(item, type.item, found) : item);
  }
  return items.length > 0 ? items : null;
};

const mapWithout = (type: MapType, value: unknown, fields: FieldSet): unknown => {
  if (!isObject(value) || type.isAtomic) return null;
  const rest: Fields = {};
  let isEmpty = true;
  for (const key of Object.keys(value)) {
    if (value[key] === undefined) continue;
    const found = fields.children.get(fieldElement(key));
    if (found?.isMember) continue;
    isEmpty = false;
    define(rest, key, found ? removed(value[key], fieldType(type, key), found) : value[key]);
  }
  return isEmpty ? null : rest;
};

const removed = (value: unknown, type: MergeType | undefined, fields: FieldSet): unknown => {
  switch (type && formOf(type, value)) {
    case 'map':
      return mapWithout(type!.map!, value, fields);
    case 'scalar':
      return value;
    case 'list':
      return listWithout(type!.list!, value, fields);
    default:
      return null;
  }
};

/** The value without the fields of the set. What becomes empty becomes null. */
export const withoutFields = (value: JsonValue, type: MergeType, fields: FieldSet): JsonValue =>
  removed(value, type, fields) as JsonValue;
