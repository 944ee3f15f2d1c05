/** Field selectors. */
import { badRequest } from '../api/errors.ts';
import type { KindDefinition } from '../api/kind.ts';
import type { KubeObject } from '../api/object.ts';

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

const nameFields = new Set(['metadata.name', 'metadata.namespace']);

const fieldsOf = (kind: KindDefinition, object: KubeObject): Record<string, string> => ({
  ...kind.selectableFields?.(object),
  'metadata.name': object.metadata.name,
  'metadata.namespace': object.metadata.namespace ?? '',
});

const none: KubeObject = { apiVersion: '', kind: '', metadata: { name: '' } };

/** Parses `metadata.name=a,type!=b`; 400 for a field that the kind does not support. */
export const parseFieldSelector = (kind: KindDefinition, text: string): FieldSelector => {
  const terms = termsOf(text);
  const known = fieldsOf(kind, none);
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
      const fields = fieldsOf(kind, object);
      return terms.every(({ field, value, equal }) => ((fields[field] ?? '') === value) === equal);
    },
  };
};
