/** `capstan convert` against the conversions of Cluster API and its AWS provider. */
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { convert } from '../../cli/convert/convert.ts';
import { kinds } from '../../kinds/index.ts';
import type { KindVersion } from '../../machinery/api/kind.ts';
import type { JsonObject } from '../../machinery/api/object.ts';
import { documentValue, yamlDocuments } from '../../machinery/api/yaml.ts';
import { type ArbitraryOptions, objectOf } from '../arbitrary.ts';
import { program, upstream } from './upstream.ts';

const own = async (object: object) => {
  const { texts } = await convert([{ name: 'in.yaml', text: JSON.stringify(object) }]);
  return documentValue(yamlDocuments(texts[0]!)[0]!) as object;
};

/** Empty objects, lists and strings mean nothing in these kinds, nor does the status of a manifest. */
const meaning = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.length > 0 ? value.map(meaning) : undefined;
  if (typeof value !== 'object' || value === null) return value === null || value === '' ? undefined : value;
  const fields = Object.entries(value)
    .map(([field, content]) => [field, meaning(content)] as const)
    .filter(([, content]) => content !== undefined);
  return fields.length > 0 ? Object.fromEntries(fields) : undefined;
};
const specOf = (object: object) => meaning((object as { spec?: unknown }).spec);

const zeros = new Set<unknown>([false, 0, '0']);
/** Go writes the zero values of fields that are not given. */
const withoutZeros = (value: unknown, given: unknown): unknown => {
  if (Array.isArray(value))
    return value.map((one, i) => withoutZeros(one, Array.isArray(given) ? given[i] : undefined));
  if (typeof value !== 'object' || value === null) return value;
  const other = (given ?? {}) as Record<string, unknown>;
  const fields = Object.entries(value)
    .filter(([field, content]) => !(zeros.has(content) && other[field] === undefined))
    .map(([field, content]) => [field, withoutZeros(content, other[field])]);
  return meaning(Object.fromEntries(fields));
};

const duration = fc.nat(100_000).map((seconds) => `${seconds}s`);
const word = fc.stringMatching(/^[a-z]([-a-z0-9]*[a-z0-9])?$/, { maxLength: 12 });
const reference = fc.record({
  apiVersion: fc.constantFrom('infrastructure.cluster.x-k8s.io/v1beta2', 'bootstrap.cluster.x-k8s.io/v1beta2'),
  kind: fc.constantFrom('AWSMachineTemplate', 'KubeadmConfigTemplate'),
  name: word,
});

/** What upstream has in one form only, so that the comparison is one of places. */
const at: ArbitraryOptions['at'] = (path, schema) => {
  if (/(^|\.)(timeout|nodeStartupTimeout|node\w+Timeout|ttl|\w+Period|timeoutForControlPlane)$/.test(path))
    return duration;
  if (schema.properties?.fieldPath && schema.properties.resourceVersion) return reference;
  if (/\.token$/.test(path)) return fc.constant('abcdef.0123456789abcdef');
  if (/(sizeLimit|divisor)$/i.test(path)) return fc.constant('1Gi');
  if (/diskLayout$/.test(path)) return fc.constant([]);
  // Fields beside this one, where it is true, are refused and so dropped.
  if (/insecureSkipSecretsManager$/.test(path)) return fc.constant(false);
  // Numbers of Go's own types, times and text that YAML can carry.
  if (schema.format === 'date-time') return fc.constant('2030-01-01T00:00:00Z');
  if (schema['x-kubernetes-int-or-string']) return fc.constantFrom(1, '25%');
  if (schema.type === 'string' && !schema.enum && !schema.format && !schema.pattern)
    return word.filter((text) => text.length >= (schema.minLength ?? 0) && text.length > 0);
  return undefined;
};

beforeAll(() => void program());

const generated = (name: string, schema: 'v1beta1' | 'v1beta2', version: string): JsonObject[] => {
  const kind = kinds.find((one) => one.kind === name && one.custom)!;
  const of = kind.versions.find((one) => one.name === schema) as KindVersion;
  return fc
    .sample(objectOf(kind, of, { at }), { numRuns: 60, seed: 48 })
    .map(({ status: _, ...one }) => ({ ...one, apiVersion: `${kind.group}/${version}` }) as unknown as JsonObject);
};

/** Upstream drops what its version does not have, so the other may have more. */
const compare = async (objects: readonly JsonObject[]) => {
  const expected = upstream(objects);
  for (const [i, object] of objects.entries()) {
    const text = JSON.stringify(object);
    expect(expected[i]!.error, text).toBeUndefined();
    const spec = specOf(await own(object)) ?? {};
    expect(spec, text).toMatchObject((withoutZeros(specOf(expected[i]!), spec) ?? {}) as object);
  }
};

/** v1alpha3 has these fields of a control plane elsewhere. */
const asV1alpha3 = (object: JsonObject): JsonObject => {
  const { machineTemplate, rolloutAfter, ...spec } = (object.spec ?? {}) as Record<string, JsonObject>;
  const { infrastructureRef, nodeDrainTimeout } = machineTemplate ?? {};
  return {
    ...object,
    spec: {
      ...spec,
      ...(infrastructureRef && { infrastructureTemplate: infrastructureRef }),
      ...(nodeDrainTimeout && { nodeDrainTimeout }),
      ...(rolloutAfter && { upgradeAfter: rolloutAfter }),
    },
  };
};

const machines = ['Cluster', 'Machine', 'MachineSet', 'MachineDeployment', 'MachineHealthCheck'];
const kubeadm = ['KubeadmConfig', 'KubeadmConfigTemplate', 'KubeadmControlPlane'];

describe.each([
  'v1beta1',
  'v1alpha4',
  'v1alpha3',
])('generated objects of %s become what upstream makes of them', (version) => {
  it.each([...machines, ...kubeadm])('%s', async (name) => {
    const objects = generated(name, 'v1beta1', version);
    const isOld = version === 'v1alpha3' && name === 'KubeadmControlPlane';
    await compare(isOld ? objects.map(asV1alpha3) : objects);
  });
});

describe('generated objects of v1beta1 of the AWS provider become what upstream makes of them', () => {
  it.each(['AWSCluster', 'AWSMachine', 'AWSMachineTemplate'])('%s', (name) =>
    compare(generated(name, 'v1beta2', 'v1beta1')));
});
