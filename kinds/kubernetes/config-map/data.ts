/** Shared by ConfigMaps and Secrets. */
import type { FieldError } from '../../../machinery/api/kind.ts';
import { equal } from '../../../machinery/api/merge.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';

const mostBytes = 1024 * 1024;
const keyText =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

const keyFaults = (key: string): string[] => {
  const faults: string[] = [];
  if (key.length > 253) faults.push('must be no more than 253 characters');
  if (!/^[-._a-zA-Z0-9]+$/.test(key)) faults.push(keyText);
  if (key === '.') faults.push("must not be '.'");
  else if (key === '..') faults.push("must not be '..'");
  else if (key.startsWith('..')) faults.push("must not start with '..'");
  return faults;
};

export const keyErrors = (field: string, data: Record<string, string>): FieldError[] =>
  Object.keys(data).flatMap((key) =>
    keyFaults(key).map((detail) => ({ reason: 'FieldValueInvalid', field: `${field}[${key}]`, value: key, detail })),
  );

export const sizeError = (field: string, size: number): FieldError[] =>
  size > mostBytes
    ? [{ reason: 'FieldValueTooLong', field, value: '', detail: `may not be more than ${mostBytes} bytes` }]
    : [];

/** Rejects changes to `immutable` and to the given fields, once the object is immutable. */
export const changesOfImmutable = (
  object: KubeObject & { immutable?: boolean },
  old: KubeObject & { immutable?: boolean },
  fields: string[],
): FieldError[] => {
  if (!old.immutable) return [];
  const changed = fields.filter((field) => !equal(object[field] ?? {}, old[field] ?? {}));
  return [...(object.immutable ? [] : ['immutable']), ...changed].map((field) => ({
    reason: 'FieldValueForbidden',
    field,
    detail: 'field is immutable when `immutable` is set',
  }));
};
