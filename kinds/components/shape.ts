/** Shapes of documents as Go decodes them: enough to refuse what its strict decoding refuses. Pure. */
import { isObject } from '../../machinery/api/object.ts';

export type Shape =
  | { is: 'string' | 'integer' | 'boolean' | 'duration' | 'time' | 'anything' }
  | { is: 'list' | 'map'; of: Shape }
  | { is: 'object'; fields: Record<string, Shape> };

export const text: Shape = { is: 'string' };
export const integer: Shape = { is: 'integer' };
export const boolean: Shape = { is: 'boolean' };
export const duration: Shape = { is: 'duration' };
export const time: Shape = { is: 'time' };
export const anything: Shape = { is: 'anything' };
export const list = (of: Shape): Shape => ({ is: 'list', of });
export const map = (of: Shape): Shape => ({ is: 'map', of });
export const object = (fields: Record<string, Shape>): Shape => ({ is: 'object', fields });

const durationText = /^(?:0|-?(?:\d+(?:\.\d+)?(?:ns|us|µs|ms|s|m|h))+)$/;

const mismatch = (path: string, value: unknown, wanted: string): string =>
  `json: cannot unmarshal ${Array.isArray(value) ? 'array' : typeof value} into Go struct field ${path} of type ${wanted}`;

/** Every fault of a value, with the decoder's messages. Null counts as absent. */
export const faultsOf = (value: unknown, shape: Shape, path = ''): string[] => {
  if (value === null || value === undefined) return [];
  switch (shape.is) {
    case 'anything':
      return [];
    case 'string':
      return typeof value === 'string' ? [] : [mismatch(path, value, 'string')];
    case 'time':
      return typeof value === 'string' && !Number.isNaN(Date.parse(value)) ? [] : [mismatch(path, value, 'v1.Time')];
    case 'duration':
      return typeof value === 'string' && durationText.test(value) ? [] : [mismatch(path, value, 'v1.Duration')];
    case 'integer':
      return Number.isInteger(value) ? [] : [mismatch(path, value, 'int32')];
    case 'boolean':
      return typeof value === 'boolean' ? [] : [mismatch(path, value, 'bool')];
    case 'list':
      return Array.isArray(value)
        ? value.flatMap((item, index) => faultsOf(item, shape.of, `${path}[${index}]`))
        : [mismatch(path, value, 'slice')];
    case 'map':
      return isObject(value)
        ? Object.entries(value).flatMap(([key, item]) => faultsOf(item, shape.of, `${path}.${key}`))
        : [mismatch(path, value, 'map')];
    case 'object':
      if (!isObject(value)) return [mismatch(path, value, 'struct')];
      return Object.entries(value).flatMap(([key, item]) => {
        const at = path ? `${path}.${key}` : key;
        const field = Object.hasOwn(shape.fields, key) ? shape.fields[key] : undefined;
        return field ? faultsOf(item, field, at) : [`unknown field "${at}"`];
      });
  }
};
