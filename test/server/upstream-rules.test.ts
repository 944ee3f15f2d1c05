/**
 * Every rule by which the webhooks and schemas of Cluster API 1.14 and its AWS provider 2.11 reject an object of a
 * served kind, tried on a server: it must be rejected here, too, or listed as a deviation with its reason.
 */
import { beforeEach, describe, expect, it } from 'vitest';
import { kinds } from '../../kinds/index.ts';
import { type KindDefinition, resourceOf, storageVersion } from '../../machinery/api/kind.ts';
import { mergePatch } from '../../machinery/api/merge.ts';
import type { JsonValue, KubeObject } from '../../machinery/api/object.ts';
import type { JsonSchema } from '../../machinery/api/schema.ts';
import { applyDefaults } from '../../machinery/server/structural/default.ts';
import { type Client, clientOf } from './client.ts';
import { addonRules } from './upstream-rules/addons.ts';
import { newClusterRules } from './upstream-rules/aws-cluster.ts';
import { awsClusterAccepted, awsClusterRules } from './upstream-rules/aws-cluster-changes.ts';
import { awsMachineAccepted, awsMachineRules } from './upstream-rules/aws-machine.ts';
import { awsMachinePoolAccepted, awsMachinePoolRules } from './upstream-rules/aws-machine-pool.ts';
import { clusterAccepted, clusterRules } from './upstream-rules/cluster.ts';
import { classRules } from './upstream-rules/cluster-class.ts';
import { eksRules } from './upstream-rules/eks.ts';
import { extensionRules } from './upstream-rules/extensions.ts';
import { healthRules } from './upstream-rules/health.ts';
import { ipamRules } from './upstream-rules/ipam.ts';
import { configRules } from './upstream-rules/kubeadm-config.ts';
import { controlPlaneAccepted, controlPlaneRules } from './upstream-rules/kubeadm-control-plane.ts';
import { capiMachineAccepted, capiMachineRules } from './upstream-rules/machines.ts';
import { type UpstreamRule, validKinds, validObject } from './upstream-rules/rule.ts';
import { createTestServer } from './world.ts';

type Server = Awaited<ReturnType<typeof createTestServer>>;
let world: Server;
let client: Client;
beforeEach(async () => {
  world = await createTestServer(undefined, { kinds });
  client = clientOf(world.server);
});

const kindOf = (name: string): KindDefinition => kinds.find(({ kind, custom }) => custom && kind === name)!;
const pathOf = ({ kind, version: asked }: { kind: string; version?: string | undefined }): string => {
  const definition = kindOf(kind);
  const { group, plural, namespaced } = definition;
  const version = asked ?? storageVersion(definition).name;
  return `/apis/${group}/${version}/${namespaced ? 'namespaces/default/' : ''}${plural}`;
};
const patched = (object: KubeObject, patch: object): KubeObject =>
  mergePatch(object as unknown as JsonValue, patch as JsonValue) as unknown as KubeObject;

/** Stores an object with its defaults, as a server with fewer rules may have left it. */
const keep = async (object: KubeObject): Promise<string> => {
  const kind = kindOf(object.kind!);
  const { name } = object.metadata;
  const key = { namespace: kind.namespaced ? 'default' : '', name };
  const metadata = {
    ...object.metadata,
    ...(kind.namespaced && { namespace: 'default' }),
    uid: `${kind.kind}-${name}`,
    generation: 1,
    creationTimestamp: '2026-01-01T00:00:00Z',
  };
  const stored = structuredClone({ ...object, metadata });
  applyDefaults(stored, storageVersion(kind).schema);
  const user = { username: 'tester', groups: [] };
  const whole = kind.default?.(stored, { operation: 'create', user, dryRun: false }) ?? stored;
  await world.store.commit(resourceOf(kind), key, () => ({ do: 'put', object: whole }), { retry: true });
  return `${pathOf({ kind: kind.kind })}/${name}`;
};

const attempt = async ({ kind, version, stored, with: change }: Omit<UpstreamRule, 'says' | 'refuses'>) => {
  const object = validObject(kind, version);
  if (stored === undefined) return client.post(`${pathOf({ kind, version })}?dryRun=All`, patched(object, change));
  const place = await keep(patched(object, stored));
  return client.patch(`${place}?dryRun=All`, 'merge', change);
};

