import { describe, expect, it } from 'vitest';
import type { EksNodegroup } from '../../ports/cloud/index.ts';
import { creationOf, nextUpdate, scalingOf, sizeFault, unlike, type Wanted } from './desired.ts';
import type { AWSManagedMachinePoolSpec } from './schema.ts';

const group: EksNodegroup = {
  nodegroupName: 'workers',
  clusterName: 'mine',
  status: 'ACTIVE',
  version: '1.34',
  releaseVersion: '1.34.0-20251120',
  scalingConfig: { minSize: 1, maxSize: 2, desiredSize: 2 },
  instanceTypes: ['t3.large'],
  subnets: ['subnet-1'],
  amiType: 'AL2023_x86_64_STANDARD',
  nodeRole: 'arn:aws:iam::123456789012:role/nodes',
  capacityType: 'ON_DEMAND',
  labels: {},
  taints: [],
  updateConfig: { maxUnavailable: 1 },
  nodeRepairConfig: { enabled: false },
  tags: {},
  health: { issues: [] },
};
const wanted = (spec: AWSManagedMachinePoolSpec = {}, change: Partial<Wanted> = {}): Wanted => ({
  spec: { eksNodegroupName: 'workers', ...spec },
  replicas: 2,
  version: undefined,
  controlPlaneVersion: 'v1.36',
  ...change,
});

describe('the size of a node group', () => {
  it.each([
    { rule: 'has the limits that it needs', spec: {}, replicas: 3, is: { minSize: 1, maxSize: 3, desiredSize: 3 } },
    { rule: 'may be none', spec: {}, replicas: 0, is: { minSize: 0, maxSize: 1, desiredSize: 0 } },
    {
      rule: 'has the limits of the user',
      spec: { scaling: { minSize: 2, maxSize: 9 } },
      replicas: 3,
      is: { minSize: 2, maxSize: 9, desiredSize: 3 },
    },
    {
      rule: 'takes the greatest alone',
      spec: { scaling: { maxSize: 4 } },
      replicas: 3,
      is: { minSize: 1, maxSize: 4, desiredSize: 3 },
    },
    {
      rule: 'is that of another program',
      spec: { scaling: { minSize: 1, maxSize: 9 } },
      replicas: undefined,
      has: { minSize: 1, maxSize: 9, desiredSize: 7 },
      is: { minSize: 1, maxSize: 9, desiredSize: 7 },
    },
    {
      rule: 'moves below a new limit',
      spec: { scaling: { minSize: 1, maxSize: 3 } },
      replicas: undefined,
      has: { minSize: 1, maxSize: 9, desiredSize: 7 },
      is: { minSize: 1, maxSize: 3, desiredSize: 3 },
    },
    {
      rule: 'moves above a new limit',
      spec: { scaling: { minSize: 8, maxSize: 9 } },
      replicas: undefined,
      has: { minSize: 1, maxSize: 9, desiredSize: 7 },
      is: { minSize: 8, maxSize: 9, desiredSize: 8 },
    },
  ])('$rule', ({ spec, replicas, has, is }) => expect(scalingOf(wanted(spec, { replicas }), has)).toEqual(is));

  it.each([
    { scaling: { minSize: 3 }, fault: 'spec.scaling.minSize is 3' },
    { scaling: { maxSize: 1 }, fault: 'spec.scaling.maxSize is 1' },
  ])('is refused where replicas and $scaling differ', ({ scaling, fault }) =>
    expect(sizeFault(wanted({ scaling }))).toContain(fault));
});

describe('the next update of a node group', () => {
  it.each<{ rule: string; spec?: AWSManagedMachinePoolSpec; change?: Partial<Wanted>; has?: object; input?: object }>([
    { rule: 'is none where nothing differs' },
    {
      rule: 'has all settings at once',
      spec: { labels: { team: 'blue' }, taints: [{ key: 'a', value: 'b', effect: 'no-execute' }] },
      change: { replicas: 3 },
      input: {
        labels: { addOrUpdateLabels: { team: 'blue' } },
        taints: { addOrUpdateTaints: [{ key: 'a', value: 'b', effect: 'NO_EXECUTE' }] },
        scalingConfig: { minSize: 1, maxSize: 3, desiredSize: 3 },
      },
    },
    {
      rule: 'removes labels and taints',
      has: { labels: { old: 'x' }, taints: [{ key: 'a', value: 'b', effect: 'NO_SCHEDULE' }] },
      input: {
        labels: { removeLabels: ['old'] },
        taints: { removeTaints: [{ key: 'a', value: 'b', effect: 'NO_SCHEDULE' }] },
      },
    },
    { rule: 'is the next minor release', change: { version: 'v1.36.1' }, input: { version: '1.35' } },
    { rule: 'waits for the control plane', change: { version: 'v1.36.1', controlPlaneVersion: 'v1.34' } },
    { rule: 'never lowers the version', change: { version: 'v1.33.0' } },
    {
      rule: 'is the image that was chosen',
      spec: { amiVersion: '1.34.1-20251201' },
      input: { releaseVersion: '1.34.1-20251201' },
    },
  ])('$rule', ({ spec, change, has, input }) => {
    const update = nextUpdate(wanted(spec, change), { ...group, ...has });
    const of = { clusterName: 'mine', nodegroupName: 'workers' };
    expect(update?.input).toEqual(input && { ...of, ...input });
  });
});

describe('the creation of a node group', () => {
  const given = {
    eksCluster: 'mine',
    subnets: ['subnet-1'],
    roleArn: 'arn:aws:iam::123456789012:role/nodes',
    clusterSecurityGroup: 'sg-1',
    sshKeyName: 'key',
    tags: {},
    token: 't',
  };
  it('opens SSH to nobody but the members of the groups', () =>
    expect(creationOf(wanted({ remoteAccess: { sourceSecurityGroups: ['sg-2'] } }), given).remoteAccess).toEqual({
      ec2SshKey: 'key',
      sourceSecurityGroups: ['sg-2', 'sg-1'],
    }));
  it('opens SSH to anybody where the user asks for it', () =>
    expect(
      creationOf(wanted({ remoteAccess: { public: true } }), { ...given, clusterSecurityGroup: undefined })
        .remoteAccess,
    ).toEqual({ ec2SshKey: 'key' }));
  it('has no newer version than the control plane', () =>
    expect(creationOf(wanted({}, { version: 'v1.36.0', controlPlaneVersion: 'v1.35' }), given).version).toBe('1.35'));
});

it.each([
  { spec: { instanceType: 'm5.large' }, fields: ['spec.instanceType'] },
  { spec: { capacityType: 'spot' as const }, fields: ['spec.capacityType'] },
  { spec: { subnetIDs: ['subnet-2'], roleName: 'nodes' }, fields: ['spec.subnetIDs'] },
  { spec: { instanceType: 't3.large' }, fields: [] },
])('knows what EKS cannot change: $fields', ({ spec, fields }) => expect(unlike(spec, group)).toEqual(fields));
