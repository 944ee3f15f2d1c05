/** Sets of fields, as trees of path elements. A set that an operation was given is never changed. */
import { freeze } from '../api/frozen.ts';
import { isObject, type JsonObject } from '../api/object.ts';
import { decodeElement, type Element, fieldName, sortedElements, UndecodableFields } from './element.ts';
import { fieldType, type MergeType } from './type.ts';

type Children = ReadonlyMap<Element, FieldSet>;
const noChildren: Children = new Map();

export class FieldSet {
  /** Whether the path to here is in the set; the path to the root never is. */
  isMember: boolean;
  children: Children;

  constructor(isMember = false, children: Children = noChildren) {
    this.isMember = isMember;
    this.children = children;
  }

  get isEmpty(): boolean {
    return !this.isMember && this.children.size === 0;
  }

  /** Only for a set that is being built. */
  put(element: Element, child: FieldSet): void {
    if (this.children === noChildren) this.children = new Map();
    (this.children as Map<Element, FieldSet>).set(element, child);
  }

  /** The child, made when it is missing. Only for a set that is being built. */
  at(element: Element): FieldSet {
    const child = this.children.get(element) ?? new FieldSet();
    if (!this.children.has(element)) this.put(element, child);
    return child;
  }

  /** Only for a set that is being built. */
  insert(path: readonly Element[]): void {
    if (path.length === 0) return;
    let at: FieldSet = this;
    for (const element of path) at = at.at(element);
    at.isMember = true;
  }

  has(path: readonly Element[]): boolean {
    let at: FieldSet | undefined = this;
    for (const element of path) at = at?.children.get(element);
    return at !== undefined && path.length > 0 && at.isMember;
  }
}

export const noFields = new FieldSet();

export const fieldSet = (...paths: (readonly Element[])[]): FieldSet => {
  const set = new FieldSet();
  for (const path of paths) set.insert(path);
  return set;
};

export const union = (a: FieldSet, b: FieldSet): FieldSet => {
  if (a.isEmpty) return b;
  if (b.isEmpty) return a;
  const changes: [Element, FieldSet][] = [];
  for (const [element, child] of b.children) {
    const other = a.children.get(element);
    const both = other ? union(other, child) : child;
    if (both !== other) changes.push([element, both]);
  }
  const isMember = a.isMember || b.isMember;
  if (changes.length === 0 && isMember === a.isMember) return a;
  return new FieldSet(isMember, new Map([...a.children, ...changes]));
};

const kept = (isMember: boolean, children: Children): FieldSet | undefined =>
  isMember || children.size > 0 ? new FieldSet(isMember, children) : undefined;

const intersect = (a: FieldSet, b: FieldSet): FieldSet | undefined => {
  const children = new Map<Element, FieldSet>();
  for (const [element, child] of a.children) {
    const other = b.children.get(element);
    const shared = other && intersect(child, other);
    if (shared) children.set(element, shared);
  }
  return kept(a.isMember && b.isMember, children);
};

export const intersection = (a: FieldSet, b: FieldSet): FieldSet => intersect(a, b) ?? noFields;

const without = (a: FieldSet, b: FieldSet, isDeep: boolean): FieldSet | undefined => {
  if (isDeep && b.isMember) return undefined;
  if (b.isEmpty) return a;
  let children: Map<Element, FieldSet> | undefined;
  for (const [element, other] of b.children) {
    const child = a.children.get(element);
    if (!child) continue;
    const rest = without(child, other, isDeep);
    if (rest === child) continue;
    children ??= new Map(a.children);
    if (rest) children.set(element, rest);
    else children.delete(element);
  }
  const isMember = a.isMember && !b.isMember;
  return isMember === a.isMember && !children ? a : kept(isMember, children ?? a.children);
};

/** `a` without the members of `b`. */
export const difference = (a: FieldSet, b: FieldSet): FieldSet => without(a, b, false) ?? noFields;

/** `a` without the members of `b` and all that is below them. */
export const deepDifference = (a: FieldSet, b: FieldSet): FieldSet => without(a, b, true) ?? noFields;

const ensure = (set: FieldSet, type: MergeType | undefined, isMember: boolean): FieldSet => {
  const children = new Map<Element, FieldSet>();
  for (const [element, child] of set.children) {
    const name = fieldName(element);
    const isNamed = name !== undefined && type?.map?.fields.has(name) === true;
    const below = child.children.size > 0 ? childType(type, element) : undefined;
    children.set(element, ensure(child, below, child.isMember || isNamed));
  }
  return new FieldSet(isMember, children);
};

const childType = (type: MergeType | undefined, element: Element): MergeType | undefined => {
  const name = fieldName(element);
  if (name !== undefined) return type?.map && fieldType(type.map, name);
  return element.startsWith('k:') ? type?.list?.item : undefined;
};

/** With all declared fields that have members below them. */
export const ensureNamedFields = (set: FieldSet, type: MergeType): FieldSet => ensure(set, type, false);

/** Members in the order in which Kubernetes names conflicts: those of a node, then those below. */
export const pathsOf = (set: FieldSet, prefix: readonly Element[] = []): Element[][] => {
  const elements = sortedElements(set.children.keys());
  const members = elements.filter((element) => set.children.get(element)!.isMember);
  return [
    ...members.map((element) => [...prefix, element]),
    ...elements.flatMap((element) => pathsOf(set.children.get(element)!, [...prefix, element])),
  ];
};

const encode = (set: FieldSet, fields: JsonObject = {}): JsonObject => {
  for (const element of sortedElements(set.children.keys())) {
    const child = set.children.get(element)!;
    const isParent = child.children.size > 0;
    fields[element] = encode(child, child.isMember && isParent ? { '.': {} } : {});
  }
  return fields;
};

/** Most managers own after a write what they owned before. Frozen FieldsV1 are read and written once. */
const encoded = new WeakMap<FieldSet, JsonObject>();
const decoded = new WeakMap<object, FieldSet>();

/** As FieldsV1, frozen. */
export const encodeFields = (set: FieldSet): JsonObject => {
  const known = encoded.get(set);
  if (known) return known;
  const fields = freeze(encode(set));
  encoded.set(set, fields);
  decoded.set(fields, set);
  return fields;
};

const decode = (fields: unknown): FieldSet => {
  const set = new FieldSet();
  if (fields !== null && !isObject(fields)) throw new UndecodableFields('expected an object');
  let isSelf = false;
  for (const [text, below] of Object.entries(fields ?? {})) {
    if (text === '.') {
      isSelf = true;
      continue;
    }
    const element = decodeElement(text);
    if (element === undefined || below === undefined) continue;
    const child = decode(below);
    const other = set.children.get(element);
    set.put(element, other ? union(other, child) : child);
  }
  set.isMember = isSelf || set.children.size === 0;
  return set;
};

/** Throws UndecodableFields. Elements of unknown forms are dropped. */
export const decodeFields = (fields: unknown): FieldSet => {
  const isFixed = isObject(fields) && Object.isFrozen(fields);
  const known = isFixed ? decoded.get(fields) : undefined;
  const set = known ?? new FieldSet(false, decode(fields).children);
  if (isFixed && !known) decoded.set(fields, set);
  return set;
};