const rules = [
  ...clusterRules,
  ...classRules,
  ...capiMachineRules,
  ...addonRules,
  ...extensionRules,
  ...healthRules,
  ...configRules,
  ...controlPlaneRules,
  ...newClusterRules,
  ...awsClusterRules,
  ...awsMachineRules,
  ...awsMachinePoolRules,
  ...eksRules,
  ...ipamRules,
];
const accepted = [
  ...clusterAccepted,
  ...capiMachineAccepted,
  ...controlPlaneAccepted,
  ...awsClusterAccepted,
  ...awsMachineAccepted,
  ...awsMachinePoolAccepted,
];
const titled = <T extends UpstreamRule | (typeof accepted)[number]>(rule: T) => ({
  title: `${rule.kind}${rule.stored ? ', later' : ''}: ${rule.refuses}`,
  rule,
});

it.each(validKinds)('a valid %s is accepted', async (kind) => {
  const answer = await attempt({ kind, with: {} });
  expect({ message: answer.body.message, status: answer.status }).toEqual({ message: undefined, status: 201 });
});

it('every served kind of Cluster API is covered', () => {
  const served = kinds.filter(
    ({ custom, group, served: isServed }) => custom && isServed !== false && group !== 'capstan.dev',
  );
  expect(served.map(({ kind }) => kind).sort()).toEqual([...validKinds].sort());
  expect([...new Set(rules.map(({ kind }) => kind))].sort()).toEqual([...validKinds].sort());
});

it.each(rules.map(titled))('refuses $title', async ({ rule }) => {
  const { body, status } = await attempt(rule);
  expect(body.message).toContain(rule.says);
  expect(status).toBe(rule.code ?? 422);
});

it.each(accepted.map(titled))('accepts $title', async ({ rule }) => {
  const { body, status } = await attempt(rule);
  expect({ message: body.message, status }).toEqual({ message: undefined, status: rule.stored ? 200 : 201 });
});

/** An object under a name that breaks the rule cannot be addressed. */
const isStorable = ({ version, stored, with: change }: UpstreamRule) =>
  stored === undefined && version === undefined && !('name' in ((change as KubeObject).metadata ?? {}));

describe('a stored object that breaks a newer rule', () => {
  it.each(rules.filter(isStorable).map(titled))('accepts changes to its metadata: $title', async ({ rule }) => {
    const place = await keep(patched(validObject(rule.kind), rule.with));
    const answer = await client.patch(`${place}?dryRun=All`, 'merge', { metadata: { labels: { of: 'somebody' } } });
    expect({ message: answer.body.message, status: answer.status }).toEqual({ message: undefined, status: 200 });
  });
});

const rulesIn = (schema: JsonSchema, path: string): { path: string; message: string | undefined }[] => [
  ...(schema['x-kubernetes-validations'] ?? []).map(({ message, messageExpression }) => ({
    path,
    message: messageExpression ?? message,
  })),
  ...Object.entries(schema.properties ?? {}).flatMap(([name, child]) => rulesIn(child, `${path}.${name}`)),
  ...(schema.items ? rulesIn(schema.items, `${path}[]`) : []),
  ...(typeof schema.additionalProperties === 'object' ? rulesIn(schema.additionalProperties, `${path}{}`) : []),
];
it('every rule of a published schema has a message', () => {
  const all = kinds.flatMap(({ kind, versions }) =>
    versions.flatMap(({ name, schema }) => rulesIn(schema, `${kind} ${name} `)),
  );
  expect(all.length).toBeGreaterThan(30);
  expect(all.filter(({ message }) => !message)).toEqual([]);
});

describe('KubeadmControlPlane/scale', () => {
  it.each([
    { replicas: 0, says: 'cannot be less than or equal to 0' },
    { replicas: 2, says: 'cannot be an even number when etcd is stacked' },
  ])('rejects $replicas replicas', async ({ replicas, says }) => {
    const place = await keep(validObject('KubeadmControlPlane'));
    const { body, status } = await client.patch(`${place}/scale`, 'merge', { spec: { replicas } });
    expect(body.message).toContain(says);
    expect(status).toBe(422);
  });
});
