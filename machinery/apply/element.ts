/**
 * One step of a path, as text of FieldsV1: `f:` a field's name, `k:` an item's keys, `v:` an item's
 * value, `i:` an index. Equal steps are equal texts.
 */
import { isObject } from '../api/object.ts';
import { compareText, compareValues, goJson, valueText } from './go-text.ts';

export type Element = string;
type Keys = [name: string, value: unknown][];

/** JSON, with two digits in every exponent. */
const elementJson = (value: unknown): string =>
  typeof value === 'number' ? JSON.stringify(value).replace(/(e[+-])(\d)$/, '$10$2') : goJson(value);

export const fieldElement = (name: string): Element => `f:${name}`;
export const keyElement = (keys: Keys): Element =>
  `k:{${keys
    .sort(([a], [b]) => compareText(a, b))
    .map(([name, value]) => `${goJson(name)}:${elementJson(value)}`)
    .join(',')}}`;
export const valueElement = (value: unknown): Element => `v:${elementJson(value)}`;

/** The field that it names; undefined for items of lists. */
export const fieldName = (element: Element): string | undefined =>
  element.startsWith('f:') ? element.slice(2) : undefined;

export class UndecodableFields extends Error {
  override readonly name = 'UndecodableFields';
}

const contentOf = (text: string): unknown => {
  try {
    return JSON.parse(text.slice(2));
  } catch {
    throw new UndecodableFields(`invalid path element: ${text}`);
  }
};

/** The element of a key of FieldsV1; undefined for a form of later versions. */
export const decodeElement = (text: string): Element | undefined => {
  if (text.startsWith('f:')) return text;
  if (text.length < 2) throw new UndecodableFields('key must be 2 characters long:');
  if (text[1] !== ':') throw new UndecodableFields(`missing colon: ${text}`);
  switch (text[0]) {
    case 'v':
      return valueElement(contentOf(text));
    case 'k': {
      const keys = contentOf(text) ?? {};
      if (!isObject(keys)) throw new UndecodableFields(`invalid path element: ${text}`);
      return keyElement(Object.entries(keys));
    }
    case 'i':
      if (!/^[+-]?\d+$/.test(text.slice(2))) throw new UndecodableFields(`invalid path element: ${text}`);
      return `i:${Number(text.slice(2))}`;
    default:
      return undefined;
  }
};

const order = ['f', 'k', 'v', 'i'];

const keysIn = (content: string): Keys =>
  Object.entries(JSON.parse(content) as object).sort(([a], [b]) => compareText(a, b));

const compareKeys = (left: Keys, right: Keys): number => {
  const most = Math.min(left.length, right.length);
  for (let i = 0; i < most; i++) {
    const byName = compareText(left[i]![0], right[i]![0]);
    if (byName !== 0) return byName;
    const byValue = compareValues(left[i]![1], right[i]![1]);
    if (byValue !== 0) return byValue;
  }
  return left.length - right.length;
};

const compareContent = (form: string, a: unknown, b: unknown): number => {
  if (form === 'f') return compareText(a as string, b as string);
  return form === 'k' ? compareKeys(a as Keys, b as Keys) : compareValues(a, b);
};

const contentIn = (element: Element): unknown => {
  const content = element.slice(2);
  if (element[0] === 'f') return content;
  return element[0] === 'k' ? keysIn(content) : JSON.parse(content);
};
const sortable = (element: Element) => ({ element, content: contentIn(element) });

const areSortedFields = (elements: readonly Element[]): boolean =>
  elements.every((one, i) => one.startsWith('f:') && (i === 0 || compareText(elements[i - 1]!, one) < 0));

/** In the order of FieldsV1, in which they mostly are. */
export const sortedElements = (elements: Iterable<Element>): Element[] => {
  const unsorted = [...elements];
  if (unsorted.length < 2 || areSortedFields(unsorted)) return unsorted;
  return unsorted
    .map(sortable)
    .sort((a, b) => {
      const [x, y] = [a.element[0]!, b.element[0]!];
      return x === y ? compareContent(x, a.content, b.content) : order.indexOf(x) - order.indexOf(y);
    })
    .map(({ element }) => element);
};

/** As in messages: `.spec`, `[name="x",port=1]`, `[="a"]`. */
export const elementText = (element: Element, isDecoded = false): string => {
  const content = element.slice(2);
  switch (element[0]) {
    case 'f':
      return `.${content}`;
    case 'k':
      return `[${keysIn(content)
        .map(([key, value]) => `${key}=${valueText(value, isDecoded)}`)
        .join(',')}]`;
    case 'v':
      return `[=${valueText(JSON.parse(content), isDecoded)}]`;
    default:
      return `[${content}]`;
  }
};

/** Of a path in stored FieldsV1. */
export const pathText = (path: readonly Element[]): string =>
  path.map((element) => elementText(element, true)).join('');
