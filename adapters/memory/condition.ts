import type { Attribute, Condition, Item } from '../../machinery/ports.ts';

const isBytes = (value: Attribute | undefined): value is Uint8Array => value instanceof Uint8Array;
const equal = (a: Attribute | undefined, b: Attribute | undefined): boolean => {
  if (isBytes(a) && isBytes(b)) return Buffer.compare(a, b) === 0;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b;
  return JSON.stringify(a) === JSON.stringify(b);
};

/** Evaluates a condition on an item. A comparison with an absent attribute or across types is false. */
export const holds = (condition: Condition, item: Item | undefined): boolean => {
  if ('exists' in condition) return (item !== undefined) === condition.exists;
  if ('all' in condition) return condition.all.every((part) => holds(part, item));
  if ('any' in condition) return condition.any.some((part) => holds(part, item));
  const value = item?.[condition.attribute];
  if (!('value' in condition)) return (value !== undefined) === (condition.is === 'present');
  const { value: wanted } = condition;
  if (value === undefined) return false;
  if (condition.is === '=') return equal(value, wanted);
  const comparable =
    (typeof value === 'number' && typeof wanted === 'number') ||
    (typeof value === 'string' && typeof wanted === 'string');
  if (!comparable) return false;
  switch (condition.is) {
    case '<':
      return value < wanted;
    case '<=':
      return value <= wanted;
    case '>':
      return value > wanted;
    case '>=':
      return value >= wanted;
  }
};
