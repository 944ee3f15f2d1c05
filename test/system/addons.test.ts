/** Add-ons are installed in their cluster, follow their manifests, report their health, and go. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../machinery/api/object.ts';
import { yamlDocuments } from '../../machinery/api/yaml.ts';
import { explained } from './faults-to-explain.ts';
import { settledMoment } from './moments.ts';
import { createWorld, type World } from './world.ts';

const cluster = 'quickstart';
let world: World;
beforeAll(async () => {
  world = await createWorld({ from: await settledMoment('quickstart.yaml'), seed: 2 });
}, 60_000);
afterAll(() => {
  expect(world.errors).toEqual([]);
  world.end();
});

const configMap = (name: string, ...documents: string[]): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: 'default', name },
  data: { 'manifests.yaml': documents.join('---\n') },
});
const settings = (name: string, value: string) =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}, namespace: kube-system}\ndata: {value: "${value}"}\n`;
const deployment = (image: string) =>
  `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: default}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: "${image}"}]}
`;
const addon = (name: string, spec: Record<string, unknown> = {}): KubeObject => ({
  apiVersion: 'capstan.dev/v1alpha1',
  kind: 'Addon',
  metadata: { namespace: 'default', name },
  spec: { clusterName: cluster, manifests: [{ kind: 'ConfigMap', name }], ...spec },
});
const inCluster = async (resource: string, name: string): Promise<KubeObject | undefined> =>
  ((await world.wait(world.system.guests.clusters.all()[0]!.list(resource))) as KubeObject[]).find(
    ({ metadata }) => metadata.name === name,
  );
const storedValue = async (name: string) =>
  ((await inCluster('configmaps', name))?.data as { value?: string } | undefined)?.value;
const reasonOf = (name: string, type = 'Ready') => world.condition('Addon', name, type)?.reason;

describe('an add-on', () => {
  it('is installed with the values of its cluster, and Ready when its workloads run', async () => {
    const text = settings('shop', '${CLUSTER} ${PODS} ${OTHER}');
    await world.apply(configMap('shop', text, settings('old', 'x'), deployment('nginx:1')));
    const substitutions = [
      { name: 'CLUSTER', fromCluster: '.metadata.name' },
      { name: 'PODS', fromCluster: '.spec.clusterNetwork.pods.cidrBlocks[0]' },
    ];
    await world.apply(addon('shop', { substitutions }));
    await world.until('ready', () => reasonOf('shop') === 'Healthy', 5);
    expect(await storedValue('shop')).toBe('quickstart 192.168.0.0/16 ${OTHER}');
    expect(await inCluster('deployments.apps', 'web')).toMatchObject({ status: { availableReplicas: 2 } });
    expect(world.find('Addon', 'shop')?.status?.inventory).toHaveLength(3);
    expect(world.find('Addon', 'shop')?.metadata.ownerReferences).toMatchObject([{ kind: 'Cluster', name: cluster }]);
  });

  it('of the documentation is installed', async () => {
    const page = readFileSync(join(import.meta.dirname, '../../docs/add-ons.md'), 'utf8');
    const text = /```yaml\n([\s\S]*?)```/.exec(page)![1]!;
    for (const document of yamlDocuments(text)) {
      const object = document.toJS() as KubeObject;
      await world.apply({ ...object, metadata: { ...object.metadata, namespace: 'default' } });
    }
    await world.until('ready', () => reasonOf('storage') === 'Healthy', 5);
    expect(await inCluster('storageclasses.storage.k8s.io', 'quickstart-gp3')).toBeDefined();
  });

  it('follows its manifests, and prunes what they no longer have', async () => {
    await world.patch('ConfigMap', 'shop', { data: { 'manifests.yaml': settings('shop', 'second') } });
    await world.until('applied', () => world.find('Addon', 'shop')?.status?.inventory?.length === 1, 5);
    await world.until('ready', () => reasonOf('shop') === 'Healthy', 5);
    expect([await storedValue('shop'), await storedValue('old')]).toEqual(['second', undefined]);
    await world.pass(1);
    expect(await inCluster('deployments.apps', 'web')).toBeUndefined();
  });

  it('says what its cluster refuses, and keeps what is installed', async () => {
    const refused = 'apiVersion: v1\nkind: Service\nmetadata: {name: web, namespace: nowhere}\nspec: {}\n';
    const text = `${settings('shop', 'third')}---\n${refused}`;
    await world.patch('ConfigMap', 'shop', { data: { 'manifests.yaml': text } });
    await world.until('refused', () => reasonOf('shop') === 'ApplyFailed', 5);
    await world.patch('ConfigMap', 'shop', { data: { 'manifests.yaml': settings('shop', 'fourth') } });
    await world.until('ready', () => reasonOf('shop') === 'Healthy', 20);
    expect(await storedValue('shop')).toBe('fourth');
  });

  it('refuses what a ClusterResourceSet applies, and names it', async () => {
    const owned =
      'apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: cloud-controller-manager, namespace: kube-system}\n';
    await world.apply(configMap('ccm', owned));
    await world.apply(addon('ccm'));
    await world.until('refused', () => reasonOf('ccm') === 'OwnedByClusterResourceSet', 5);
    expect(world.condition('Addon', 'ccm', 'Applied')?.message).toBe(
      'ClusterResourceSet cloud-controller-manager applies ServiceAccount kube-system/cloud-controller-manager, too: leave it to one of them',
    );
    await world.remove('Addon', 'ccm');
    await world.until('gone', () => world.find('Addon', 'ccm') === undefined, 5);
    expect(await inCluster('serviceaccounts', 'cloud-controller-manager')).toBeDefined();
  });

  it('reports manifests that are absent, and workloads that stay unhealthy', async () => {
    await world.apply(addon('later', { healthTimeoutSeconds: 60 }));
    await world.until('reported', () => reasonOf('later') === 'ManifestsInvalid', 5);
    expect(world.condition('Addon', 'later', 'Ready')?.message).toBe('ConfigMap later: not found');
    const unschedulable = deployment('nginx:1').replace('containers:', 'nodeSelector: {none: such}, containers:');
    await world.apply(configMap('later', unschedulable));
    await world.until('late', () => reasonOf('later') === 'HealthTimeout', 10);
    expect(world.condition('Addon', 'later', 'Ready')?.message).toContain('Deployment default/web: 0 of 2 pods');
    expect(explained(world).find(({ name }) => name === 'later')?.commands).toEqual([
      'capstan get kubeconfig quickstart -n default > quickstart.kubeconfig',
      'kubectl --kubeconfig quickstart.kubeconfig describe deployment web -n default',
      'kubectl --kubeconfig quickstart.kubeconfig get events -n default',
    ]);
    await world.apply(configMap('later', deployment('nginx:1')));
    await world.until('healthy', () => reasonOf('later') === 'Healthy', 10);
  });

  it('is uninstalled when it is deleted, and goes with its Cluster', async () => {
    await world.remove('Addon', 'later');
    await world.until('gone', () => world.find('Addon', 'later') === undefined, 5);
    expect(await inCluster('deployments.apps', 'web')).toBeUndefined();
    await world.remove('Cluster', cluster);
    await world.until('all gone', () => world.all('Addon').length === 0 && world.all('Cluster').length === 0, 60);
  });
});
