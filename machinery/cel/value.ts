/** Values of objects as CEL sees them. */
import { isReservedInCel } from '../api/cel-names.ts';
import { isObject } from '../api/object.ts';
import type { JsonSchema } from '../api/schema.ts';
import { costOfCall, evaluateWithin } from './budget.ts';
import { parse } from './program.ts';

/** The name of a field of a schema in expressions, which escape CEL's keywords, as in Kubernetes. */
export const celFieldName = (name: string): string =>
  isReservedInCel(name)
    ? `__${name}__`
    : name
        .replaceAll('__', '__underscores__')
        .replaceAll('.', '__dot__')
        .replaceAll('-', '__dash__')
        .replaceAll('/', '__slash__');

const durationOf = parse('duration(text)');
/** A text in the type of its format; one that does not fit is left to the validation of formats. */
const textValue = (text: string, format: string | undefined): unknown => {
  switch (format) {
    case 'date':
    case 'date-time':
      return Number.isNaN(Date.parse(text)) ? text : new Date(text);
    case 'byte':
      return new Uint8Array(Buffer.from(text, 'base64'));
    case 'duration': {
      const { result } = evaluateWithin(costOfCall, () => durationOf({ text }));
      return 'value' in result ? result.value : text;
    }
    default:
      return text;
  }
};

/**
 * The value for CEL: integers, times, durations and bytes by schema. Where the schema is empty, it is
 * what it is in JSON.
 */
export const celValue = (value: unknown, schema: JsonSchema = {}): unknown => {
  if (typeof value === 'string') return textValue(value, schema.format);
  if (typeof value === 'number') {
    const integral = schema.type === 'integer' || (schema.type !== 'number' && Number.isInteger(value));
    return integral ? BigInt(Math.trunc(value)) : value;
  }
  if (Array.isArray(value)) return value.map((item) => celValue(item, schema.items ?? {}));
  if (!isObject(value)) return value;
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return Object.fromEntries(
    fields.map(([name, field]) => {
      const known = schema.properties && Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined;
      if (known) return [celFieldName(name), celValue(field, known)];
      return [
        name,
        celValue(field, typeof schema.additionalProperties === 'object' ? schema.additionalProperties : {}),
      ];
    }),
  );
};
