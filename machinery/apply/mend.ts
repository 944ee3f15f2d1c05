import type { Element } from './element.ts';
import { fieldName } from './element.ts';
import { FieldSet } from './field-set.ts';
import { fieldType, formOf, isDeducedMap, type MergeType } from './type.ts';

const asLeaf = (): FieldSet => new FieldSet(true);

const childTypes = (type: MergeType): ((element: Element) => MergeType | undefined) => {
  const { map, list } = type;
  if (!map) return () => list?.item;
  return (element) => {
    const name = fieldName(element);
    return name === undefined ? map.rest : fieldType(map, name);
  };
};

const isDeduced = ({ map }: MergeType): boolean => map !== undefined && isDeducedMap(map);
const isAtomic = (type: MergeType): boolean => (type.map ?? type.list)!.isAtomic;

const mended = (set: FieldSet, type: MergeType): FieldSet => {
  if (set.children.size === 0 || formOf(type, undefined) === 'scalar' || isDeduced(type)) return set;
  if (!type.map && !type.list) return set;
  if (isAtomic(type)) return asLeaf();
  const typeOf = childTypes(type);
  let children: Map<Element, FieldSet> | undefined;
  for (const [element, child] of set.children) {
    const of = typeOf(element);
    const next = of ? mended(child, of) : child;
    if (next === child) continue;
    children ??= new Map(set.children);
    children.set(element, next);
  }
  return children ? new FieldSet(set.isMember, children) : set;
};

/**
 * The set after a change of the schema: where a node has become atomic, its owner owns the node and
 * nothing below. Nodes that became granular need nothing.
 */
export const mend = (set: FieldSet, type: MergeType): FieldSet => {
  const next = mended(set, type);
  return next.isMember ? new FieldSet(false, next.children) : next;
};
