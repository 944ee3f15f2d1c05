/** YAML bodies of requests and responses; loaded lazily. */
import { isMap, isScalar, isSeq, stringify } from 'yaml';
import { documentValue, yamlDocuments } from '../api/yaml.ts';
import { childPath, MalformedJson, type ParsedJson, parseJson } from './json.ts';

export const encodeYaml = (value: unknown): string => stringify(value, { version: '1.1', sortMapEntries: true });

/** YAML, of which JSON is a subset. Throws MalformedJson. */
export const decodeYaml = (text: string): ParsedJson => {
  try {
    const [document] = yamlDocuments(text);
    if (!document) return { value: null, duplicates: [] };
    // Through JSON, so that aliases become copies, depth is limited and only JSON values remain.
    const { value } = parseJson(JSON.stringify(documentValue(document) ?? null));
    return { value, duplicates: document.errors.length > 0 ? duplicatesIn(document.contents) : [] };
  } catch (error) {
    if (error instanceof MalformedJson) throw error;
    throw new MalformedJson(`yaml: ${(error as Error).message.split('\n')[0]}`);
  }
};

/** Paths of repeated keys. */
const duplicatesIn = (node: unknown, path = ''): string[] => {
  if (isSeq(node)) return node.items.flatMap((item, i) => duplicatesIn(item, `${path}[${i}]`));
  if (!isMap(node)) return [];
  const seen = new Set<string>();
  return node.items.flatMap(({ key, value }) => {
    const field = childPath(path, String(isScalar(key) ? key.value : key));
    const isAgain = seen.has(field);
    seen.add(field);
    return [...(isAgain ? [field] : []), ...duplicatesIn(value, field)];
  });
};
