import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { createAuthority, issue } from '../../../adapters/pki/index.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Action } from '../../../machinery/api/reconcile.ts';
import { clusterSecret, secretValue } from '../../core/contract/cluster-secrets.ts';
import { adminKubeconfig } from '../../core/contract/kubeconfig.ts';
import { updateCoreDns, updateKubeProxy } from './addons.ts';
import { adopt } from './adoption.ts';
import {
  type ControlPlaneState,
  context,
  controlPlaneOf,
  found,
  now,
  specOf,
  storyOf,
} from './control-plane.fixture.ts';
import type { ControlPlane } from './control-plane.ts';
import { desiredClusterConfiguration, updateKubeadmConfig } from './kubeadm-config-map.ts';
import { ensureKubeconfig, expiryOf, renewalOf } from './kubeconfig-secret.ts';
import { annotations } from './names.ts';
import { reconcile } from './reconcile.ts';
import { settled } from './settled.fixture.ts';

const workload = (kind: string, name: string, image: string): KubeObject => ({
  apiVersion: 'apps/v1',
  kind,
  metadata: { name, namespace: 'kube-system' },
  spec: {
    template: {
      spec: {
        containers: [
          { name, image },
          { name: 'sidecar', image: 'x:1' },
        ],
      },
    },
  },
});
const imageSet = (actions: Action[]): string[] =>
  actions.flatMap((action) => {
    const { patch } =
      (action as { input?: { patch?: { spec?: { template: { spec: { containers: { image: string }[] } } } } } })
        .input ?? {};
    return patch?.spec?.template.spec.containers.map(({ image }) => image) ?? [];
  });
const withLive = (state: Partial<ControlPlaneState>, live: Partial<ControlPlane['live']>): ControlPlane => {
  const controlPlane = controlPlaneOf({ machines: [{ name: 'a' }], ...state });
  return { ...controlPlane, live: { ...controlPlane.live, ...live } };
};
const cluster = (clusterConfiguration: object): ControlPlaneState['spec'] => ({
  kubeadmConfigSpec: { clusterConfiguration },
});

describe('kube-proxy', () => {
  const of = (image: string) => ({ kubeProxy: found(workload('DaemonSet', 'kube-proxy', image)) });
  it.each<{ rule: string; image: string; state?: Partial<ControlPlaneState>; expected: string[] }>([
    {
      rule: 'follows the version',
      image: 'registry.k8s.io/kube-proxy:v1.34.0',
      expected: ['registry.k8s.io/kube-proxy:v1.35.0', 'x:1'],
    },
    { rule: 'is unchanged when it is correct', image: 'registry.k8s.io/kube-proxy:v1.35.0', expected: [] },
    {
      rule: 'follows the image repository',
      image: 'registry.k8s.io/kube-proxy:v1.35.0',
      state: { spec: cluster({ imageRepository: 'mine:5000/k8s' })! },
      expected: ['mine:5000/k8s/kube-proxy:v1.35.0', 'x:1'],
    },
    {
      rule: 'is skipped with the skip annotation',
      image: 'registry.k8s.io/kube-proxy:v1.34.0',
      state: { annotations: { [annotations.skipKubeProxy]: '' } },
      expected: [],
    },
  ])('$rule', ({ image, state = {}, expected }) =>
    expect(imageSet(updateKubeProxy(withLive(state, of(image))))).toEqual(expected));
  it('is updated once all machines are up to date', () => {
    const before = settled(withLive({ replicas: 1 }, of('registry.k8s.io/kube-proxy:v1.34.0')));
    const { actions = [] } = reconcile({ controlPlane: before }, context());
    expect(imageSet(actions)).toEqual(['registry.k8s.io/kube-proxy:v1.35.0', 'x:1']);
  });
  it('may be absent', () => expect(updateKubeProxy(withLive({}, { kubeProxy: { state: 'absent' } }))).toEqual([]));
});

