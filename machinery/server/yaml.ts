/** YAML bodies of requests and responses; loaded lazily. */
import { isMap, isNode, isScalar, isSeq, stringify } from 'yaml';
import { documentValue, yamlDocuments } from '../api/yaml.ts';
import { type IsFloat, MalformedJson, type ParsedJson, parseJson, RoundedInteger } from './json.ts';

export const encodeYaml = (value: unknown): string => stringify(value, { version: '1.1', sortMapEntries: true });

/** As in Kubernetes. */
const deepest = 10_000;
const opening = new Set(['[', '{']);
const closing = new Set([']', '}']);
/** Lists and keys that begin on the same line, each within the one before. */
const nestedOnLine = /^[ \t]*(?:[-?][ \t]+)*/gm;

/**
 * Whether the text may be nested so deeply that its tree does not fit into memory. Counts brackets
 * in strings, too, which no ordinary object has that many of.
 */
const isTooDeep = (text: string): boolean => {
  let depth = 0;
  for (const char of text) {
    if (opening.has(char)) depth++;
    else if (closing.has(char)) depth = Math.max(0, depth - 1);
    if (depth > deepest) return true;
  }
  for (const [indicators] of text.matchAll(nestedOnLine)) if (indicators.length > 2 * deepest) return true;
  return false;
};

/** The value of a text that is JSON, which takes a hundredth of the memory; undefined for other YAML. */
const jsonIn = (text: string, isFloat?: IsFloat): ParsedJson | undefined => {
  if (!/^\s*\{/.test(text)) return undefined;
  try {
    const parsed = parseJson(text, isFloat);
    return parsed.duplicates.length === 0 ? parsed : undefined;
  } catch (error) {
    if (error instanceof MalformedJson && !(error instanceof RoundedInteger)) return undefined;
    throw error;
  }
};

/** YAML, of which JSON is a subset. Throws MalformedJson. */
export const decodeYaml = (text: string, isFloat?: IsFloat): ParsedJson => {
  const json = jsonIn(text, isFloat);
  if (json) return json;
  if (isTooDeep(text)) throw new MalformedJson(`yaml: exceeded max depth of ${deepest}`);
  try {
    const [document] = yamlDocuments(text);
    if (!document) return { value: null, duplicates: [] };
    // Through JSON, so that aliases become copies, depth is limited and only JSON values remain.
    const { value } = parseJson(JSON.stringify(documentValue(document) ?? null));
    if (document.errors.length === 0) return { value, duplicates: [] };
    const lineAt = (offset: number) => text.slice(0, offset).split('\n').length;
    return { value, duplicates: [], repeated: repeatedIn(document.contents, lineAt) };
  } catch (error) {
    if (error instanceof MalformedJson) throw error;
    throw new MalformedJson(`yaml: ${(error as Error).message.split('\n')[0]}`);
  }
};

/** The line, from 1, and the key of each repeated one: what `repeated` is of ParsedJson. */
const repeatedIn = (node: unknown, lineAt: (offset: number) => number): string[] => {
  if (isSeq(node)) return node.items.flatMap((item) => repeatedIn(item, lineAt));
  if (!isMap(node)) return [];
  const seen = new Set<unknown>();
  return node.items.flatMap(({ key, value }) => {
    const name = isScalar(key) ? key.value : key;
    const isAgain = seen.has(name);
    seen.add(name);
    const [offset = 0] = (isNode(value) ? value.range : undefined) ?? (isNode(key) ? key.range : undefined) ?? [];
    const here = isAgain ? [`line ${lineAt(offset)}: key ${JSON.stringify(name)} already set in map`] : [];
    return [...here, ...repeatedIn(value, lineAt)];
  });
};
