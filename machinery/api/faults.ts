/** Faults of fields, with a Kubernetes API server's messages. */
import type { FieldError } from './kind.ts';

export const required = (field: string, detail = ''): FieldError => ({ reason: 'FieldValueRequired', field, detail });
export const invalid = (field: string, value: unknown, detail: string): FieldError => ({
  reason: 'FieldValueInvalid',
  field,
  value,
  detail,
});
export const forbidden = (field: string, detail: string): FieldError => ({
  reason: 'FieldValueForbidden',
  field,
  detail,
});
export const notSupported = (field: string, value: unknown, supported: readonly string[]): FieldError => ({
  reason: 'FieldValueNotSupported',
  field,
  value,
  detail: `supported values: ${supported.map((one) => JSON.stringify(one)).join(', ')}`,
});
export const duplicate = (field: string, value: unknown): FieldError => ({
  reason: 'FieldValueDuplicate',
  field,
  value,
  detail: '',
});
export const tooMany = (field: string, count: number, most: number): FieldError => ({
  reason: 'FieldValueTooMany',
  field,
  value: count,
  detail: `must have at most ${most} items`,
});
