/** Maps, lists and scalars of a YAML document, with the comments and the order that its author gave them. */
import { type Document, isAlias, isMap, isPair, isScalar, isSeq, Pair, Scalar, visit, YAMLMap, YAMLSeq } from 'yaml';
import type { JsonValue } from '../../machinery/api/object.ts';
import { yamlDocuments } from '../../machinery/api/yaml.ts';

export type MapNode = YAMLMap<Scalar, unknown>;
export type Field = Pair<Scalar, unknown>;

export const asMap = (node: unknown): MapNode | undefined => (isMap(node) ? (node as MapNode) : undefined);

export const keyOf = ({ key }: Field): string => String(isScalar(key) ? key.value : key);

export const fieldIn = (map: unknown, name: string): Field | undefined =>
  asMap(map)?.items.find((one) => keyOf(one) === name);

export const at = (node: unknown, ...path: string[]): unknown =>
  path.reduce<unknown>((inner, name) => fieldIn(inner, name)?.value ?? undefined, node);

/** Undefined of a map or a list. */
export const textOf = (node: unknown): string | undefined =>
  isScalar(node) ? String(node.value ?? '') : node === null ? '' : undefined;

export const textAt = (node: unknown, ...path: string[]): string | undefined => textOf(at(node, ...path));

/** A value that Kubernetes reads as null. */
export const isNull = (node: unknown): boolean =>
  node === null ||
  node === undefined ||
  (isScalar(node) &&
    (node.type ?? Scalar.PLAIN) === Scalar.PLAIN &&
    /^(~|null|Null|NULL|)$/.test(String(node.value ?? '')));

export const contentOf = (node: unknown): JsonValue => {
  if (isMap(node))
    return Object.fromEntries((node as MapNode).items.map((field) => [keyOf(field), contentOf(field.value)]));
  if (isSeq(node)) return node.items.map(contentOf);
  return isNull(node) ? null : textOf(node)!;
};

/** A new scalar; `quote` keeps YAML from reading a number or a boolean. */
export const scalar = (value: string | number | boolean, quote = false): Scalar => {
  const made = new Scalar<unknown>(String(value));
  if (value === '' || quote) made.type = Scalar.QUOTE_DOUBLE;
  return made;
};

/** Whether Kubernetes reads the text, unquoted, as something else than text. */
export const needsQuotes = (text: string): boolean => {
  if (text === '') return true;
  const [document] = yamlDocuments(text);
  return isScalar(document?.contents) && typeof document.contents.value !== 'string';
};

export const nodeOf = (value: JsonValue): Scalar | YAMLMap | YAMLSeq => {
  if (Array.isArray(value)) {
    const list = new YAMLSeq();
    list.items = value.map(nodeOf);
    if (value.length === 0) list.flow = true;
    return list;
  }
  if (typeof value === 'object' && value !== null) {
    const map = new YAMLMap();
    map.items = Object.entries(value).map(([name, content]) => new Pair(scalar(name), nodeOf(content as JsonValue)));
    if (map.items.length === 0) map.flow = true;
    return map;
  }
  return typeof value === 'string' ? scalar(value, needsQuotes(value)) : scalar(value ?? 'null');
};

/** Sets a field; a new one comes last. */
export const setField = (map: MapNode, name: string, value: unknown, index = map.items.length): Field => {
  const there = fieldIn(map, name);
  if (there) {
    there.value = value;
    return there;
  }
  const field: Field = new Pair<Scalar, unknown>(scalar(name), value);
  map.items.splice(index, 0, field);
  return field;
};

/** The map at a path, which is created where it is missing. */
export const mapAt = (node: MapNode, path: readonly string[]): MapNode | undefined =>
  path.reduce<MapNode | undefined>((inner, name) => {
    if (!inner) return undefined;
    const there = fieldIn(inner, name)?.value;
    if (!isNull(there)) return asMap(there);
    const made = new YAMLMap() as MapNode;
    setField(inner, name, made);
    return made;
  }, node);

export const setAt = (node: MapNode, path: readonly string[], value: unknown): void => {
  const parent = mapAt(node, path.slice(0, -1));
  if (parent) setField(parent, path.at(-1)!, value);
};

/** Removes a field, and the maps that are empty without it. */
export const removeAt = (node: unknown, path: readonly string[]): Field | undefined => {
  const [name, ...rest] = path;
  const map = asMap(node);
  const field = map && fieldIn(map, name!);
  if (!field) return undefined;
  const taken = rest.length === 0 ? field : removeAt(field.value, rest);
  const isEmpty = rest.length > 0 && asMap(field.value)?.items.length === 0;
  if (taken && (rest.length === 0 || isEmpty)) map.items.splice(map.items.indexOf(field), 1);
  return taken;
};

/** All maps below a node, outermost first, with their paths. */
export const mapsIn = (node: unknown, path = ''): { map: MapNode; path: string }[] => {
  if (isSeq(node)) return node.items.flatMap((item, i) => mapsIn(item, `${path}[${i}]`));
  const map = asMap(node);
  if (!map) return [];
  return [
    { map, path },
    ...map.items.flatMap((field) => mapsIn(field.value, path ? `${path}.${keyOf(field)}` : keyOf(field))),
  ];
};

/**
 * Comments stand before the first field of a map, not before the map: they go where the field goes. Aliases and merge
 * keys are written out, so that a change at one place is none at another.
 */
export const settle = (document: Document): void => {
  if (document.contents) document.contents = expanded(document, document.contents, 0) as typeof document.contents;
  visit(document, {
    Pair: (_, { value }) => settleComment(value),
    Value: (_, node) => {
      delete node.anchor;
    },
  });
  settleComment(document.contents);
};

const settleComment = (node: unknown): void => {
  if (!(isMap(node) || isSeq(node)) || !node.commentBefore) return;
  const [first] = node.items as unknown[];
  const holder = isPair(first) ? first.key : first;
  if (!isScalar(holder) && !isMap(holder)) return;
  holder.commentBefore = [node.commentBefore, holder.commentBefore].filter(Boolean).join('\n');
  node.commentBefore = null;
};

const deepest = 100;
const expanded = (document: Document, node: unknown, depth: number): unknown => {
  if (depth > deepest) throw new Error('aliases are nested too deeply');
  if (isAlias(node)) return expanded(document, (node.resolve(document) as Scalar | undefined)?.clone(), depth + 1);
  if (isSeq(node)) node.items = node.items.map((item) => expanded(document, item, depth + 1));
  const map = asMap(node);
  if (!map) return node;
  for (const field of map.items) field.value = expanded(document, field.value, depth + 1);
  const merge = fieldIn(map, '<<');
  if (!merge) return map;
  map.items = map.items.filter((field) => field !== merge);
  for (const source of isSeq(merge.value) ? merge.value.items : [merge.value])
    for (const field of asMap(source)?.items ?? []) if (!fieldIn(map, keyOf(field))) map.items.push(field);
  return map;
};
