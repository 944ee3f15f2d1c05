import { expect, it } from 'vitest';
import { defaultClusterName, withDefaults } from './defaults.ts';
import type { AWSManagedControlPlane, AWSManagedControlPlaneSpec } from './schema.ts';
import { validate } from './validate.ts';

const spec: AWSManagedControlPlaneSpec = {
  eksClusterName: 'mine',
  region: 'eu-central-1',
  version: 'v1.34.0',
  network: { vpc: { id: 'vpc-1' }, subnets: [{ id: 'subnet-1' }, { id: 'subnet-2' }] },
};
const plane = (change: Partial<AWSManagedControlPlaneSpec>): AWSManagedControlPlane => ({
  apiVersion: 'controlplane.cluster.x-k8s.io/v1beta2',
  kind: 'AWSManagedControlPlane',
  metadata: { name: 'mine', namespace: 'default' },
  spec: { ...spec, ...change },
});

it.each<{ rule: string; change: Partial<AWSManagedControlPlaneSpec>; at: string[] }>([
  { rule: 'admits a network that exists', change: {}, at: [] },
  { rule: 'needs a region', change: { region: '' }, at: ['spec.region'] },
  { rule: 'needs a network', change: { network: {} }, at: ['spec.network.vpc.id', 'spec.network.subnets'] },
  {
    rule: 'needs subnets that exist',
    change: { network: { vpc: { id: 'vpc-1' }, subnets: [{ id: 'a' }, { id: 'subnet-2' }] } },
    at: ['spec.network.subnets[0].id'],
  },
  {
    rule: 'needs two private subnets where only these count',
    change: {
      restrictPrivateSubnets: true,
      network: { vpc: { id: 'vpc-1' }, subnets: [{ id: 'subnet-1' }, { id: 'subnet-2', isPublic: true }] },
    },
    at: ['spec.network.subnets'],
  },
  {
    rule: 'keeps its creator in a cluster without access entries',
    change: { accessConfig: { bootstrapClusterCreatorAdminPermissions: false } },
    at: ['spec.accessConfig.bootstrapClusterCreatorAdminPermissions'],
  },
  { rule: 'refuses names that EKS refuses', change: { eksClusterName: '-a' }, at: ['spec.eksClusterName'] },
  {
    rule: 'refuses an add-on that is named twice',
    change: {
      addons: [
        { name: 'vpc-cni', version: 'v1' },
        { name: 'vpc-cni', version: 'v2' },
      ],
    },
    at: ['spec.addons[1].name'],
  },
  {
    rule: 'refuses access entries where the mode has none',
    change: { accessEntries: [{ principalARN: 'arn:aws:iam::123456789012:role/a' }] },
    at: ['spec.accessEntries'],
  },
  {
    rule: 'refuses access entries without a principal',
    change: { accessConfig: { authenticationMode: 'api' }, accessEntries: [{ principalARN: 'a' }] },
    at: ['spec.accessEntries[0].principalARN'],
  },
  {
    rule: 'refuses groups and policies of nodes',
    change: {
      accessConfig: { authenticationMode: 'api' },
      accessEntries: [
        {
          principalARN: 'arn:aws:iam::123456789012:role/a',
          type: 'ec2_linux',
          kubernetesGroups: ['a'],
          accessPolicies: [{ policyARN: 'p', accessScope: { type: 'namespace' } }],
        },
      ],
    },
    at: [
      'spec.accessEntries[0].kubernetesGroups',
      'spec.accessEntries[0].accessPolicies',
      'spec.accessEntries[0].accessPolicies[0].accessScope.namespaces',
    ],
  },
  {
    rule: 'refuses other accounts',
    change: { identityRef: { kind: 'AWSClusterRoleIdentity', name: 'a' } },
    at: ['spec.identityRef.kind'],
  },
])('$rule', ({ change, at }) =>
  expect(validate(plane(change), { operation: 'create' } as never).map(({ field }) => field)).toEqual(at));

it.each<{
  rule: string;
  before?: Partial<AWSManagedControlPlaneSpec>;
  change: Partial<AWSManagedControlPlaneSpec>;
  at: string[];
}>([
  { rule: 'raises the version', change: { version: 'v1.36.0' }, at: [] },
  { rule: 'never lowers the version', change: { version: 'v1.33.0' }, at: ['spec.version'] },
  { rule: 'keeps the name', change: { eksClusterName: 'other' }, at: ['spec.eksClusterName'] },
  { rule: 'keeps the region', change: { region: 'eu-west-1' }, at: ['spec.region'] },
  {
    rule: 'keeps the access mode that it has reached',
    before: { accessConfig: { authenticationMode: 'api' } },
    change: { accessConfig: { authenticationMode: 'config_map' } },
    at: ['spec.accessConfig.authenticationMode'],
  },
  {
    rule: 'keeps the encryption',
    before: { encryptionConfig: { provider: 'a' } },
    change: { encryptionConfig: undefined as never },
    at: ['spec.encryptionConfig'],
  },
])('$rule', ({ before = {}, change, at }) => {
  const admission = { operation: 'update', old: plane(before) } as never;
  expect(validate(plane({ ...before, ...change }), admission).map(({ field }) => field)).toEqual(at);
});

it.each([
  { rule: 'keeps the role and the subnets once EKS makes the cluster', isMade: true },
  { rule: 'may name other ones while EKS refuses to make it', isMade: false },
])('$rule', ({ isMade }) => {
  const creating = { type: 'EKSControlPlaneCreating', status: 'True', lastTransitionTime: '2026-12-01T00:00:00Z' };
  const old = { ...plane({}), ...(isMade && { status: { conditions: [creating] } }) };
  const subnets = ['x', 'y'].map((id) => ({ id: `subnet-${id}`, availabilityZone: `eu-central-1${id}` }));
  const next = plane({ roleName: 'other', network: { vpc: { id: 'vpc-2' }, subnets } });
  const at = validate(next, { operation: 'update', old } as never).map(({ field }) => field);
  expect(at).toEqual(isMade ? ['spec.roleName', 'spec.network.vpc.id', 'spec.network.subnets'] : []);
});

it('names the cluster after the namespace and the object', () => {
  const { eksClusterName: _, ...open } = spec;
  expect(withDefaults({ ...plane({}), spec: open }).spec?.eksClusterName).toBe('default_mine');
  expect(defaultClusterName('a.b', 'c.d')).toBe('a_b_c_d');
  expect(defaultClusterName('a', 'b'.repeat(120))).toMatch(/^capa_[0-9a-f]{32}$/);
});
