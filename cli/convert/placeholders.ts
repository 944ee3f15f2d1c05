/** Values that the author of a manifest left for its reader to fill in. */
import { isScalar, isSeq } from 'yaml';
import type { Changes } from './changes.ts';
import { asMap, keyOf, textOf } from './nodes.ts';

const patterns = [
  /^<[^<>\n]*>$/,
  /^(vpc|subnet|ami|sg|igw|nat|rtb|eipalloc)-(\.\.\.|…|<.*>|[0-9a-f]*x{3,}[0-9a-fx]*)$/i,
  /^(x{3,}|todo|tbd|fixme|change[-_]?me|replace[-_]?me)$/i,
  /^your[-_ ][-_ a-z0-9]+$/i,
];
export const isPlaceholder = (text: string): boolean => patterns.some((pattern) => pattern.test(text));

/** Reports each placeholder by its path. Nothing is guessed for it. */
export const askForValues = (node: unknown, changes: Changes, path: string): void => {
  if (isSeq(node)) for (const [i, item] of node.items.entries()) askForValues(item, changes, `${path}[${i}]`);
  for (const field of asMap(node)?.items ?? []) askForValues(field.value, changes, `${path}.${keyOf(field)}`);
  const text = isScalar(node) ? textOf(node)! : '';
  if (isPlaceholder(text)) changes.add('error', path, 'needs a value', { from: text });
};
