import type { FieldError } from '../../machinery/api/kind.ts';

/** Faults of tags that a user gives, by AWS's rules for them. */
export const invalidTags = (field: string, tags: Record<string, string> | undefined): FieldError[] =>
  Object.entries(tags ?? {}).flatMap(([key, value]) =>
    tagFaults(key, value).map((detail) => ({ reason: 'FieldValueInvalid', field, value: key, detail })),
  );

const allowed = /^[\p{L}\p{Z}\p{N}_.:/=+\-@]*$/u;

const tagFaults = (key: string, value: string): string[] => [
  ...(key.length === 0 ? ['key cannot be empty'] : []),
  ...(key.length > 128 ? ['key cannot be longer than 128 characters'] : []),
  ...(value.length > 256 ? ['value cannot be longer than 256 characters'] : []),
  ...(/^aws:/i.test(key) ? ["user created tag's key cannot have prefix aws:"] : []),
  ...(allowed.test(key)
    ? []
    : ['key cannot have characters other than alphabets, numbers, spaces and _ . : / = + - @ .']),
  ...(allowed.test(value)
    ? []
    : ['value cannot have characters other than alphabets, numbers, spaces and _ . : / = + - @ .']),
];
