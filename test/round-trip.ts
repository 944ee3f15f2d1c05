/** The properties of every conversion between two versions of a kind, for the tests of the kinds. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { KindDefinition, KindVersion } from '../machinery/api/kind.ts';
import type { JsonObject, JsonValue, KubeObject } from '../machinery/api/object.ts';
import { type ArbitraryOptions, objectOf } from './arbitrary.ts';
import { tries } from './seeds.ts';

const conversionData = 'cluster.x-k8s.io/conversion-data';

const duration = fc
  .nat(1_000_000)
  .map((s) =>
    s >= 3600
      ? `${Math.floor(s / 3600)}h${Math.floor(s / 60) % 60}m${s % 60}s`
      : s >= 60
        ? `${Math.floor(s / 60)}m${s % 60}s`
        : `${s}s`,
  );
const word = fc.stringMatching(/^[a-z]([-a-z0-9]*[a-z0-9])?$/, { maxLength: 12 });
const objectReference = fc.record({
  apiVersion: fc.constantFrom('infrastructure.cluster.x-k8s.io/v1beta2', 'bootstrap.cluster.x-k8s.io/v1beta2'),
  kind: fc.constantFrom('AWSMachineTemplate', 'KubeadmConfigTemplate'),
  name: word,
  namespace: fc.constant('default'),
});

/** A list may repeat an argument; the map of the older version cannot. */
const extraArgs = fc.uniqueArray(fc.record({ name: word, value: word }), {
  minLength: 1,
  maxLength: 3,
  selector: ({ name }) => name,
});

/** Values with one notation in both versions, so that only a missing field can be lost. */
const canonical: ArbitraryOptions = {
  at: (path, schema) => {
    if (
      /(^|\.)(timeout|nodeStartupTimeout|node\w+Timeout|ttl|\w+Period|timeoutForControlPlane)$/.test(path) &&
      schema.type === 'string'
    )
      return duration;
    if (schema.properties?.fieldPath && schema.properties.resourceVersion && schema.properties.uid)
      return objectReference;
    if (/extraArgs$/i.test(path) && schema.type === 'array') return extraArgs;
    return undefined;
  },
};

export interface RoundTrip {
  /** Paths that only the storage version has, such as spec.rules[].note. */
  newerOnly?: string[];
  /** Paths that only the older version has. */
  olderOnly?: string[];
  version?: string;
  at?: ArbitraryOptions['at'];
  runs?: number;
}

export const roundTrips = (
  kind: KindDefinition,
  { newerOnly = [], olderOnly = [], version = 'v1beta1', at, runs = 40 }: RoundTrip,
): void => {
  const older = kind.versions.find((v) => v.name === version) as Required<KindVersion>;
  const newer = kind.versions.find((v) => v.storage)!;
  const options: ArbitraryOptions = { at: (path, schema) => at?.(path, schema) ?? canonical.at!(path, schema) };
  const check = (of: fc.Arbitrary<KubeObject>, property: (object: KubeObject) => void) =>
    fc.assert(fc.property(of, property), { numRuns: tries(runs) });

  it('storage version → older → storage version restores the object', () =>
    check(objectOf(kind, newer), (object) => {
      expect(older.toStorage(older.fromStorage(object))).toEqual(object);
    }));
  it('older → storage version → older restores the object', () =>
    check(objectOf(kind, older), (object) => {
      expect(older.fromStorage(older.toStorage(object))).toEqual(object);
    }));
  it('without the annotation, common fields survive storage version → older → storage version', () =>
    check(objectOf(kind, newer, options), (object) => {
      const back = older.toStorage(withoutData(older.fromStorage(object)));
      expect(meaning(without(withoutData(back), newerOnly))).toEqual(meaning(without(object, newerOnly)));
    }));
  it('without the annotation, common fields survive older → storage version → older', () =>
    check(objectOf(kind, older, options), (object) => {
      const back = older.fromStorage(withoutData(older.toStorage(object)));
      expect(meaning(without(withoutData(back), olderOnly))).toEqual(meaning(without(object, olderOnly)));
    }));
};

const withoutData = (object: KubeObject): KubeObject => {
  const { [conversionData]: _, ...annotations } = object.metadata.annotations ?? {};
  const { annotations: __, ...metadata } = object.metadata;
  return { ...object, metadata: { ...metadata, ...(Object.keys(annotations).length > 0 && { annotations }) } };
};

const without = (object: KubeObject, paths: string[]): KubeObject =>
  paths.reduce((result, path) => drop(result as JsonObject, path.split('.')) as KubeObject, object);
const drop = (value: JsonValue | undefined, path: string[]): JsonValue | undefined => {
  const [step, ...rest] = path;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const field = step!.replace('[]', '');
  const { [field]: child, ...others } = value;
  if (rest.length === 0 || child === undefined) return others;
  const dropped = step!.endsWith('[]') ? (child as JsonValue[]).map((one) => drop(one, rest)) : drop(child, rest);
  return { ...others, [field]: dropped as JsonValue };
};

/** Empty objects, lists and strings mean nothing in these kinds, nor does the order of named items. */
const meaning = (value: unknown): unknown => {
  if (Array.isArray(value)) {
    const named = value.toSorted((a, b) => (a?.name < b?.name ? -1 : a?.name > b?.name ? 1 : 0));
    return value.length > 0 ? named.map((one) => meaning(one)) : undefined;
  }
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value)
    .map(([field, content]) => [field, meaning(content)] as const)
    .filter(([, content]) => content !== undefined && content !== '' && content !== 0);
  return fields.length > 0 ? Object.fromEntries(fields) : undefined;
};
