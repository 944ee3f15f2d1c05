/** One document of a file that a program reads at its start, as Kubernetes' codecs decode it. Pure. */
import { isObject } from '../../../machinery/api/object.ts';
import { documentValue, yamlDocuments } from '../../../machinery/api/yaml.ts';
import type { Arg } from '../fault.ts';
import { faultsOf, type Shape } from '../shape.ts';

export type Fields = Record<string, unknown>;
export const fieldsOf = (value: unknown): Fields => (isObject(value) ? (value as Fields) : {});
export const listOf = (value: unknown): Fields[] => (Array.isArray(value) ? value.map(fieldsOf) : []);
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
export const textsOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);

const subdomain = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;
export const isSubdomain = (name: string): boolean => name.length <= 253 && subdomain.test(name);

/** What the program runs with besides. */
export interface Program {
  minor: number;
  args: readonly Arg[];
}

export interface FileType {
  kind: string;
  /** API versions that are read, with the first minor release that reads them. */
  versions: Readonly<Record<string, number>>;
  shape: Shape;
  /** The first minor release that refuses unknown and repeated fields. */
  strictSince: number;
  /** What else is refused, in the program's words. */
  validate: (value: Fields, program: Program) => string[];
}

/** Why the program does not take the text. */
export const faultsOfText = (
  text: string,
  { kind, versions, shape, strictSince, validate }: FileType,
  program: Program,
): string[] => {
  const { minor } = program;
  const [document] = yamlDocuments(text);
  if (!document) return ['the file is empty'];
  let value: unknown;
  try {
    value = documentValue(document);
  } catch (error) {
    return [`error converting YAML to JSON: yaml: ${error instanceof Error ? error.message : String(error)}`];
  }
  const given = fieldsOf(value);
  const { apiVersion = '', kind: givenKind = '' } = given;
  if (givenKind === '') return ["Object 'Kind' is missing"];
  if (givenKind !== kind || minor < (versions[String(apiVersion)] ?? Number.POSITIVE_INFINITY))
    return [`no kind "${givenKind}" is registered for version "${apiVersion}"`];
  const repeated = document.errors.some(({ code }) => code === 'DUPLICATE_KEY') ? ['a key is already set'] : [];
  const shapeFaults = faultsOf(given, shape);
  const strict = [...repeated, ...shapeFaults.filter((fault) => fault.startsWith('unknown field'))];
  const types = shapeFaults.filter((fault) => !fault.startsWith('unknown field'));
  if (types.length > 0) return types;
  if (strict.length > 0 && minor >= strictSince) return [`strict decoding error: ${strict.join(', ')}`];
  return validate(given, program);
};
