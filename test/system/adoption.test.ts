/** A cluster whose control plane Machine a user creates, and the control plane that then adopts the Machine. */
import { afterEach, expect, it } from 'vitest';
import type { KubeObject } from '../../machinery/api/object.ts';
import { remains } from './checks.ts';
import { example } from './manifests.ts';
import { createWorld, type World } from './world.ts';

let world: World;
afterEach(() => world.end());

const manifest = example('quickstart.yaml');
const named = (kind: string, name = /./) =>
  manifest.find((object) => object.kind === kind && name.test(object.metadata.name))!;
const [cluster, controlPlane] = [named('Cluster'), named('KubeadmControlPlane')];
const spec = (object: KubeObject) => object.spec as Record<string, never>;
const { version, kubeadmConfigSpec, machineTemplate } = spec(controlPlane) as unknown as {
  version: string;
  kubeadmConfigSpec: object;
  machineTemplate: object;
};
const name = 'quickstart-0';
const part = (apiVersion: string, kind: string, content: unknown): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name, namespace: 'default', labels: { 'cluster.x-k8s.io/control-plane': '' } },
  spec: content,
});
const { controlPlaneRef: _, ...withoutControlPlane } = spec(cluster);
const byHand: KubeObject[] = [
  { ...cluster, spec: withoutControlPlane },
  named('AWSCluster'),
  named('ClusterResourceSet'),
  named('ConfigMap'),
  part(
    'infrastructure.cluster.x-k8s.io/v1beta2',
    'AWSMachine',
    (spec(named('AWSMachineTemplate', /control-plane/)).template as unknown as { spec: object }).spec,
  ),
  part('bootstrap.cluster.x-k8s.io/v1beta2', 'KubeadmConfig', kubeadmConfigSpec),
  part('cluster.x-k8s.io/v1beta2', 'Machine', {
    clusterName: 'quickstart',
    version,
    bootstrap: { configRef: { apiGroup: 'bootstrap.cluster.x-k8s.io', kind: 'KubeadmConfig', name } },
    infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'AWSMachine', name },
  }),
];

const secret = (purpose: string) => world.find('Secret', `quickstart-${purpose}`);
const ownersOf = (object: KubeObject | undefined) =>
  (object?.metadata.ownerReferences ?? []).map(({ kind, controller }) => `${kind}${controller ? ' (controller)' : ''}`);
const isReady = () => world.condition('Machine', name, 'Ready')?.status === 'True';
const purposes = ['ca', 'etcd', 'proxy', 'sa'];

it('gets a kubeconfig without a control plane object, which then adopts its Machine and its Secrets', async () => {
  world = await createWorld();
  for (const object of byHand) await world.apply(object);
  await world.until('its Machine is ready', isReady, 20);
  expect(ownersOf(secret('kubeconfig'))).toEqual(['Cluster']);
  for (const purpose of purposes)
    expect(ownersOf(secret(purpose)).toSorted(), purpose).toEqual(['Cluster', 'KubeadmConfig (controller)']);

  // What a user removes is restored.
  await world.patch('Secret', 'quickstart-ca', { metadata: { ownerReferences: null, labels: null } });
  await world.remove('Secret', 'quickstart-kubeconfig');
  await world.pass(1);
  expect(ownersOf(secret('ca'))).toEqual(['Cluster']);
  expect(secret('ca')?.metadata.labels).toEqual({ 'cluster.x-k8s.io/cluster-name': 'quickstart' });
  expect(ownersOf(secret('kubeconfig'))).toEqual(['Cluster']);

  const machine = world.find('Machine', name)?.metadata.uid;
  await world.apply({ ...controlPlane, spec: { replicas: 1, version, kubeadmConfigSpec, machineTemplate } });
  await world.apply(named('AWSMachineTemplate', /control-plane/));
  await world.apply(cluster);
  const isAvailable = () => world.condition('KubeadmControlPlane', controlPlane.metadata.name, 'Available');
  await world.until('the control plane is available', () => isAvailable()?.status === 'True', 10);
  await world.pass(5);
  expect(world.all('Machine').map(({ metadata }) => metadata.uid)).toEqual([machine]);
  expect(world.calls().RunInstances).toBe(1);
  const controlled = ['Cluster', 'KubeadmControlPlane (controller)'];
  for (const purpose of [...purposes, 'kubeconfig']) expect(ownersOf(secret(purpose)).toSorted()).toEqual(controlled);
  expect(world.condition('Cluster', 'quickstart', 'Available')).toMatchObject({ status: 'True' });

  await world.remove('Cluster', 'quickstart');
  await world.until('nothing is left', () => remains(world).length === 0, 30);
});

it('deletes all of a cluster without a control plane object', async () => {
  world = await createWorld();
  for (const object of byHand) await world.apply(object);
  await world.until('its Machine is ready', isReady, 20);
  await world.remove('Cluster', 'quickstart');
  await world.until('nothing is left', () => remains(world).length === 0, 30);
});
