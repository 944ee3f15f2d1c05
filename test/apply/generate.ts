/** Random schemas, and random writes to an object of one, from a seed. */
import { seededRandom } from '../../adapters/memory/random.ts';
import { isObject, type JsonObject, type JsonValue, type KubeObject } from '../../machinery/api/object.ts';
import type { JsonSchema } from '../../machinery/api/schema.ts';
import { metadataSchema } from '../../machinery/server/metadata-schema.ts';
import { type Case, hub, objectOf, Sequence, type Step, type Version } from './sequence.ts';

export class Random {
  readonly #next: () => number;
  constructor(seed: number) {
    this.#next = seededRandom(seed).next;
  }
  below(most: number): number {
    return Math.floor(this.#next() * most);
  }
  chance(of: number): boolean {
    return this.#next() < of;
  }
  pick<T>(of: readonly T[]): T {
    return of[this.below(of.length)]!;
  }
}

const names = ['a', 'b', 'c', 'd', 'constructor', 'toString', '__proto__'];
const strings = ['x', 'y', 'z', '', '<&>', 'é"\\', '\u2028\n', '1'];
const scalars: JsonSchema[] = [
  { type: 'string' },
  { type: 'string', format: 'byte' },
  { type: 'string', format: 'date-time' },
  { type: 'integer' },
  { type: 'number' },
  { type: 'boolean' },
];

const plainScalar = (random: Random): JsonSchema => random.pick(scalars);

const fieldsOf = (random: Random, depth: number, custom: boolean, least: number): Record<string, JsonSchema> => {
  const chosen = names.filter(() => random.chance(0.45));
  while (chosen.length < least) chosen.push(random.pick(names));
  return Object.fromEntries([...new Set(chosen)].map((name) => [name, schemaOf(random, depth - 1, custom)]));
};

const relation = (random: Random, custom: boolean, keys: string[]): JsonSchema => {
  if (custom)
    return keys.length > 0
      ? { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': keys }
      : { 'x-kubernetes-list-type': 'set' };
  const strategy = { 'x-kubernetes-patch-strategy': random.pick(['merge', 'merge,retainKeys']) };
  return { ...strategy, ...(keys.length > 0 && { 'x-kubernetes-patch-merge-key': keys[0]! }) };
};

const keyedList = (random: Random, depth: number, custom: boolean): JsonSchema => {
  const keys = random.chance(0.6) ? ['a'] : ['a', 'b'];
  const properties = fieldsOf(random, depth, custom, 1);
  for (const key of keys) {
    properties[key] = random.pick<JsonSchema>([{ type: 'string' }, { type: 'integer' }]);
    if (random.chance(0.4)) properties[key] = { type: 'string', default: 'x' };
  }
  const items: JsonSchema = { type: 'object', properties };
  if (random.chance(0.1)) items['x-kubernetes-map-type'] = 'atomic';
  return { type: 'array', items, ...relation(random, custom, keys) };
};

/** A structural schema. */
export const schemaOf = (random: Random, depth: number, custom: boolean): JsonSchema => {
  if (depth <= 0 || random.chance(0.3)) return plainScalar(random);
  switch (random.below(custom ? 14 : 12)) {
    case 0:
    case 1:
      return { type: 'object', properties: fieldsOf(random, depth, custom, 1) };
    case 2:
      return { type: 'object', properties: fieldsOf(random, depth, custom, 1), 'x-kubernetes-map-type': 'atomic' };
    case 3:
      return { type: 'object', additionalProperties: schemaOf(random, depth - 1, custom) };
    case 4:
      return {
        type: 'object',
        additionalProperties: schemaOf(random, depth - 1, custom),
        'x-kubernetes-map-type': random.pick(['atomic', 'granular']),
      };
    case 5:
      return { type: 'array', items: schemaOf(random, depth - 1, custom) };
    case 6:
      return { type: 'array', items: plainScalar(random), ...relation(random, custom, []) };
    case 7:
    case 8:
      return keyedList(random, depth, custom);
    case 9:
      return { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    case 10:
      return {
        type: 'object',
        properties: fieldsOf(random, depth, custom, 1),
        'x-kubernetes-preserve-unknown-fields': true,
      };
    case 11:
      return random.pick<JsonSchema>([
        { 'x-kubernetes-int-or-string': true },
        { 'x-kubernetes-preserve-unknown-fields': true },
        { type: 'object' },
        { 'x-kubernetes-preserve-unknown-fields': true, properties: { a: plainScalar(random) } },
      ]);
    case 12:
      return {
        type: 'object',
        'x-kubernetes-embedded-resource': true,
        'x-kubernetes-preserve-unknown-fields': true,
      };
    default:
      return {
        type: 'object',
        'x-kubernetes-embedded-resource': true,
        properties: fieldsOf(random, depth, custom, 1),
      };
  }
};

const anyValue = (random: Random, depth: number): JsonValue => {
  const form = random.below(depth > 0 ? 7 : 4);
  if (form === 0) return random.pick(strings);
  if (form === 1) return random.below(3);
  if (form === 2) return random.chance(0.5);
  if (form === 3) return null;
  if (form === 4) return Array.from({ length: random.below(3) }, () => anyValue(random, depth - 1));
  return Object.fromEntries(names.filter(() => random.chance(0.3)).map((name) => [name, anyValue(random, depth - 1)]));
};

const scalarValue = (random: Random, schema: JsonSchema): JsonValue => {
  if (schema['x-kubernetes-int-or-string']) return random.chance(0.5) ? random.below(3) : random.pick(strings);
  switch (schema.type) {
    case 'integer':
      return random.below(3);
    case 'number':
      return random.pick([0, 1, 1.5, 0.000_000_1, 1e21]);
    case 'boolean':
      return random.chance(0.5);
    default:
      return random.pick(strings);
  }
};

const itemsOf = (random: Random, schema: JsonSchema, repeats: boolean): JsonValue[] => {
  const items = Array.from({ length: random.below(4) }, () => valueFor(random, schema.items!, repeats));
  const isSet = schema['x-kubernetes-list-type'] === 'set' || schema['x-kubernetes-patch-strategy'] !== undefined;
  const keys =
    schema['x-kubernetes-list-map-keys'] ?? [schema['x-kubernetes-patch-merge-key']].filter((key) => key !== undefined);
  if (!isSet && keys.length === 0) return items;
  const seen = new Set<string>();
  return items.filter((item) => {
    if (item === null) return false;
    if (
      keys.length > 0 &&
      keys.every(
        (key) => (item as JsonObject)[key] === undefined && schema.items!.properties![key]!.default === undefined,
      )
    )
      return false;
    const identity = JSON.stringify(
      keys.length > 0
        ? keys.map((key) => (item as JsonObject)[key] ?? schema.items!.properties![key]!.default ?? null)
        : item,
    );
    const isNew = !seen.has(identity);
    seen.add(identity);
    return isNew || repeats;
  });
};

const objectValue = (random: Random, schema: JsonSchema, repeats: boolean): JsonObject => {
  const value: JsonObject = {};
  const set = (name: string, of: JsonValue) =>
    Object.defineProperty(value, name, { value: of, enumerable: true, configurable: true, writable: true });
  for (const [name, of] of Object.entries(schema.properties ?? {}))
    if (random.chance(0.55)) set(name, valueFor(random, of, repeats));
  if (schema['x-kubernetes-embedded-resource'] && random.chance(0.7))
    set('metadata', { name: 'e', labels: { x: random.pick(strings) }, finalizers: ['f'] });
  const isOpen = schema['x-kubernetes-preserve-unknown-fields'] || (!schema.properties && !schema.additionalProperties);
  for (const name of names) {
    if (Object.hasOwn(value, name)) continue;
    if (typeof schema.additionalProperties === 'object' && random.chance(0.3))
      set(name, valueFor(random, schema.additionalProperties, repeats));
    else if (isOpen && !Object.hasOwn(schema.properties ?? {}, name) && random.chance(0.2))
      set(name, anyValue(random, 2));
  }
  return value;
};

/** A value of the schema. Lists may hold an item twice where `repeats`. */
export const valueFor = (random: Random, schema: JsonSchema, repeats: boolean): JsonValue => {
  if (random.chance(0.03)) return null;
  if (schema.type === 'array') return itemsOf(random, schema, repeats);
  if (schema.type === 'object') return objectValue(random, schema, repeats);
  if (schema.type === undefined && !schema['x-kubernetes-int-or-string'] && !schema.properties)
    return anyValue(random, 2);
  if (schema.properties) return objectValue(random, schema, repeats);
  return scalarValue(random, schema);
};

/** Another value that shares parts with the one before. */
const changed = (random: Random, value: JsonValue | undefined, schema: JsonSchema, repeats: boolean): JsonValue => {
  const fresh = valueFor(random, schema, repeats);
  if (!isObject(value) || !isObject(fresh) || random.chance(0.2))
    return random.chance(0.3) && value !== undefined ? value : fresh;
  const result: JsonObject = {};
  for (const name of new Set([...Object.keys(value), ...Object.keys(fresh)])) {
    const of = Object.hasOwn(schema.properties ?? {}, name) ? schema.properties![name] : undefined;
    const [old, next] = [
      Object.hasOwn(value, name) ? value[name] : undefined,
      Object.hasOwn(fresh, name) ? fresh[name] : undefined,
    ];
    const chosen = random.chance(0.6) ? old : of && random.chance(0.5) ? changed(random, old, of, repeats) : next;
    if (chosen !== undefined)
      Object.defineProperty(result, name, { value: chosen, enumerable: true, configurable: true, writable: true });
  }
  return result;
};

/** One place in the value that does not fit. */
const broken = (random: Random, value: JsonValue): JsonValue => {
  if (Array.isArray(value) && value.length > 0 && random.chance(0.8)) {
    const at = random.below(value.length);
    if (random.chance(0.3)) return [...value, value[at]!];
    return value.map((item, i) => (i === at ? broken(random, item) : item));
  }
  if (isObject(value) && Object.keys(value).length > 0 && random.chance(0.8)) {
    const at = random.pick(Object.keys(value));
    return Object.fromEntries(
      Object.entries(value).map(([key, one]) => [key, key === at ? broken(random, one!) : one]),
    );
  }
  return random.pick<JsonValue>([{ zzz: 1 }, [1], 'w', 7, true, [[]], {}, [null], [{ k: true }]]);
};

/** The schema with some nodes granular that were atomic, and the other way round. */
const flipped = (random: Random, schema: JsonSchema): JsonSchema => {
  const result: JsonSchema = { ...schema };
  if (schema.properties)
    result.properties = Object.fromEntries(
      Object.entries(schema.properties).map(([name, of]) => [name, flipped(random, of)]),
    );
  if (schema.items) result.items = flipped(random, schema.items);
  if (typeof schema.additionalProperties === 'object')
    result.additionalProperties = flipped(random, schema.additionalProperties);
  if (schema.type === 'object' && random.chance(0.2))
    result['x-kubernetes-map-type'] = schema['x-kubernetes-map-type'] === 'atomic' ? 'granular' : 'atomic';
  if (schema.type === 'array' && random.chance(0.2)) {
    if (schema['x-kubernetes-list-type'] === 'set' || schema['x-kubernetes-list-type'] === 'map') {
      result['x-kubernetes-list-type'] = 'atomic';
      delete result['x-kubernetes-list-map-keys'];
    } else if (schema.items && ['string', 'integer'].includes(schema.items.type ?? ''))
      result['x-kubernetes-list-type'] = 'set';
  }
  return result;
};

const others: Record<string, string> = { A: 'a', B: 'b' };

const versionsOf = (random: Random, spec: JsonSchema, status: JsonSchema, custom: boolean): Record<string, Version> => {
  const root = (of: JsonSchema): JsonSchema => ({
    type: 'object',
    properties: {
      ...(!custom && { apiVersion: { type: 'string' }, kind: { type: 'string' }, metadata: metadataSchema }),
      spec: of,
      status,
    },
  });
  const reset = { '': ['status'], status: ['metadata', 'spec'] };
  const renamedSpec = (): JsonSchema => ({
    ...spec,
    properties: Object.fromEntries(
      Object.entries(spec.properties!).map(([name, of]) => [
        Object.entries(others).find(([, other]) => other === name)?.[0] ?? name,
        of,
      ]),
    ),
  });
  const hasReset = random.chance(0.7);
  return {
    [hub]: { schema: root(spec), ...(hasReset && { reset }) },
    v2: { schema: root(renamedSpec()), names: others, ...(hasReset && { reset }) },
  };
};

const managers = ['m1', 'm2', 'kubectl', 'u<1>'];
const annotation = 'kubectl.kubernetes.io/last-applied-configuration';

const metadataOf = (random: Random, isConfig: boolean): JsonObject => ({
  ...(random.chance(0.3) && { labels: { [random.pick(names.slice(0, 3))]: random.pick(strings) } }),
  ...(random.chance(0.2) && { annotations: { x: random.pick(strings) } }),
  ...(random.chance(0.15) && { finalizers: [random.pick(['f', 'g']), 'h'] }),
  ...(random.chance(0.15) && {
    ownerReferences: [{ apiVersion: 'v1', kind: 'It', name: random.pick(['a', 'b']), uid: random.pick(['1', '2']) }],
  }),
  ...(isConfig && random.chance(0.01) && { managedFields: [] }),
});

const entriesIn = (random: Random, live: KubeObject | undefined): JsonObject => {
  const entry = {
    manager: random.pick(managers),
    operation: random.pick(['Apply', 'Update']),
    apiVersion: random.pick(['it.example.com/v1', 'it.example.com/v2', 'it.example.com/v9', 'other/v1']),
    time: `2000-01-01T00:00:0${random.below(3)}Z`,
    fieldsType: 'FieldsV1',
    fieldsV1: {
      'f:spec': { '.': {}, 'f:a': {}, 'f:b': { '.': {}, 'v:"x"': {}, 'k:{"b":1,"a":"x"}': { 'f:c': {} } } },
      'x:later': {},
    },
    ...(random.chance(0.2) && { subresource: 'status' }),
  };
  return random.pick<JsonObject>([
    {},
    {},
    {},
    {},
    { managedFields: live?.metadata.managedFields },
    { managedFields: [] },
    { managedFields: [{}] },
    { managedFields: [entry, { ...entry, manager: 'w' }] },
    { managedFields: [{ ...entry, operation: 'Other' }] },
    { managedFields: [{ ...entry, fieldsV1: { q: {} } }] },
  ]);
};

const updaters = (seconds: number): JsonObject => ({
  managedFields: Array.from({ length: 12 }, (_, i) => ({
    manager: `u${i % 6}`,
    operation: 'Update',
    apiVersion: i % 3 === 0 ? 'it.example.com/v2' : 'it.example.com/v1',
    time: `2000-01-01T00:00:${String((i * 7 + seconds) % 60).padStart(2, '0')}Z`,
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:spec': { [`f:${names[i % 4]}`]: {} }, 'f:metadata': { 'f:labels': { [`f:l${i}`]: {} } } },
    ...(i >= 6 && { subresource: 'status' }),
  })),
});

/** A sequence of writes; those that change the live object build on what earlier ones made of it. */
export const generated = async (seed: number): Promise<Case> => {
  const random = new Random(seed);
  const custom = random.chance(0.8);
  let spec: JsonSchema = { type: 'object', properties: fieldsOf(random, 3, custom, 3) };
  const status: JsonSchema = { type: 'object', properties: { s: { type: 'string' }, n: schemaOf(random, 2, custom) } };
  let versions = versionsOf(random, spec, status, custom);
  const twoVersions = random.chance(0.4);
  const sequence = new Sequence();
  const steps: Step[] = [];
  const configs = new Map<string, KubeObject>();
  const count = 3 + random.below(7);
  for (let i = 0; i < count; i++) {
    const flips = i > 1 && random.chance(0.05);
    if (flips) {
      spec = flipped(random, spec);
      versions = versionsOf(random, spec, status, custom);
    }
    const version = twoVersions && random.chance(0.4) ? 'v2' : hub;
    const properties = versions[version]!.schema.properties!;
    const live = sequence.in(version);
    const isApply = random.chance(0.6);
    const repeats = !isApply && random.chance(0.2);
    const content: JsonObject = {};
    const manager = random.pick(managers);
    const last = isApply ? configs.get(`${version}/${manager}`) : live;
    const next = (schema: JsonSchema, old: JsonValue | undefined) => {
      if (old !== undefined && random.chance(0.1)) return old;
      return isApply && random.chance(0.3) ? valueFor(random, schema, false) : changed(random, old, schema, repeats);
    };
    if (random.chance(0.95)) content.spec = next(properties.spec!, last?.spec as JsonValue);
    if (random.chance(0.4)) content.status = next(properties.status!, last?.status as JsonValue);
    if (random.chance(0.04)) content.spec = broken(random, content.spec ?? {});
    const metadata = metadataOf(random, isApply);
    const kept = live?.metadata ?? {};
    const { managedFields: _, ...own } = kept as JsonObject;
    const entries = random.chance(0.02) ? updaters(i) : entriesIn(random, live);
    const object = isApply
      ? objectOf(version, content, metadata)
      : objectOf(version, content, {
          ...(random.chance(0.7) && own),
          uid: live?.metadata.uid,
          ...metadata,
          ...entries,
        });
    if (!isApply && random.chance(0.15)) {
      const config = JSON.stringify(objectOf(random.chance(0.9) ? version : 'v2', content));
      object.metadata.annotations = { ...object.metadata.annotations, [annotation]: config };
    }
    const step: Step = {
      operation: isApply ? 'apply' : 'update',
      version,
      subresource: random.chance(0.15) ? 'status' : '',
      manager,
      force: isApply && random.chance(0.4),
      now: `2001-01-01T00:00:${String(i).padStart(2, '0')}Z`,
      object: JSON.parse(JSON.stringify(object)),
      ...((i === 0 || flips) && { versions }),
    };
    steps.push(step);
    if (isApply) configs.set(`${version}/${manager}`, object);
    await sequence.run(step);
  }
  return { custom, steps };
};

const replicaPaths = [undefined, ['spec', 'replicas'], ['spec', 'size', 'n']];

/** Owners of an object and of its scale. */
export const generatedScale = (seed: number): Case => {
  const random = new Random(seed);
  const entries = (apiVersions: readonly string[], fields: readonly JsonObject[]): JsonObject[] =>
    Array.from({ length: random.below(5) }, () => ({
      manager: random.pick(managers),
      operation: random.pick(['Apply', 'Update']),
      apiVersion: random.pick(apiVersions),
      ...(random.chance(0.8) && { time: `2000-01-01T00:00:0${random.below(3)}Z` }),
      fieldsType: 'FieldsV1',
      fieldsV1: random.pick(fields),
      ...(random.chance(0.3) && { subresource: random.pick(['scale', 'status']) }),
    }));
  const of = (version: string) => `it.example.com/${version}`;
  const managedFields = entries(
    [of('v1'), of('v1'), of('v2'), of('v9')],
    [
      { 'f:spec': { 'f:replicas': {} } },
      { 'f:spec': { 'f:replicas': {}, 'f:a': {} } },
      { 'f:spec': { 'f:size': { 'f:n': {} } } },
      { 'f:spec': { 'f:a': {} } },
    ],
  );
  const version = (): Version => {
    const replicas = random.pick(replicaPaths);
    return { schema: { type: 'object' }, ...(replicas && { replicas }) };
  };
  const written = entries(
    ['autoscaling/v1'],
    [{ 'f:spec': { 'f:replicas': {} } }, { 'f:metadata': { 'f:labels': {} } }],
  );
  return {
    custom: true,
    steps: [
      {
        operation: 'scale',
        version: 'v1',
        object: objectOf('v1', {}, { managedFields }),
        entries: written,
        versions: { v1: { ...version(), replicas: ['spec', 'replicas'] }, v2: version() },
      },
    ],
  };
};

/** FieldsV1 in any order, with unusual elements and some that cannot be read. */
export const generatedFields = (seed: number): string => {
  const random = new Random(seed);
  const value = () =>
    random.pick<JsonValue>([
      ...strings,
      0,
      10,
      9,
      1.5,
      1e-7,
      1e21,
      123_456_789_012,
      999_999,
      1_000_000,
      1_234_567.5,
      0.000_1,
      0.000_01,
      true,
      false,
      null,
      'é',
      '\ue000',
      '😀',
      '\u0007',
    ]);
  const element = (): string => {
    switch (random.below(random.chance(0.02) ? 9 : 6)) {
      case 0:
      case 1:
        return `f:${random.pick([...names, ...strings, '10', '9', '\ue000', '😀'])}`;
      case 2:
        return `v:${JSON.stringify(value())}`;
      case 3:
        return `k:${JSON.stringify(Object.fromEntries([...names, '10', '9'].filter(() => random.chance(0.3)).map((name) => [name, value()])))}`;
      case 4:
        return `i:${random.below(20)}`;
      case 5:
        return random.chance(0.5) ? '.' : 'x:later';
      default:
        return random.pick(['q', '', 'ab', 'v:', 'v:{', 'k:1', 'i:x', 'v:1 2', 'k:{} ']);
    }
  };
  const fields = (depth: number): JsonValue => {
    if (random.chance(0.01)) return random.pick<JsonValue>([1, 'x', true, [], null]);
    if (depth === 0) return {};
    return Object.fromEntries(Array.from({ length: random.below(6) }, () => [element(), fields(depth - 1)]));
  };
  return JSON.stringify(fields(3));
};
