import type { FieldError } from '../../../machinery/api/kind.ts';

/** Validates a key pair name by EC2's rules; empty means no key pair. */
export const invalidKeyName = (field: string, name: string | undefined): FieldError[] =>
  !name || /^(?! )[\x20-\x7e]{1,255}(?<! )$/.test(name)
    ? []
    : [
        {
          reason: 'FieldValueInvalid',
          field,
          value: name,
          detail: 'Name is invalid. Must be specified in ASCII and must not start or end in whitespace',
        },
      ];
