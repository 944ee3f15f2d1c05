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
  { rule: 'admits a network that Capstan makes', change: { network: {} }, at: [] },
  {
    rule: 'needs two zones in a network that Capstan makes',
    change: { network: { vpc: { availabilityZoneUsageLimit: 1 } } },
    at: ['spec.network.vpc.availabilityZoneUsageLimit'],
  },
  {
    rule: 'counts the zones of the subnets that Capstan is to make',
    change: {
      network: {
        subnets: [true, false].map((isPublic) => ({
          id: `of-${isPublic}`,
          availabilityZone: 'eu-central-1a',
          cidrBlock: `10.0.${Number(isPublic)}.0/24`,
          isPublic,
        })),
      },
    },
    at: ['spec.network.subnets'],
  },
  {
    rule: 'refuses blocks that are none',
    change: { network: { vpc: { cidrBlock: '10.0.0.0/99' } } },
    at: ['spec.network.vpc.cidrBlock'],
  },
  {
    rule: 'makes no bastion in a network that exists',
    change: { bastion: { enabled: true } },
    at: ['spec.bastion.enabled'],
  },
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

const made = { id: 'vpc-1', tags: { 'capstan.dev/cluster-uid': 'a' } };

it.each([
  { rule: 'keeps the network that Capstan made', vpc: { ...made, id: 'vpc-2' }, at: ['spec.network.vpc.id'] },
  { rule: 'lets a client leave out the network that Capstan made', vpc: {}, at: [] },
])('$rule', ({ vpc, at }) => {
  const subnets = ['a', 'b'].map((zone) => ({
    id: `private-${zone}`,
    availabilityZone: `eu-central-1${zone}`,
    cidrBlock: '10.0.0.0/24',
    resourceID: `subnet-${zone}`,
  }));
  const creating = { type: 'EKSControlPlaneCreating', status: 'True', lastTransitionTime: '2026-12-01T00:00:00Z' };
  const old = { ...plane({ network: { vpc: made, subnets } }), status: { ready: false, conditions: [creating] } };
  const next = plane({ network: { vpc, ...('id' in vpc && { subnets }) } });
  expect(validate(next, { operation: 'update', old } as never).map(({ field }) => field)).toEqual(at);
});

it('names the cluster after the namespace and the object', () => {
  const { eksClusterName: _, ...open } = spec;
  expect(withDefaults({ ...plane({}), spec: open }).spec?.eksClusterName).toBe('default_mine');
  expect(defaultClusterName('a.b', 'c.d')).toBe('a_b_c_d');
  expect(defaultClusterName('a', 'b'.repeat(120))).toMatch(/^capa_[0-9a-f]{32}$/);
});

it.each([
  { rule: 'sets back a version that EKS has not taken', version: 'v1.34.0', at: [] },
  { rule: 'never lowers the version that EKS has', version: 'v1.33.0', at: ['spec.version'] },
])('$rule', ({ version, at }) => {
  const old = { ...plane({ version: 'v1.37.0' }), status: { version: 'v1.34' } };
  const admission = { operation: 'update', old } as never;
  expect(validate(plane({ version }), admission).map(({ field }) => field)).toEqual(at);
});
