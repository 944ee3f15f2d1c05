import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { createAuthority } from '../../../adapters/pki/index.ts';
import { compareVersions, lowestVersion, parseVersion } from '../../common/kubernetes-version.ts';
import { publicKeyHashes } from '../../core/contract/certificate-bundle.ts';
import { renderCloudConfig } from './cloud-config.ts';
import { kubeadmApiOf, renderInit, renderJoin } from './kubeadm-documents.ts';
import type { KubeadmConfigSpec } from './schema.ts';
import { renderTemplate } from './template.ts';

const now = Date.parse('2026-06-01T00:00:00Z');
const facts = {
  clusterName: 'c',
  kubernetesVersion: 'v1.35.0',
  controlPlaneEndpoint: 'api:6443',
  podSubnet: '10.0.0.0/8',
};
const documents = (text: string) => text.split('---\n').map((one) => parse(one, { version: '1.1' }));

describe('kubeadm documents', () => {
  it.each([
    { version: 'v1.21.9', api: undefined },
    { version: 'v1.22.0', api: 'v1beta3' },
    { version: 'v1.30.14', api: 'v1beta3' },
    { version: 'v1.31.0-rc.1', api: 'v1beta4' },
    { version: 'v1.36.2', api: 'v1beta4' },
    { version: 'latest', api: undefined },
  ])('for $version use $api', ({ version, api }) => expect(kubeadmApiOf(version)).toBe(api));

  const spec: KubeadmConfigSpec = {
    clusterConfiguration: {
      controlPlaneEndpoint: 'mine:443',
      apiServer: { extraArgs: [{ name: 'a', value: 'yes' }], extraEnvs: [{ name: 'E', value: '1' }] },
      certificateValidityPeriodDays: 100,
    },
    initConfiguration: {
      nodeRegistration: { taints: [], kubeletExtraArgs: [{ name: 'b', value: '0644' }], imagePullSerial: true },
      timeouts: { controlPlaneComponentHealthCheckSeconds: 300, discoverySeconds: 5 },
      bootstrapTokens: [{ token: 'abcdef.0123456789abcdef', expires: '2026-06-01T01:00:00Z' }],
    },
  };
  it('in v1beta4 contain flag lists, timeouts and validity periods', () => {
    expect(documents(renderInit('v1beta4', spec, facts, now))).toEqual([
      {
        apiVersion: 'kubeadm.k8s.io/v1beta4',
        kind: 'ClusterConfiguration',
        clusterName: 'c',
        controlPlaneEndpoint: 'mine:443',
        kubernetesVersion: 'v1.35.0',
        networking: { podSubnet: '10.0.0.0/8' },
        apiServer: { extraArgs: [{ name: 'a', value: 'yes' }], extraEnvs: [{ name: 'E', value: '1' }] },
        certificateValidityPeriod: '2400h0m0s',
      },
      {
        apiVersion: 'kubeadm.k8s.io/v1beta4',
        kind: 'InitConfiguration',
        bootstrapTokens: [{ token: 'abcdef.0123456789abcdef', ttl: '1h0m0s' }],
        nodeRegistration: { taints: [], kubeletExtraArgs: [{ name: 'b', value: '0644' }], imagePullSerial: true },
        timeouts: { controlPlaneComponentHealthCheck: '5m0s', discovery: '5s' },
      },
    ]);
  });
  it('in v1beta3 contain flag maps, one timeout, and no later fields', () => {
    expect(documents(renderInit('v1beta3', spec, facts, now))).toEqual([
      {
        apiVersion: 'kubeadm.k8s.io/v1beta3',
        kind: 'ClusterConfiguration',
        clusterName: 'c',
        controlPlaneEndpoint: 'mine:443',
        kubernetesVersion: 'v1.35.0',
        networking: { podSubnet: '10.0.0.0/8' },
        apiServer: { extraArgs: { a: 'yes' }, timeoutForControlPlane: '5m0s' },
      },
      {
        apiVersion: 'kubeadm.k8s.io/v1beta3',
        kind: 'InitConfiguration',
        bootstrapTokens: [{ token: 'abcdef.0123456789abcdef', ttl: '1h0m0s' }],
        nodeRegistration: { taints: [], kubeletExtraArgs: { b: '0644' } },
      },
    ]);
  });
  it('for a joining control plane node include its section even without settings', () => {
    const [join] = documents(renderJoin('v1beta4', { controlPlane: {}, timeouts: { tlsBootstrapSeconds: 60 } }));
    expect(join).toEqual({
      apiVersion: 'kubeadm.k8s.io/v1beta4',
      kind: 'JoinConfiguration',
      timeouts: { tlsBootstrap: '1m0s' },
      controlPlane: {},
    });
  });
});

