import { afterEach, beforeAll, expect, it } from 'vitest';
import type { KubeObject } from '../../machinery/api/object.ts';
import { expectWhole, isSettled } from './checks.ts';
import { example } from './manifests.ts';
import { settledMoment } from './moments.ts';
import { createWorld, type Kind, type Moment, type World } from './world.ts';

let quickstart: Moment;
let world: World;
beforeAll(async () => {
  quickstart = await settledMoment('quickstart.yaml');
}, 60_000);
afterEach(() => world.end());

const [original] = example('quickstart.yaml').filter(({ kind }) => kind === 'Cluster') as KubeObject<{
  infrastructureRef: object;
  controlPlaneRef: object;
}>[];
/** A Cluster that names a part of the quickstart's. */
const second = (own: object): KubeObject => ({
  ...original!,
  metadata: { name: 'second', namespace: 'default' },
  spec: { ...original!.spec, ...own },
});

it.each<{ part: Kind; name: string; own: object; type: string }>([
  {
    part: 'AWSCluster',
    name: 'quickstart',
    own: { controlPlaneRef: { ...original!.spec!.controlPlaneRef, name: 'second' } },
    type: 'InfrastructureReady',
  },
  {
    part: 'KubeadmControlPlane',
    name: 'quickstart-control-plane',
    own: { infrastructureRef: { ...original!.spec!.infrastructureRef, name: 'second' } },
    type: 'ControlPlaneAvailable',
  },
])('the $part of a cluster is no part of another one, and survives its deletion', async ({ part, name, own, type }) => {
  world = await createWorld({ from: quickstart });
  const { code, body } = await world.apply(second(own));
  expect(code, body.message).toBe(201);
  await world.pass(10);
  expect(world.condition('Cluster', 'second', type)?.message).toContain(
    `${part} ${name} belongs to Cluster quickstart`,
  );
  expect(world.all('ClusterOperation').filter(({ spec }) => spec?.clusterName === 'second')).toEqual([]);
  await world.remove('Cluster', 'second');
  await world.until('gone', () => world.find('Cluster', 'second') === undefined, 10);
  await world.pass(10);
  const { metadata } = world.find(part, name)!;
  expect(metadata.deletionTimestamp).toBeUndefined();
  expect(metadata.ownerReferences?.map((owner) => owner.name)).toEqual(['quickstart']);
  expect(metadata.labels?.['cluster.x-k8s.io/cluster-name']).toBe('quickstart');
  await world.until('settled', () => isSettled(world), 10);
  expectWhole(world);
});

it.each([
  { part: 'AWSMachine', type: 'InfrastructureReady' },
  { part: 'KubeadmConfig', type: 'BootstrapConfigReady' },
] as const)('the $part of a Machine is no part of another one, and survives its deletion', async ({ part, type }) => {
  world = await createWorld({ from: quickstart });
  const owner = world.all('Machine').find(({ metadata }) => metadata.name.startsWith('quickstart-workers'))!;
  const { clusterName, version, infrastructureRef, bootstrap } = owner.spec!;
  const shared = part === 'AWSMachine' ? infrastructureRef! : bootstrap!.configRef!;
  const ref = <T extends { kind: string }>(one: T): T => (one.kind === part ? one : { ...one, name: 'second' });
  const { code, body } = await world.apply({
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'Machine',
    metadata: { name: 'second', namespace: 'default' },
    spec: {
      clusterName,
      version,
      infrastructureRef: ref(infrastructureRef!),
      bootstrap: { configRef: ref(bootstrap!.configRef!) },
    },
  } as KubeObject);
  expect(code, body.message).toBe(201);
  await world.pass(10);
  expect(world.condition('Machine', 'second', type)?.message).toContain(
    `${part} ${shared.name} is controlled by Machine ${owner.metadata.name}`,
  );
  await world.remove('Machine', 'second');
  await world.until('gone', () => world.find('Machine', 'second') === undefined, 10);
  await world.pass(10);
  expect(world.find(part, shared.name)).toBeDefined();
  expect(world.find(part, shared.name)!.metadata.deletionTimestamp).toBeUndefined();
  await world.until('settled', () => isSettled(world), 10);
  expectWhole(world);
});