describe('CoreDNS', () => {
  const of = (image: string) => ({
    coreDns: found(workload('Deployment', 'coredns', image)),
    coreDnsConfig: found({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'coredns' },
      data: { Corefile: '.:53 {}' },
    } as KubeObject),
  });
  const image = 'registry.k8s.io/coredns/coredns:v1.12.0';
  it.each<{ rule: string; dns?: object; notes?: Record<string, string>; expected: string[] }>([
    { rule: 'is unchanged without settings', expected: [] },
    {
      rule: 'moves to the requested version after a backup of its config',
      dns: { imageTag: 'v1.12.1' },
      expected: ['patch kubeadm-config', 'patch coredns', 'patch coredns'],
    },
    { rule: 'is never downgraded', dns: { imageTag: 'v1.11.3' }, expected: [] },
    { rule: 'is unchanged when the requested tag is not a version', dns: { imageTag: 'newest' }, expected: [] },
    {
      rule: 'is skipped with the skip annotation',
      dns: { imageTag: 'v1.12.1' },
      notes: { [annotations.skipCoreDns]: '' },
      expected: [],
    },
  ])('$rule', ({ dns, notes, expected }) => {
    const state = { ...(dns && { spec: cluster({ dns })! }), ...(notes && { annotations: notes }) };
    expect(storyOf(updateCoreDns(withLive(state, of(image))))).toEqual(expected);
  });
  it.each([
    { rule: 'of the cluster', configuration: { imageRepository: 'mine:5000/k8s' }, expected: 'mine:5000/k8s/coredns' },
    {
      rule: 'of the DNS settings before that of the cluster',
      configuration: { imageRepository: 'mine:5000/k8s', dns: { imageRepository: 'mine:5000/dns' } },
      expected: 'mine:5000/dns/coredns',
    },
  ])('follows the repository $rule', ({ configuration, expected }) =>
    expect(imageSet(updateCoreDns(withLive({ spec: cluster(configuration)! }, of(image))))).toEqual([
      `${expected}:v1.12.0`,
      'x:1',
    ]));
  it('returns to the subfolder that it has in the default repository', () => {
    const back = withLive(
      { spec: cluster({ imageRepository: 'registry.k8s.io' })! },
      of('mine:5000/k8s/coredns:v1.12.0'),
    );
    expect(imageSet(updateCoreDns(back))).toEqual([image, 'x:1']);
  });
  it.each([
    { from: 'v1.9.3-eks-1-23-9', to: 'v1.9.3-eks-1-23-10', set: true },
    { from: 'v1.9.3', to: 'v1.9.3-eks-1-23-9', set: true },
    { from: 'v1.9.3_vmware.2', to: 'v1.9.3_vmware.16', set: true },
    { from: 'v1.9.3_vmware.2', to: 'v1.8.6_vmware.16', set: false },
    { from: 'v1.9.3', to: 'stable', set: false },
  ])('moves from $from to $to of a distribution: $set', ({ from, to, set }) => {
    const before = withLive({ spec: cluster({ dns: { imageTag: to } })! }, of(`mine:5000/dns/coredns:${from}`));
    expect(imageSet(updateCoreDns(before))).toEqual(set ? [`mine:5000/dns/coredns:${to}`, 'x:1'] : []);
  });
  it('follows the repository with a tag that is not a version', () => {
    const before = withLive({ spec: cluster({ imageRepository: 'mine:5000/k8s' })! }, of('old/coredns:stable'));
    expect(imageSet(updateCoreDns(before))).toEqual(['mine:5000/k8s/coredns:stable', 'x:1']);
  });
  it.each(['kubeadmConfig', 'coreDnsConfig'] as const)('waits for an unreadable %s', (part) => {
    const live = { ...of(image), [part]: { state: 'unreadable' as const, reason: 'connection refused' } };
    expect(updateCoreDns(withLive({ spec: cluster({ dns: { imageTag: 'v1.12.1' } })! }, live))).toEqual([]);
  });
  it.each(['kubeadmConfig', 'coreDnsConfig'] as const)('continues without %s', (part) => {
    const live = { ...of(image), [part]: { state: 'absent' as const } };
    expect(imageSet(updateCoreDns(withLive({ spec: cluster({ dns: { imageTag: 'v1.12.1' } })! }, live)))).toEqual([
      'registry.k8s.io/coredns/coredns:v1.12.1',
      'x:1',
    ]);
  });
});

describe('the kubeadm-config ConfigMap', () => {
  const before = {
    apiVersion: 'kubeadm.k8s.io/v1beta3',
    kind: 'ClusterConfiguration',
    kubernetesVersion: 'v1.30.0',
    clusterName: 'c',
    certificatesDir: '/etc/kubernetes/pki',
    networking: { podSubnet: '10.0.0.0/8' },
    apiServer: { timeoutForControlPlane: '4m0s', extraArgs: { old: '1' } },
    etcd: { local: { dataDir: '/var/lib/etcd' } },
    dns: {},
  };
  it('follows the control plane in the newer API version and keeps the rest', () => {
    const spec = specOf({
      version: 'v1.31.0',
      ...cluster({ apiServer: { extraArgs: [{ name: 'a', value: '1' }] }, featureGates: { G: true } }),
    });
    expect(desiredClusterConfiguration(before, spec)).toEqual({
      ...before,
      apiVersion: 'kubeadm.k8s.io/v1beta4',
      kubernetesVersion: 'v1.31.0',
      apiServer: { extraArgs: [{ name: 'a', value: '1' }] },
      featureGates: { ControlPlaneKubeletLocalMode: true, G: true },
    });
  });
  it.each([
    { version: 'v1.35.1', configuration: undefined, gates: { ControlPlaneKubeletLocalMode: true } },
    {
      version: 'v1.35.1',
      configuration: { featureGates: { ControlPlaneKubeletLocalMode: false } },
      gates: { ControlPlaneKubeletLocalMode: false },
    },
    { version: 'v1.36.0', configuration: undefined, gates: undefined },
  ])('has machines of $version join with the feature gates $gates', ({ version, configuration, gates }) => {
    const joined = { ...before, featureGates: { ControlPlaneKubeletLocalMode: true } };
    const spec = specOf({ version, ...(configuration && cluster(configuration)) });
    expect(desiredClusterConfiguration(joined, spec)?.featureGates).toEqual(gates);
  });
  it('is written once', () => {
    const spec = specOf({ version: 'v1.31.0' });
    const configMap = (text: string): KubeObject => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'kubeadm-config' },
      data: { ClusterConfiguration: text },
    });
    const [action] = updateKubeadmConfig('k', configMap(JSON.stringify(before)), spec);
    const { patch } = (action as unknown as { input: { patch: { data: { ClusterConfiguration: string } } } }).input;
    expect(parse(patch.data.ClusterConfiguration)).toMatchObject({ kubernetesVersion: 'v1.31.0', clusterName: 'c' });
    expect(updateKubeadmConfig('k', configMap(patch.data.ClusterConfiguration), spec)).toEqual([]);
    expect(updateKubeadmConfig('k', configMap('{'), spec)).toEqual([]);
  });
});

