import type { FieldError } from '../../../machinery/api/kind.ts';
import { invalidValue } from '../../common/validate.ts';

/** AWS's limit of tags on one resource. */
const mostTags = 50;

/** Validates a user's tags by AWS's rules. */
export const invalidTags = (field: string, tags: Record<string, string> | undefined): FieldError[] => {
  const entries = Object.entries(tags ?? {});
  return [
    ...entries.flatMap(([key, value]) => tagFaults(key, value).map((detail) => invalidValue(field, key, detail))),
    ...(entries.length > mostTags
      ? [invalidValue(field, entries.length, `user created tags cannot be more than ${mostTags}`)]
      : []),
  ];
};

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
