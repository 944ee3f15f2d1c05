/** JSON patch (RFC 6902) and strategic merge patch. The merge patch of RFC 7386 is in merge.ts. */
import { ApiError, badRequest } from './errors.ts';
import { equal } from './merge.ts';
import { isObject } from './object.ts';
import type { JsonSchema } from './schema.ts';

type Fields = Record<string, unknown>;
const define = (into: Fields, key: string, value: unknown) =>
  Object.defineProperty(into, key, { value, enumerable: true, configurable: true, writable: true });

interface Operation {
  op: string;
  path: string;
  from?: string;
  value?: unknown;
}

const refused = (): ApiError =>
  new ApiError(422, 'Invalid', 'the server rejected our request due to an error in our request', {});

/** A `test` operation found another value: nothing of the patch applies. */
export class TestFailed extends ApiError {
  constructor() {
    const { code, reason, message, details } = refused();
    super(code, reason, message, details);
  }
}

const pointer = (path: unknown): string[] => {
  if (path === '') return [];
  if (typeof path !== 'string' || !path.startsWith('/')) throw refused();
  return path
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
};

/** `most`: the last valid index, from which negative ones count. */
const indexOf = (part: string, most: number): number => {
  const number = /^[-+]?\d+$/.test(part) ? Number(part) : Number.NaN;
  const index = number < 0 ? most + 1 + number : number;
  if (!(index >= 0 && index <= most)) throw refused();
  return index;
};

/** A list index must exist; a field may be absent. */
const step = (value: unknown, part: string): unknown => {
  if (Array.isArray(value)) return value[indexOf(part, value.length - 1)];
  if (!isObject(value)) throw refused();
  return Object.hasOwn(value, part) ? value[part] : undefined;
};

/** The container of the path's last part, and that part; the whole document has no container. */
const holder = (document: unknown, path: string[]): { container: unknown[] | Fields; last: string } => {
  const last = path.at(-1);
  const container = path.slice(0, -1).reduce(step, document);
  if (last === undefined || !(Array.isArray(container) || isObject(container))) throw refused();
  return { container, last };
};

const read = (document: unknown, path: string[]): unknown => {
  if (path.length === 0) return document;
  const { container, last } = holder(document, path);
  return step(container, last);
};

const add = (document: unknown, path: string[], value: unknown): unknown => {
  const { container, last } = holder(document, path);
  if (Array.isArray(container))
    container.splice(last === '-' ? container.length : indexOf(last, container.length), 0, value);
  else define(container, last, value);
  return document;
};

const remove = (document: unknown, path: string[]): unknown => {
  const { container, last } = holder(document, path);
  if (step(container, last) === undefined) throw refused();
  if (Array.isArray(container)) container.splice(indexOf(last, container.length - 1), 1);
  else delete container[last];
  return document;
};

/** As in Kubernetes' JSON patch library, `replace` also sets an absent field. */
const replace = (document: unknown, path: string[], value: unknown): unknown => {
  if (path.length === 0) return value;
  const { container, last } = holder(document, path);
  if (Array.isArray(container)) container[indexOf(last, container.length - 1)] = value;
  else define(container, last, value);
  return document;
};

const apply = (document: unknown, { op, path, from, value = null }: Operation): unknown => {
  const at = pointer(path);
  switch (op) {
    case 'add':
      return add(document, at, structuredClone(value));
    case 'remove':
      return remove(document, at);
    case 'replace':
      return replace(document, at, structuredClone(value));
    case 'test':
      if (!equal(read(document, at) ?? null, value)) throw new TestFailed();
      return document;
    case 'copy': {
      const source = pointer(from);
      if (source.length === 0) throw refused();
      return add(document, at, structuredClone(read(document, source) ?? null));
    }
    case 'move': {
      const source = pointer(from);
      const moved = read(document, source);
      return add(remove(document, source), at, moved);
    }
    default:
      throw refused();
  }
};

const mostOperations = 10_000;

/**
 * Returns a new document. 400 for an invalid patch, 413 for too many operations, 422 when one does
 * not apply.
 */
export const jsonPatch = (document: unknown, operations: unknown): unknown => {
  if (!Array.isArray(operations) || !operations.every(isObject))
    throw badRequest(
      'error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp',
    );
  if (operations.length > mostOperations)
    throw new ApiError(
      413,
      'RequestEntityTooLarge',
      `The allowed maximum operations in a JSON patch is ${mostOperations}, got ${operations.length}`,
    );
  return (operations as unknown as Operation[]).reduce(apply, structuredClone(document));
};

const directive = '$patch';
const isMerged = (schema: JsonSchema | undefined) =>
  /(^|,)merge($|,)/.test(schema?.['x-kubernetes-patch-strategy'] ?? '');
