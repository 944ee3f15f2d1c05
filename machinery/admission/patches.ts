/** The types of expressions that make patches: `Object`, `JSONPatch`, and the functions of `jsonpatch`. */
import type { Environment } from '@marcbachmann/cel-js';
import { ObjectLiteral } from '../cel/literals.ts';

export class JsonPatchLiteral extends ObjectLiteral {
  declare op?: string;
  declare path?: string;
  declare from?: string;
  declare value?: unknown;
}

class JsonPatches {}

export const registerPatches = (of: Environment): Environment =>
  of
    .registerType('Object', ObjectLiteral as never)
    .registerType('JSONPatch', {
      ctor: JsonPatchLiteral as never,
      fields: { op: 'string', path: 'string', from: 'string', value: 'dyn' },
    })
    .registerType('JsonPatches', JsonPatches as never)
    .registerConstant('jsonpatch', 'JsonPatches', new JsonPatches() as never)
    .registerFunction('JsonPatches.escapeKey(string): string', (_: JsonPatches, key: string) =>
      key.replaceAll('~', '~0').replaceAll('/', '~1'),
    );
