/** Bodies in YAML, in and out: loaded when somebody sends or asks for one. */
import { stringify } from 'yaml';
import { yamlDocuments } from '../api/yaml.ts';
import { MalformedJson, type ParsedJson, parseJson } from './json.ts';

export const encodeYaml = (value: unknown): string => stringify(value, { version: '1.1', sortMapEntries: true });

/** YAML, of which JSON is a part. Throws MalformedJson. */
export const decodeYaml = (text: string): ParsedJson => {
  try {
    const [document] = yamlDocuments(text);
    const fault = document?.errors.find(({ code }) => code !== 'DUPLICATE_KEY');
    if (fault) throw new MalformedJson(`yaml: ${fault.message.split('\n')[0]}`);
    // Through JSON, so that aliases are copies, depth is bounded and only JSON's values remain.
    const json = JSON.stringify(document?.toJS({ maxAliasCount: 100 }) ?? null);
    return { value: parseJson(json).value, duplicates: duplicateKeys(document?.errors ?? []) };
  } catch (error) {
    if (error instanceof MalformedJson) throw error;
    throw new MalformedJson(`yaml: ${(error as Error).message.split('\n')[0]}`);
  }
};

const duplicateKeys = (errors: readonly { code: string; message: string }[]): string[] =>
  errors.filter(({ code }) => code === 'DUPLICATE_KEY').map(({ message }) => /"(.*)"/.exec(message)?.[1] ?? 'key');
