/** Clusters appear in Argo CD and for Flux while they exist. The cluster under test is its own target. */
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../machinery/api/object.ts';
import { remains } from './checks.ts';
import { example } from './manifests.ts';
import { settledMoment } from './moments.ts';
import { createWorld, type Moment, type World } from './world.ts';

const cluster = 'quickstart';
const secretName = `default.${cluster}`;
let moment: Moment;
let world: World;
beforeAll(async () => {
  moment = await settledMoment('quickstart.yaml');
}, 60_000);
afterEach(() => world.end());

const target = (name: string, spec: object): KubeObject => ({
  apiVersion: 'capstan.dev/v1alpha1',
  kind: 'GitOpsTarget',
  metadata: { namespace: 'default', name },
  spec: {
    kubeconfig: { secretName: `${cluster}-kubeconfig` },
    clusterSelector: { matchLabels: { gitops: 'yes' } },
    ...spec,
  },
});
const make = (object: KubeObject) => world.wait(world.system.guests.clusters.all()[0]!.create(object as never));
const namespaceNamed = (name: string): KubeObject => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
const begin = async (seed: number, ...targets: KubeObject[]) => {
  world = await createWorld({ from: moment, seed });
  for (const name of ['argocd', 'flux-system']) await make(namespaceNamed(name));
  for (const one of targets) await world.apply(one);
};
const label = (gitops: string | null) => world.patch('Cluster', cluster, { metadata: { labels: { gitops } } });
const secretIn = async (namespace: string, name = secretName): Promise<KubeObject | undefined> =>
  ((await world.wait(world.system.guests.clusters.all()[0]!.list('secrets'))) as KubeObject[]).find(
    ({ metadata }) => metadata.namespace === namespace && metadata.name === name,
  );
const textsIn = (secret: KubeObject | undefined): Record<string, string> =>
  Object.fromEntries(
    Object.entries((secret?.data ?? {}) as Record<string, string>).map(([key, value]) => [
      key,
      Buffer.from(value, 'base64').toString(),
    ]),
  );
const ready = (name: string) => world.condition('GitOpsTarget', name, 'Ready');
const isRegistered = (name: string) => () =>
  ready(name)?.status === 'True' && world.find('GitOpsTarget', name)?.status?.clusters?.length === 1;
const kubeconfig = () => textsIn(world.find('Secret', `${cluster}-kubeconfig`)).value!;

