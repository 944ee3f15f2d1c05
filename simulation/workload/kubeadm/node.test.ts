import { expect, it } from 'vitest';
import { kubeletOf, nodeObject } from './node.ts';
import { parseVersion } from './version.ts';

const instance = {
  instanceId: 'i-0123',
  region: 'us-east-1',
  zone: 'us-east-1a',
  instanceType: 't3.large',
  imageName: 'ubuntu-24.04',
  architecture: 'x86_64',
  privateIp: '10.0.0.1',
  publicIp: '52.0.0.1',
  privateDnsName: 'ip-10-0-0-1.ec2.internal',
} as Parameters<typeof kubeletOf>[0];

const nodeWith = (kubeletArgs: Record<string, string>, version = 'v1.35.0') =>
  nodeObject(
    instance,
    kubeletOf(instance, {
      cluster: 'c',
      nodeName: 'n',
      node: { criSocket: '', ignorePreflightErrors: [], kubeletArgs },
      isControlPlane: false,
      kubelet: parseVersion(version)!,
      manifests: {},
      now: 0,
    }),
    undefined,
  );

it.each<{ rule: string; args: Record<string, string>; version?: string; id?: string; types: string[] }>([
  { rule: 'no cloud provider', args: {}, types: ['InternalIP', 'Hostname'] },
  {
    rule: 'an external cloud provider, before its controller manager',
    args: { 'cloud-provider': 'external' },
    types: ['InternalIP', 'Hostname'],
  },
  { rule: 'a flag', args: { 'provider-id': 'aws:///z/i' }, id: 'aws:///z/i', types: ['InternalIP', 'Hostname'] },
  {
    rule: 'an in-tree cloud provider',
    args: { 'cloud-provider': 'aws' },
    version: 'v1.26.3',
    id: 'aws:///us-east-1a/i-0123',
    types: ['InternalIP', 'ExternalIP', 'Hostname', 'InternalDNS'],
  },
  {
    rule: 'one that its kubelet no longer has and takes all the same',
    args: { 'cloud-provider': 'aws' },
    types: ['InternalIP', 'Hostname'],
  },
])('a node with $rule has the provider ID $id', ({ args, version, id, types }) => {
  const { metadata, spec, status } = nodeWith(args, version);
  expect(spec?.providerID).toBe(id);
  expect(status?.addresses?.map(({ type }) => type)).toEqual(types);
  expect(metadata.labels?.['topology.kubernetes.io/zone']).toBe(types.length > 2 ? 'us-east-1a' : undefined);
});

it('labels and taints come from flags', () => {
  const { metadata, spec } = nodeWith({ 'node-labels': 'a=b,c', 'register-with-taints': 'x=y:NoSchedule,z:NoExecute' });
  expect(metadata.labels).toMatchObject({ a: 'b', c: '' });
  expect(spec?.taints).toEqual(
    expect.arrayContaining([
      { key: 'x', value: 'y', effect: 'NoSchedule' },
      { key: 'z', effect: 'NoExecute' },
    ]),
  );
});
