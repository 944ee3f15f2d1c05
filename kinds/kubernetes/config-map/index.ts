import type { KindDefinition } from '../../../machinery/api/kind.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { boolean, bytes, map, stringMap } from '../../../machinery/api/schema.ts';
import { age, defineBuiltIn } from '../built-in.ts';
import { changesOfImmutable, keyErrors, sizeError } from './data.ts';
import { configMap as facts } from './kind.ts';

export type ConfigMap = KubeObject & {
  data?: Record<string, string>;
  /** Base64. */
  binaryData?: Record<string, string>;
  immutable?: boolean;
};

const validate: KindDefinition['validate'] = (object, { operation, old }) => {
  if (operation === 'delete') return [];
  const configMap = object as ConfigMap;
  const { data = {}, binaryData = {} } = configMap;
  const textSize = Object.values(data).reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  const size = Object.values(binaryData).reduce((sum, text) => sum + Buffer.byteLength(text, 'base64'), textSize);
  return [
    ...(old ? changesOfImmutable(configMap, old as ConfigMap, ['data', 'binaryData']) : []),
    ...keyErrors('data', data),
    ...Object.keys(data)
      .filter((key) => Object.hasOwn(binaryData, key))
      .map((key) => ({
        reason: 'FieldValueInvalid' as const,
        field: `data[${key}]`,
        value: key,
        detail: 'duplicate of key present in binaryData',
      })),
    ...keyErrors('binaryData', binaryData),
    ...sizeError('[]', size),
  ];
};

export const configMap = defineBuiltIn({
  ...facts,
  shortNames: ['cm'],
  validate,
  version: {
    description: 'Plain data by key.',
    fields: {
      data: stringMap('Texts by key.'),
      binaryData: map('Bytes by key, in base64.', bytes('')),
      immutable: boolean('Whether the data can no longer be changed.'),
    },
    columns: [
      {
        name: 'Data',
        type: 'string',
        value: (object) => {
          const { data = {}, binaryData = {} } = object as ConfigMap;
          return Object.keys(data).length + Object.keys(binaryData).length;
        },
        description: 'Number of keys.',
      },
      age,
    ],
  },
});
