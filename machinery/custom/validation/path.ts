/** Simple paths into a schema, as rules and selectable fields name them: `.spec.a`, `.spec['b-c']`. */
import type { JsonSchema } from '../../api/schema.ts';

export interface Found {
  schema: JsonSchema;
  /** The names on the way. */
  names: string[];
}

/** The schema at a path, or why there is none. */
export const schemaAt = (path: string, schema: JsonSchema, { lists = true } = {}): Found | { fault: string } => {
  const names: string[] = [];
  let at: JsonSchema = schema;
  let rest = path;
  while (rest !== '') {
    const step = /^(?:\.([^.[\]'"]+)|\['((?:[^'\\]|\\.)*)'\])/.exec(rest);
    if (!step) {
      if (lists || !rest.startsWith('[')) return { fault: `expected child of ${shownOf(names)}` };
      return { fault: 'array notation is not allowed' };
    }
    const name = step[1] ?? step[2]!.replace(/\\(.)/g, '$1');
    const own = at.properties && Object.hasOwn(at.properties, name) ? at.properties[name] : undefined;
    const next = own ?? (typeof at.additionalProperties === 'object' ? at.additionalProperties : undefined);
    if (!next && names.length === 0 && name === 'metadata') return { schema: {}, names: ['metadata'] };
    if (!next) return { fault: `does not refer to a valid field` };
    names.push(name);
    at = next;
    rest = rest.slice(step[0].length);
  }
  return names.length === 0 ? { fault: 'unexpected end of path' } : { schema: at, names };
};

const shownOf = (names: readonly string[]): string => (names.length === 0 ? 'the root' : names.join('.'));
