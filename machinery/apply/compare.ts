/** Which fields differ between two values of one type. */
import { equal } from '../api/merge.ts';
import { isObject } from '../api/object.ts';
import { type Element, elementText, fieldElement } from './element.ts';
import { deepDifference, FieldSet } from './field-set.ts';
import { type Form, fieldType, type ListType, type MapType, type MergeType, sharedForms } from './type.ts';
import { indexed, type Misfit, scalarMisfits, unresolved } from './typed.ts';

export interface Comparison {
  removed: FieldSet;
  modified: FieldSet;
  added: FieldSet;
}

interface Walk extends Comparison {
  path: Element[];
  misfits: Misfit[];
}

const isSame = (left: readonly unknown[], right: readonly unknown[]): boolean =>
  left.length === right.length && left.every((one, i) => equal(one, right[i]));

const at = (walk: Walk, element: Element, left: unknown, right: unknown, type: MergeType | undefined): void => {
  walk.path.push(element);
  visit(walk, left, right, type);
  walk.path.pop();
};

/** True: the node is a leaf, so its own path says all. */
const leaf = ({ path, added, removed, modified }: Walk, left: unknown, right: unknown): true => {
  if (left === undefined) added.insert(path);
  else if (right === undefined) removed.insert(path);
  else if (!equal(left, right)) modified.insert(path);
  return true;
};

const scalar = (walk: Walk, left: unknown, right: unknown, type: MergeType): boolean => {
  const faults = [scalarMisfits(type.scalar!, left, 'lhs: '), scalarMisfits(type.scalar!, right, 'rhs: ')];
  if (faults.some((some) => some.length === 0)) return leaf(walk, left, right);
  walk.misfits.push(...faults.flat());
  return false;
};

const item = (walk: Walk, element: Element, before: unknown[], after: unknown[], type: ListType): void => {
  const path = [...walk.path, element];
  if (before.length <= 1 && after.length <= 1) {
    if (before[0] !== after[0]) at(walk, element, before[0], after[0], type.item);
  } else if (before.length > 1 && after.length > 1) {
    if (!isSame(before, after)) walk.modified.insert(path);
  } else if (before.length > 1) {
    if (after.length === 1) at(walk, element, undefined, after[0], type.item);
    walk.removed.insert(path);
  } else {
    if (before.length === 1) at(walk, element, before[0], undefined, type.item);
    walk.added.insert(path);
  }
};

const list = (walk: Walk, left: unknown, right: unknown, type: ListType): boolean => {
  const [before, after] = [left, right].map((side) => (Array.isArray(side) ? (side as unknown[]) : []));
  if (type.isAtomic || (before!.length === 0 && after!.length === 0)) return leaf(walk, left, right);
  const old = indexed(type, before!, walk.misfits);
  const next = indexed(type, after!, walk.misfits);
  for (const [element, items] of old) item(walk, element, items, next.get(element) ?? [], type);
  for (const [element, items] of next) if (!old.has(element)) item(walk, element, [], items, type);
  return false;
};

const own = (value: unknown): Record<string, unknown> => (isObject(value) ? value : {});
const isPresent = (of: Record<string, unknown>, key: string): boolean =>
  Object.hasOwn(of, key) && of[key] !== undefined;

const map = (walk: Walk, left: unknown, right: unknown, type: MapType): boolean => {
  const [before, after] = [own(left), own(right)];
  const old = Object.keys(before).filter((key) => before[key] !== undefined);
  const next = Object.keys(after).filter((key) => after[key] !== undefined);
  if (type.isAtomic || (old.length === 0 && next.length === 0)) return leaf(walk, left, right);
  for (const key of old) {
    const other = isPresent(after, key) ? after[key] : undefined;
    // Equal parts are most of an object, and mostly one value.
    if (before[key] !== other) at(walk, fieldElement(key), before[key], other, fieldType(type, key));
  }
  for (const key of next)
    if (!isPresent(before, key)) at(walk, fieldElement(key), undefined, after[key], fieldType(type, key));
  return false;
};

const asForm = (walk: Walk, form: Form | undefined, left: unknown, right: unknown, type: MergeType): boolean => {
  switch (form) {
    case 'map':
      return map(walk, left, right, type.map!);
    case 'scalar':
      return scalar(walk, left, right, type);
    case 'list':
      return list(walk, left, right, type.list!);
    case undefined:
      walk.misfits.push(...unresolved());
      return false;
  }
};

const visit = (walk: Walk, left: unknown, right: unknown, type: MergeType | undefined): void => {
  const first = walk.misfits.length;
  let isLeaf = false;
  for (const form of type ? sharedForms(type, left, right) : [undefined])
    isLeaf = asForm(walk, form, left, right, type ?? {});
  if (!isLeaf && left === undefined) walk.added.insert(walk.path);
  else if (!isLeaf && right === undefined) walk.removed.insert(walk.path);
  const last = walk.path.at(-1);
  if (last !== undefined) for (const one of walk.misfits.slice(first)) one.path = elementText(last) + one.path;
};

/** The fields that `right` adds to, changes in and removes from `left`; or what does not fit. */
export const compare = (left: unknown, right: unknown, type: MergeType): Comparison | Misfit[] => {
  const walk: Walk = {
    path: [],
    misfits: [],
    removed: new FieldSet(),
    modified: new FieldSet(),
    added: new FieldSet(),
  };
  if (left !== right) visit(walk, left, right, type);
  const { removed, modified, added, misfits } = walk;
  return misfits.length > 0 ? misfits : { removed, modified, added };
};

export const excluding = ({ removed, modified, added }: Comparison, fields: FieldSet): Comparison => ({
  removed: deepDifference(removed, fields),
  modified: deepDifference(modified, fields),
  added: deepDifference(added, fields),
});