describe('cloud-config', () => {
  const render = (spec: KubeadmConfigSpec) =>
    parse(renderCloudConfig({ spec, files: [], users: spec.users ?? [], kubeadm: { action: 'join', document: 'd' } }), {
      version: '1.1',
    });
  it('orders its sections as cloud-init runs them', () => {
    const spec: KubeadmConfigSpec = {
      bootCommands: ['a'],
      mounts: [['x', 'y']],
      ntp: { enabled: false },
      users: [{ name: 'u' }],
      diskSetup: { partitions: [{ device: 'd', layout: true }], filesystems: [{ device: 'd', filesystem: 'ext4' }] },
    };
    expect(Object.keys(render(spec))).toEqual([
      'write_files',
      'bootcmd',
      'runcmd',
      'ntp',
      'users',
      'disk_setup',
      'fs_setup',
      'mounts',
    ]);
  });
  it.each([
    { content: 'a line', written: 'a line\n' },
    { content: 'a line\n', written: 'a line\n' },
    { content: 'one\n\ntwo\n\n\n', written: 'one\n\ntwo\n' },
    { content: '', written: '' },
  ])('ends each file with one newline, so that content can be appended: $content', ({ content, written }) => {
    const kubeadm = { action: 'join' as const, document: 'd' };
    const text = renderCloudConfig({ spec: {}, files: [{ path: '/a', content }], users: [], kubeadm });
    expect(parse(text, { version: '1.1' }).write_files[0]).toEqual({ path: '/a', content: written });
  });
  it.each<{ rule: string; spec: KubeadmConfigSpec; expected: object }>([
    { rule: 'omits empty settings', spec: { ntp: { servers: [] } }, expected: { ntp: {} } },
    {
      rule: 'maps partition types to their numbers',
      spec: {
        diskSetup: {
          partitions: [
            {
              device: 'm',
              diskLayout: [
                { percentage: 50 },
                { percentage: 25, partitionType: 'LinuxSwap' },
                { percentage: 25, partitionType: 'LVM' },
              ],
            },
            { device: 'g', tableType: 'gpt', diskLayout: [{ percentage: 100, partitionType: 'LinuxSwap' }] },
          ],
        },
      },
      expected: {
        disk_setup: { m: { layout: [50, [25, 82], [25, '8e']] }, g: { table_type: 'gpt', layout: [[100, 8200]] } },
      },
    },
    {
      rule: 'keeps commands unchanged',
      spec: { preKubeadmCommands: ['yes', 'echo "a: $b" # c'] },
      expected: { runcmd: ['yes', 'echo "a: $b" # c', expect.stringContaining('kubeadm join')] },
    },
    {
      rule: 'passes on the verbosity',
      spec: { verbosity: 5 },
      expected: { runcmd: [expect.stringContaining('kubeadm-join-config.yaml --v 5 &&')] },
    },
  ])('$rule', ({ spec, expected }) => expect(render(spec)).toMatchObject(expected));
});

describe('instance data templates', () => {
  it.each([
    { text: 'v={{ .controlPlane.version }}!', expected: { content: 'v=v1.35.0!' } },
    { text: 'a {{- .controlPlane.version -}} b', expected: { content: 'av1.35.0b' } },
    { text: 'plain', expected: { content: 'plain' } },
    { text: '{{ .other }}', expected: { fault: '{{ .other }} is not known' } },
    { text: '{{ if true }}', expected: { fault: '{{ if true }} is not known' } },
  ])('$text', ({ text, expected }) =>
    expect(renderTemplate(text, { controlPlaneVersion: 'v1.35.0' })).toEqual(expected));
});

describe('Kubernetes versions', () => {
  it.each(['1.35.0', 'v1.35', 'v1.35.0.1', 'v01.2.3', 'v1.2.3-', ''])('rejects %s', (text) =>
    expect(parseVersion(text)).toBeUndefined());
  it.each([
    ['v1.9.0', 'v1.10.0'],
    ['v1.35.0-alpha.1', 'v1.35.0-alpha.beta'],
    ['v1.35.0-rc.1', 'v1.35.0-rc.10'],
    ['v1.35.0-rc.10', 'v1.35.0'],
  ])('orders %s before %s', (before, after) => {
    expect(compareVersions(parseVersion(before)!, parseVersion(after)!)).toBeLessThan(0);
    expect(lowestVersion([after, before, 'nonsense'])).toBe(before);
  });
});

it('pins every CA of a bundle', () => {
  const [one, two] = ['one', 'two'].map((commonName) =>
    createAuthority({ subject: { commonName }, days: 1, algorithm: 'ECDSA-P256', now }),
  );
  expect(publicKeyHashes(`${one!.certificate}${two!.certificate}`)).toHaveLength(2);
  expect(publicKeyHashes('nothing')).toEqual([]);
});
