/** Field selectors. */
import { badRequest } from '../api/errors.ts';
import { jsonPath } from '../api/json-path.ts';
import type { KindDefinition, KindVersion } from '../api/kind.ts';
import type { KubeObject } from '../api/object.ts';
import { fromStored } from './convert.ts';

export interface FieldSelector {
  matches: (object: KubeObject) => boolean;
  /** A changed object never changes its match: the selector uses only names and namespaces. */
  constant: boolean;
  empty: boolean;
}

interface Term {
  field: string;
  value: string;
  equal: boolean;
}

const unescaped = (text: string): string => text.replace(/\\([\\,=])/g, '$1');

const termsOf = (text: string): Term[] =>
  text
    .split(/(?<!\\),/)
    .filter((part) => part !== '')
    .map((part) => {
      const parsed = /^((?:\\.|[^=!\\])+)(==|!=|=)(.*)$/s.exec(part);
      if (!parsed) throw badRequest(`invalid selector: '${text}'; can't understand '${part}'`);
      return { field: unescaped(parsed[1]!), value: unescaped(parsed[3]!), equal: parsed[2] !== '!=' };
    });

const none: KubeObject = { apiVersion: '', kind: '', metadata: { name: '' } };

const nameFields = new Set(['metadata.name', 'metadata.namespace']);

/** The fields that a definition makes selectable; an absent one is empty. */
const declaredFields = (kind: KindDefinition, version: KindVersion, object: KubeObject): Record<string, string> => {
  const { selectable = [] } = version;
  if (selectable.length === 0) return {};
  const shown = object === none ? none : fromStored(kind, version, object);
  return Object.fromEntries(selectable.map((path) => [path.slice(1), String(jsonPath(path, shown)[0] ?? '')]));
};

const fieldsOf = (kind: KindDefinition, version: KindVersion, object: KubeObject): Record<string, string> => ({
  ...kind.selectableFields?.(object),
  ...declaredFields(kind, version, object),
  'metadata.name': object.metadata.name,
  'metadata.namespace': object.metadata.namespace ?? '',
});

/** Parses `metadata.name=a,type!=b`; 400 for a field that the kind does not support. */
export const parseFieldSelector = (kind: KindDefinition, version: KindVersion, text: string): FieldSelector => {
  const terms = termsOf(text);
  const known = fieldsOf(kind, version, none);
  const unknown = terms.find(({ field }) => !Object.hasOwn(known, field));
  if (unknown && !kind.custom && !kind.selectableFields)
    throw badRequest(
      `${JSON.stringify(unknown.field)} is not a known field selector: only "metadata.name", "metadata.namespace"`,
    );
  if (unknown) throw badRequest(`field label not supported: ${unknown.field}`);
  return {
    empty: terms.length === 0,
    constant: terms.every(({ field }) => nameFields.has(field)),
    matches: (object) => {
      const fields = fieldsOf(kind, version, object);
      return terms.every(({ field, value, equal }) => ((fields[field] ?? '') === value) === equal);
    },
  };
};