describe('the kubeconfig Secret', () => {
  const day = 24 * 3600_000;
  const ca = createAuthority({ subject: { commonName: 'kubernetes' }, days: 3650, algorithm: 'ECDSA-P256', now });
  const administrator = issue({
    subject: { commonName: 'kubernetes-admin' },
    usages: ['client'],
    ca,
    days: 365,
    now,
    algorithm: 'ECDSA-P256',
  });
  const kubeconfig = adminKubeconfig({
    cluster: 'c',
    server: 'https://api.example.com:6443',
    caCertificate: ca.certificate,
    ...administrator,
  });
  const { kcp } = controlPlaneOf({ machines: [] });
  const secretOf = (uid: string) =>
    clusterSecret({
      namespace: 'default',
      name: 'c-kubeconfig',
      cluster: 'c',
      owner: { apiVersion: 'v1', kind: 'KubeadmControlPlane', name: 'kcp', uid },
      values: { value: kubeconfig },
    });

  it('is renewed after half of its year', () => {
    expect(expiryOf(kubeconfig)).toBe(now + 365 * day);
    expect(renewalOf(secretOf('kcp'), kcp)).toBe(now + 182.5 * day);
  });
  it('is left to the user who provided it', () => expect(renewalOf(secretOf('somebody'), kcp)).toBeUndefined());
  it.each(['', 'nonsense: [', 'users: []'])('has no known expiry when it contains %j', (text) =>
    expect(expiryOf(text)).toBeUndefined());

  it('is renewed with a new client certificate', () => {
    const controlPlane = controlPlaneOf({ machines: [] });
    const create = ensureKubeconfig({ ...controlPlane, kubeconfig: { state: 'absent' }, administrator });
    expect(storyOf(create)).toEqual(['create Secret c-kubeconfig']);
    const { object } = create[0] as unknown as { object: ReturnType<typeof secretOf> };
    const written = parse(secretValue(object, 'value')!);
    expect(written.clusters[0].cluster.server).toBe('https://api.example.com:6443');
    expect(storyOf(ensureKubeconfig({ ...controlPlane, administrator }))).toEqual(['patch Secret c-kubeconfig']);
    expect(ensureKubeconfig(controlPlane)).toEqual([]);
  });
});

describe('a Machine without a controller', () => {
  const orphan = (version: string, kind = 'KubeadmConfig') => {
    const { machine } = controlPlaneOf({ machines: [{ name: 'orphan', version }] }).members[0]!;
    const bootstrap = { configRef: { ...machine.spec!.bootstrap.configRef!, kind } };
    return {
      ...machine,
      spec: { ...machine.spec!, bootstrap },
      metadata: { ...machine.metadata, ownerReferences: [] },
    };
  };
  it.each([
    { rule: 'is adopted', machine: orphan('v1.34.0'), does: ['patch Machine orphan'] },
    { rule: 'is not adopted when its version is too old', machine: orphan('v1.33.0'), does: [] },
    { rule: 'is not adopted when it has another bootstrap kind', machine: orphan('v1.35.0', 'OtherConfig'), does: [] },
  ])('$rule', ({ machine, does }) => {
    const plan = adopt({ ...controlPlaneOf({ machines: [] }), orphans: [machine] });
    expect(storyOf(plan?.actions)).toEqual(does);
    if (does.length === 0) expect(plan?.events?.[0]?.reason).toBe('AdoptionFailed');
  });
  it('does not matter if another object controls it: then the pass decides nothing', () => {
    const plan = adopt({ ...controlPlaneOf({ machines: [] }), foreign: [orphan('v1.35.0')] });
    expect(plan).toMatchObject({ events: [{ reason: 'AdoptionFailed' }], requeueAfter: 30 });
  });
});
