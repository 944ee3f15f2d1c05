/** Add-ons from registries: charts that follow their cluster, and what is reported when a source fails. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Sourced, SourceFault, SourcesReads } from '../../kinds/ports/sources.ts';
import type { KubeObject } from '../../machinery/api/object.ts';
import { explained } from './faults-to-explain.ts';
import { settledMoment } from './moments.ts';
import { createWorld, type World } from './world.ts';

const cluster = 'quickstart';
const digest = (of: string) => `sha256:${of.repeat(64).slice(0, 64)}`;

/** What registries hold, as the port answers. A chart's text is made from its values and its cluster. */
const held = new Map<string, string | ((chart: SourcesReads['Chart'][0]) => string)>();
let fault: { failed: SourceFault; message: string } | undefined;
const asked: string[] = [];
const sources = {
  read: async (operation: string, input: unknown): Promise<Sourced> => {
    const { digest: of, ...chart } = input as SourcesReads['Chart'][0];
    asked.push(operation);
    if (fault) return fault;
    const text = held.get(of)!;
    return { text: typeof text === 'string' ? text : text({ digest: of, ...chart }) };
  },
};

let world: World;
beforeAll(async () => {
  world = await createWorld({ from: await settledMoment('quickstart.yaml'), seed: 2, ports: { sources } });
}, 60_000);
afterAll(() => {
  expect(world.errors).toEqual([]);
  world.end();
});

const configMap = (name: string, data: object, more = '') =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}${more}}\ndata: ${JSON.stringify(data)}\n---\n`;
const chart = (more: object = {}) => ({
  repoURL: 'oci://registry.example/charts',
  chartName: 'shop',
  version: '1.0.0',
  digest: digest('a'),
  namespace: 'shop',
  values: { cluster: '${CLUSTER}' },
  ...more,
});
const addon = (spec: object): KubeObject => ({
  apiVersion: 'capstan.dev/v1alpha1',
  kind: 'Addon',
  metadata: { namespace: 'default', name: 'shop' },
  spec: { clusterName: cluster, substitutions: [{ name: 'CLUSTER', fromCluster: '.metadata.name' }], ...spec },
});
const inCluster = async (resource: string, name: string): Promise<KubeObject | undefined> =>
  ((await world.wait(world.system.guests.clusters.all()[0]!.list(resource))) as KubeObject[]).find(
    ({ metadata }) => metadata.name === name,
  );
const isReady = () => world.condition('Addon', 'shop', 'Ready')?.reason === 'Healthy';
const applied = () => world.condition('Addon', 'shop', 'Applied');

describe('an add-on from registries', () => {
  it('is refused without digests', async () => {
    const { digest: _, ...unpinned } = chart();
    for (const spec of [{}, { charts: [unpinned] }, { manifests: [{ url: 'https://example.com/a.yaml' }] }])
      await expect(world.apply(addon(spec))).rejects.toThrow(/"code":422/);
  });

  it('installs a chart in its namespace, with values of the cluster, and files', async () => {
    held.set(
      digest('a'),
      ({ values, kubernetesVersion, releaseName }) =>
        configMap('settings', { ...values, kubernetesVersion, releaseName }) +
        configMap('later', {}, ', annotations: {helm.sh/hook: post-delete}') +
        configMap('first', {}, ', annotations: {helm.sh/hook: "pre-install,pre-upgrade"}'),
    );
    held.set(digest('b'), configMap('file', { of: '${CLUSTER}' }));
    const file = { url: 'https://example.com/file.yaml', digest: digest('b') };
    await world.apply(addon({ charts: [chart()], manifests: [file] }));
    await world.until('ready', isReady, 5);
    expect(await inCluster('configmaps', 'settings')).toMatchObject({
      metadata: { namespace: 'shop' },
      data: { cluster, kubernetesVersion: 'v1.35.0', releaseName: 'shop' },
    });
    expect(await inCluster('configmaps', 'file')).toMatchObject({
      metadata: { namespace: 'default' },
      data: { of: cluster },
    });
    expect([await inCluster('configmaps', 'later'), await inCluster('configmaps', 'first')]).toMatchObject([
      undefined,
      {},
    ]);
    expect(world.find('Addon', 'shop')?.status?.inventory).toContainEqual({
      apiVersion: 'v1',
      kind: 'Namespace',
      name: 'shop',
    });
  });

  it('asks for nothing while nothing changes', async () => {
    asked.length = 0;
    await world.patch('Cluster', cluster, { metadata: { labels: { changed: 'true' } } });
    await world.pass(30);
    expect([asked, isReady()]).toEqual([[], true]);
  });

  it.each([
    { failed: 'SourceUnavailable', message: 'chart x: registry.example: no answer', remedy: /Make the host answer/ },
    {
      failed: 'SourceNotFound',
      message: 'chart x: registry.example answers with the status 404',
      remedy: /publish it/,
    },
    { failed: 'SourceTooLarge', message: 'chart x is larger than 5120 KiB', remedy: /Divide it/ },
    { failed: 'DigestMismatch', message: 'chart x has the digest y, not z', remedy: /what you reviewed/ },
    { failed: 'HelmNotFound', message: 'chart x: no helm', remedy: /helmLayer/ },
  ] as const)('keeps what is installed while its source is $failed, and says what to do', async ({
    failed,
    message,
    remedy,
  }) => {
    fault = { failed, message };
    await world.patch('Addon', 'shop', { spec: { charts: [chart({ values: { color: failed } })] } });
    await world.until('reported', () => applied()?.reason === failed, 5);
    expect(applied()?.message).toBe(message);
    expect(explained(world).find(({ kind }) => kind === 'Addon')).toMatchObject({
      message: expect.stringContaining(message),
      advice: expect.stringMatching(remedy),
    });
    expect((await inCluster('configmaps', 'settings'))?.data).not.toHaveProperty('color', failed);
    fault = undefined;
    await world.until('ready', isReady, 15);
    expect((await inCluster('configmaps', 'settings'))?.data).toMatchObject({ color: failed });
  });

  it('is rendered again for another version of its cluster', async () => {
    await world.patch('KubeadmControlPlane', `${cluster}-control-plane`, { spec: { version: 'v1.36.0' } });
    const version = async () =>
      ((await inCluster('configmaps', 'settings'))?.data as Record<string, string>)?.kubernetesVersion;
    const versions = () => world.find('Cluster', cluster)?.status?.controlPlane?.versions?.map((one) => one.version);
    await world.until('upgraded', () => versions()?.join() === 'v1.36.0', 90);
    await world.pass(2);
    expect(await version()).toBe('v1.36.0');
  });

  it('is uninstalled, but for its namespace', async () => {
    await world.remove('Addon', 'shop');
    await world.until('gone', () => world.find('Addon', 'shop') === undefined, 5);
    expect([await inCluster('configmaps', 'settings'), await inCluster('namespaces', 'shop')]).toMatchObject([
      undefined,
      {},
    ]);
  });
});
