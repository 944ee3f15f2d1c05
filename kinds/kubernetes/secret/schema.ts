import type { KubeObject } from '../../../machinery/api/object.ts';
import { boolean, bytes, map, string, stringMap } from '../../../machinery/api/schema.ts';

export type Secret = KubeObject & {
  type?: string;
  /** Base64. */
  data?: Record<string, string>;
  immutable?: boolean;
};

export const fields = {
  type: string('What the data is for; cannot be changed.'),
  data: map('Values by key, in base64.', bytes('')),
  stringData: stringMap('Values by key as plain text; merged into data, never read back.'),
  immutable: boolean('Whether data can no longer be changed.'),
};
