/** A configuration laid over a live value: it wins at leaves, and removes nothing. */
import { define, type Fields } from '../api/merge.ts';
import { isObject } from '../api/object.ts';
import { type Element, elementText, fieldElement } from './element.ts';
import { type Form, fieldType, type ListType, type MapType, type MergeType, sharedForms } from './type.ts';
import { elementAt, type Misfit, misfit, scalarMisfits, unresolved } from './typed.ts';

const scalar = (live: unknown, config: unknown, type: MergeType, misfits: Misfit[]): unknown => {
  const faults = [scalarMisfits(type.scalar!, live, 'lhs: '), scalarMisfits(type.scalar!, config, 'rhs: ')];
  if (faults.some((some) => some.length === 0)) return config;
  misfits.push(...faults.flat());
  return undefined;
};

interface Index {
  elements: Element[];
  items: Map<Element, unknown>;
}

/** By path element. Items that the live list repeats are merged with none of the configuration's. */
const indexOf = (type: ListType, list: readonly unknown[], isLive: boolean, misfits: Misfit[]): Index => {
  const elements: Element[] = [];
  const items = new Map<Element, unknown>();
  for (const [i, one] of list.entries()) {
    const element = elementAt(type, one, i, misfits);
    if (element === undefined) continue;
    const isRepeated = items.has(element);
    if (isRepeated && !isLive) {
      misfits.push(...misfit(`duplicate entries for key ${elementText(element)}`));
      continue;
    }
    items.set(element, isRepeated ? null : one);
    elements.push(element);
  }
  return { elements, items };
};

/** Shared items come in the configuration's order, those that only the live list has keep their place. */
const mergedItems = (type: ListType, live: readonly unknown[], old: Index, config: Index): unknown[] => {
  const result: unknown[] = [];
  // Misfits of items do not fail a merge: both lists fitted their type before.
  const push = (element: Element, own: unknown) => {
    const item = merged(own, config.items.get(element), type.item, []);
    if (item !== undefined) result.push(item);
  };
  const shared = config.elements.filter((element) => old.items.has(element)).values();
  let next = shared.next().value;
  const taken = new Set<Element>();
  let [l, c] = [0, 0];
  while (l < old.elements.length || c < config.elements.length) {
    const [own, wanted] = [old.elements[l], config.elements[c]];
    if (own !== undefined && wanted !== undefined) {
      if (own === wanted) {
        taken.add(own);
        push(own, old.items.get(own));
        l++;
        c++;
        next = shared.next().value;
        continue;
      }
      if (config.items.has(own) && next !== undefined && next !== own) {
        l++;
        continue;
      }
    }
    if (own !== undefined) {
      if (!config.items.has(own)) {
        push(own, live[l]);
        l++;
        continue;
      }
      if (taken.has(own)) l++;
    }
    if (wanted !== undefined) {
      taken.add(wanted);
      push(wanted, old.items.get(wanted));
      c++;
      if (next === wanted) next = shared.next().value;
    }
  }
  return result;
};

const list = (live: unknown, config: unknown, type: ListType, misfits: Misfit[]): unknown => {
  const [old, next] = [live, config].map((side) => (Array.isArray(side) ? (side as unknown[]) : []));
  if (type.isAtomic || (old!.length === 0 && next!.length === 0)) return config;
  const before = misfits.length;
  const configured = indexOf(type, next!, false, misfits);
  const index = indexOf(type, old!, true, misfits);
  if (misfits.length > before) return undefined;
  const items = mergedItems(type, old!, index, configured);
  return items.length > 0 ? items : undefined;
};

const map = (live: unknown, config: unknown, type: MapType, misfits: Misfit[]): unknown => {
  const [old, next] = [isObject(live) ? live : {}, isObject(config) ? config : {}];
  const keys = [...new Set([...Object.keys(old), ...Object.keys(next)])];
  const valueIn = (of: Fields, key: string) => (Object.hasOwn(of, key) ? of[key] : undefined);
  const present = keys.filter((key) => valueIn(old, key) !== undefined || valueIn(next, key) !== undefined);
  if (type.isAtomic || present.length === 0) return config;
  const result: Fields = {};
  let isEmpty = true;
  for (const key of present) {
    const faults: Misfit[] = [];
    const value = merged(valueIn(old, key), valueIn(next, key), fieldType(type, key), faults);
    for (const { path, message } of faults) misfits.push({ path: elementText(fieldElement(key)) + path, message });
    if (value === undefined) continue;
    define(result, key, value);
    isEmpty = false;
  }
  return isEmpty ? undefined : result;
};

const asForm = (
  form: Form | undefined,
  live: unknown,
  config: unknown,
  type: MergeType,
  misfits: Misfit[],
): unknown => {
  switch (form) {
    case 'map':
      return map(live, config, type.map!, misfits);
    case 'scalar':
      return scalar(live, config, type, misfits);
    case 'list':
      return list(live, config, type.list!, misfits);
    case undefined:
      misfits.push(...unresolved());
      return undefined;
  }
};

const merged = (live: unknown, config: unknown, type: MergeType | undefined, misfits: Misfit[]): unknown => {
  if (config === undefined || live === config) return live;
  if (live === undefined) return config;
  let result: unknown;
  for (const form of type ? sharedForms(type, live, config) : [undefined])
    result = asForm(form, live, config, type ?? {}, misfits);
  return result;
};

/** The merged value, or what does not fit. */
export const mergeConfig = <T>(live: T, config: T, type: MergeType): { value: T } | { misfits: Misfit[] } => {
  const misfits: Misfit[] = [];
  const value = merged(live, config, type, misfits) as T;
  return misfits.length > 0 ? { misfits } : { value };
};