const childOf = (schema: JsonSchema | undefined, field: string): JsonSchema | undefined =>
  schema?.properties?.[field] ??
  (typeof schema?.additionalProperties === 'object' ? schema.additionalProperties : undefined);

const withoutDirectives = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutDirectives);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, field]) => !key.startsWith('$') && field !== null)
      .map(([key, field]) => [key, withoutDirectives(field)]),
  );
};

const mergeKeyed = (list: unknown[], patch: unknown[], key: string, schema: JsonSchema | undefined): unknown[] => {
  const items = patch.filter(isObject);
  if (items.some((item) => item[directive] === 'replace'))
    return items.filter((item) => item[directive] === undefined).map(withoutDirectives);
  let result = [...list];
  for (const item of items) {
    const same = (other: unknown) => isObject(other) && equal(other[key], item[key]);
    if (item[directive] === 'delete') {
      result = result.filter((other) => !same(other));
      continue;
    }
    if (!Object.hasOwn(item, key))
      throw badRequest(`map: ${JSON.stringify(item)} does not contain declared merge key: ${key}`);
    const index = result.findIndex(same);
    if (index < 0) result.push(withoutDirectives(item));
    else result[index] = strategicMergePatch(result[index], item, schema);
  }
  return result;
};

/**
 * The order of a merged list: the patch's items in its order, and the server's other items in its.
 * Where the server's order does not relate two items, the patch's goes first.
 */
const ordered = (
  list: unknown[],
  order: unknown[],
  server: unknown[],
  identity: (item: unknown) => unknown,
): unknown[] => {
  const place = (items: unknown[], item: unknown) => items.findIndex((other) => equal(identity(other), identity(item)));
  const left = list.filter((item) => place(order, item) >= 0).sort((a, b) => place(order, a) - place(order, b));
  const right = list.filter((item) => place(order, item) < 0);
  const result: unknown[] = [];
  while (left.length > 0 && right.length > 0) {
    const [l, r] = [place(server, left[0]), place(server, right[0])];
    result.push(l >= 0 && r >= 0 && r < l ? right.shift() : left.shift());
  }
  return [...result, ...left, ...right];
};

const identityBy = (key: string | undefined) => (item: unknown) => (key && isObject(item) ? item[key] : item);

const mergeList = (current: unknown, patch: unknown[], schema: JsonSchema | undefined): unknown[] => {
  const list = Array.isArray(current) ? current : [];
  if (!isMerged(schema)) return patch.map(withoutDirectives);
  const key = schema?.['x-kubernetes-patch-merge-key'];
  const merged = key
    ? mergeKeyed(list, patch, key, schema?.items)
    : [...list, ...patch.filter((item) => !list.some((other) => equal(other, item)))];
  return ordered(merged, patch, list, identityBy(key));
};

const applyListDirectives = (result: Fields, target: unknown, patch: Fields, schema: JsonSchema | undefined): void => {
  for (const [name, value] of Object.entries(patch)) {
    if (!Array.isArray(value)) continue;
    const [kind, field] = name.split('/', 2) as [string, string | undefined];
    if (field === undefined || !Array.isArray(result[field])) continue;
    const identity = identityBy(childOf(schema, field)?.['x-kubernetes-patch-merge-key']);
    const server = isObject(target) && Array.isArray(target[field]) ? target[field] : [];
    if (kind === '$deleteFromPrimitiveList')
      define(
        result,
        field,
        (result[field] as unknown[]).filter((item) => !value.some((gone) => equal(gone, item))),
      );
    if (kind === '$setElementOrder')
      define(result, field, ordered(result[field] as unknown[], value, server, identity));
  }
};

/** A strategic merge patch, by the merge keys of a built-in kind's schema; returns a new value. */
export const strategicMergePatch = (target: unknown, patch: unknown, schema: JsonSchema | undefined): unknown => {
  if (!isObject(patch)) return patch;
  if (patch[directive] === 'replace') return withoutDirectives(patch);
  if (patch[directive] === 'delete') return {};
  const result: Fields = {};
  if (isObject(target)) for (const [key, value] of Object.entries(target)) define(result, key, value);
  const retained = patch.$retainKeys;
  if (Array.isArray(retained)) for (const key of Object.keys(result)) if (!retained.includes(key)) delete result[key];
  for (const [key, value] of Object.entries(patch)) {
    if (key.startsWith('$')) continue;
    const child = childOf(schema, key);
    if (value === null) delete result[key];
    else if (Array.isArray(value)) define(result, key, mergeList(result[key], value, child));
    else if (isObject(value)) define(result, key, strategicMergePatch(result[key], value, child));
    else define(result, key, value);
  }
  applyListDirectives(result, target, patch, schema);
  return result;
};