describe('a cluster with the label', () => {
  it('appears in Argo CD and for Flux, follows its kubeconfig, and goes with its label', async () => {
    await begin(1, target('argo', { tool: 'ArgoCD', project: 'apps' }), target('flux', { tool: 'Flux' }));
    await world.pass(1);
    expect(ready('argo')).toMatchObject({ status: 'True', reason: 'Registered' });
    await label('yes');
    await world.until('registered', isRegistered('argo'), 5);
    await world.until('registered', isRegistered('flux'), 5);
    const argo = await secretIn('argocd');
    expect(argo?.metadata.labels).toMatchObject({ 'argocd.argoproj.io/secret-type': 'cluster', gitops: 'yes' });
    const { config, ...others } = textsIn(argo);
    expect(others).toEqual({ name: secretName, server: expect.stringMatching(/^https:/), project: 'apps' });
    expect(JSON.parse(config!)).toEqual({
      tlsClientConfig: {
        insecure: false,
        caData: expect.any(String),
        certData: expect.any(String),
        keyData: expect.any(String),
      },
    });
    expect(textsIn(await secretIn('flux-system'))).toEqual({ value: kubeconfig() });

    const before = kubeconfig();
    await world.remove('Secret', `${cluster}-kubeconfig`);
    await world.until('another kubeconfig', () => world.find('Secret', `${cluster}-kubeconfig`) !== undefined, 20);
    expect(kubeconfig()).not.toBe(before);
    await world.pass(2);
    expect(textsIn(await secretIn('flux-system'))).toEqual({ value: kubeconfig() });

    await label(null);
    await world.until('unregistered', () => world.find('GitOpsTarget', 'argo')?.status?.clusters?.length === 0, 5);
    await world.pass(1);
    expect(await secretIn('argocd')).toBeUndefined();
    expect(await secretIn('flux-system')).toBeUndefined();
    expect(world.errors).toEqual([]);
  });

  it('appears in both as the example says', async () => {
    const platform = { apiVersion: 'v1', kind: 'Secret', metadata: { namespace: 'default', name: 'platform' } };
    await begin(6, ...example('gitops.yaml'));
    await world.apply({ ...platform, data: { value: Buffer.from(kubeconfig()).toString('base64') } } as KubeObject);
    await label('yes');
    for (const name of ['argo-cd', 'flux']) await world.until('registered', isRegistered(name), 10);
    expect(await secretIn('argocd')).toBeDefined();
    expect(await secretIn('flux-system')).toBeDefined();
  });

  it('goes with its target, and leaves a Secret of another client alone', async () => {
    await begin(2, target('argo', { tool: 'ArgoCD' }), target('flux', { tool: 'Flux' }));
    const foreign = { apiVersion: 'v1', kind: 'Secret', metadata: { name: secretName, namespace: 'flux-system' } };
    await make(foreign);
    await label('yes');
    await world.until('registered', isRegistered('argo'), 5);
    await world.until('refused', () => ready('flux')?.reason === 'NameTaken', 10);
    for (const name of ['argo', 'flux']) await world.remove('GitOpsTarget', name);
    await world.until('gone', () => world.all('GitOpsTarget').length === 0, 5);
    expect(await secretIn('argocd')).toBeUndefined();
    expect(await secretIn('flux-system')).toMatchObject({ metadata: { name: secretName } });
  });

  it('is registered by one of two targets that mean the same Secret, and goes with that one alone', async () => {
    await begin(4, target('one', { tool: 'Flux' }), target('two', { tool: 'Flux' }));
    await label('yes');
    const isTaken = (name: string) => ready(name)?.reason === 'NameTaken';
    await world.until('one refused', () => isTaken('one') !== isTaken('two'), 10);
    const [loser, winner] = isTaken('one') ? ['one', 'two'] : ['two', 'one'];
    expect(ready(loser)?.message).toContain(`GitOpsTarget default/${winner}`);
    expect(isRegistered(winner)()).toBe(true);
    await world.remove('GitOpsTarget', loser);
    await world.until('gone', () => world.all('GitOpsTarget').length === 1, 5);
    expect(await secretIn('flux-system')).toBeDefined();
    await world.remove('GitOpsTarget', winner);
    await world.until('gone', () => world.all('GitOpsTarget').length === 0, 5);
    expect(await secretIn('flux-system')).toBeUndefined();
  });

  it('waits for the namespace', async () => {
    await begin(5, target('flux', { tool: 'Flux', namespace: 'later' }));
    await label('yes');
    await world.until('reported', () => ready('flux')?.reason === 'NamespaceNotFound', 10);
    expect(ready('flux')?.message).toBe('Namespace later does not exist in the target');
    await make(namespaceNamed('later'));
    await world.until('registered', isRegistered('flux'), 10);
    expect(await secretIn('later')).toBeDefined();
  });

  it('is held by no target that is dead', async () => {
    await begin(3);
    const dead = kubeconfig().replace(/server: .*/, 'server: https://192.0.2.1:6443');
    await world.apply({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace: 'default', name: 'dead' },
      data: { value: Buffer.from(dead).toString('base64') },
    } as KubeObject);
    await world.apply(target('dead', { tool: 'ArgoCD', kubeconfig: { secretName: 'dead' } }));
    await world.apply(target('unknown', { tool: 'Flux', kubeconfig: { secretName: 'absent' } }));
    await label('yes');
    await world.until('reported', () => ready('dead')?.reason === 'TargetUnreachable', 10);
    await world.until('reported', () => ready('unknown')?.reason === 'TargetUnknown', 10);
    expect(ready('unknown')).toMatchObject({ reason: 'TargetUnknown', message: 'Secret absent does not exist' });
    await world.remove('Cluster', cluster);
    await world.until('deleted', () => remains(world).length === 0, 120);
    for (const name of ['dead', 'unknown']) await world.remove('GitOpsTarget', name);
    await world.until('gone', () => world.all('GitOpsTarget').length === 0, 60);
  });
});
