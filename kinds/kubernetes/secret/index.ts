import type { FieldError, KindDefinition } from '../../../machinery/api/kind.ts';
import { age, defineBuiltIn } from '../built-in.ts';
import { changesOfImmutable, keyErrors, sizeError } from '../config-map/data.ts';
import { secret as facts } from './kind.ts';
import { fields, type Secret } from './schema.ts';
import { typeErrors } from './types.ts';

export type { Secret } from './schema.ts';

/** stringData is a convenience for writing: its values move to data, and it is never stored. */
const withDefaults: KindDefinition['default'] = (object) => {
  const { stringData, ...secret } = object as Secret & { stringData?: Record<string, string> };
  const encoded = Object.entries(stringData ?? {}).map(([key, text]) => [key, Buffer.from(text).toString('base64')]);
  const data = encoded.length > 0 ? { ...secret.data, ...Object.fromEntries(encoded) } : secret.data;
  return { ...secret, ...(data && { data }), type: secret.type || 'Opaque' } as Secret;
};

const decodedSize = (text: string): number => Buffer.byteLength(text, 'base64');

const validate: KindDefinition['validate'] = (object, { operation, old }) => {
  if (operation === 'delete') return [];
  const secret = object as Secret;
  const before = old as Secret | undefined;
  const errors: FieldError[] = [...keyErrors('data', secret.data ?? {})];
  if (before && before.type !== secret.type)
    errors.push({ reason: 'FieldValueInvalid', field: 'type', value: secret.type, detail: 'field is immutable' });
  if (before) errors.push(...changesOfImmutable(secret, before, ['data']));
  const size = Object.values(secret.data ?? {}).reduce((sum, text) => sum + decodedSize(text), 0);
  return [...errors, ...sizeError('data', size), ...typeErrors(secret)];
};

export const secret = defineBuiltIn({
  ...facts,
  default: withDefaults,
  validate,
  selectableFields: (object) => ({ type: (object as Secret).type ?? '' }),
  version: {
    description: 'Confidential data by key.',
    fields,
    columns: [
      { name: 'Type', type: 'string', jsonPath: '.type', description: 'What the data is for.' },
      {
        name: 'Data',
        type: 'string',
        value: (object) => Object.keys((object as Secret).data ?? {}).length,
        description: 'Number of keys.',
      },
      age,
    ],
  },
});
