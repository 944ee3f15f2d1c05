import { describe, expect, it } from 'vitest';
import type { EksCluster } from '../../ports/cloud/index.ts';
import { minorOf } from '../version.ts';
import { creationOf, nextUpdate } from './desired.ts';
import type { AWSManagedControlPlaneSpec } from './schema.ts';

const spec: AWSManagedControlPlaneSpec = {
  eksClusterName: 'mine',
  region: 'eu-central-1',
  version: 'v1.34.2',
  network: {
    vpc: { id: 'vpc-1' },
    subnets: [{ id: 'subnet-1' }, { id: 'subnet-2' }, { id: 'subnet-3', isPublic: true }],
  },
};
const cluster = (change: Partial<EksCluster> = {}): EksCluster => ({
  name: 'mine',
  arn: 'arn:aws:eks:eu-central-1:123456789012:cluster/mine',
  status: 'ACTIVE',
  version: '1.34',
  roleArn: 'arn:aws:iam::123456789012:role/eks',
  resourcesVpcConfig: {
    vpcId: 'vpc-1',
    subnetIds: ['subnet-1', 'subnet-2'],
    endpointPublicAccess: true,
    endpointPrivateAccess: false,
    publicAccessCidrs: ['0.0.0.0/0'],
  },
  kubernetesNetworkConfig: { serviceIpv4Cidr: '10.100.0.0/16' },
  logging: { clusterLogging: [{ types: ['audit', 'api'], enabled: false }] },
  accessConfig: { authenticationMode: 'CONFIG_MAP' },
  upgradePolicy: { supportType: 'EXTENDED' },
  encryptionConfig: [],
  tags: {},
  health: { issues: [] },
  ...change,
});

const off = { authenticator: false, controllerManager: false, scheduler: false };

describe('the next update', () => {
  it.each<{ rule: string; change: Partial<AWSManagedControlPlaneSpec>; does: string | undefined }>([
    { rule: 'is none where the spec leaves all to EKS', change: {}, does: undefined },
    {
      rule: 'closes the endpoint',
      change: { endpointAccess: { public: false, private: true } },
      does: 'endpoint access',
    },
    {
      rule: 'takes sources in any order',
      change: { endpointAccess: { publicCIDRs: ['10.0.0.0/8', '192.0.2.0/24'] } },
      does: 'endpoint access',
    },
    { rule: 'turns logs on', change: { logging: { apiServer: true, audit: false, ...off } }, does: 'logging' },
    {
      rule: 'leaves logs that are off',
      change: { logging: { apiServer: false, audit: false, ...off } },
      does: undefined,
    },
    { rule: 'moves the access mode', change: { accessConfig: { authenticationMode: 'api' } }, does: 'access mode' },
    { rule: 'sets the upgrade policy', change: { upgradePolicy: 'standard' }, does: 'upgrade policy' },
    { rule: 'keeps the upgrade policy', change: { upgradePolicy: 'extended' }, does: undefined },
    { rule: 'raises the version by one minor release', change: { version: 'v1.36.0' }, does: 'version 1.35' },
    { rule: 'never lowers the version', change: { version: 'v1.33.0' }, does: undefined },
    {
      rule: 'is of one type, settings before the version',
      change: { version: 'v1.35.0', upgradePolicy: 'standard', accessConfig: { authenticationMode: 'api' } },
      does: 'access mode',
    },
  ])('$rule', ({ change, does }) => expect(nextUpdate({ ...spec, ...change }, cluster())?.what).toBe(does));

  it('has one field besides the name', () => {
    const update = nextUpdate({ ...spec, endpointAccess: { private: true }, upgradePolicy: 'standard' }, cluster());
    expect(Object.keys(update?.input ?? {})).toEqual(['name', 'resourcesVpcConfig']);
  });
});

describe('the creation', () => {
  const given = { roleArn: 'arn', tags: {}, token: 'token', serviceCidr: undefined, securityGroup: undefined };
  it('leaves to EKS what the spec does not say', () =>
    expect(creationOf(spec, given)).toMatchObject({
      name: 'mine',
      version: '1.34',
      resourcesVpcConfig: { subnetIds: ['subnet-1', 'subnet-2', 'subnet-3'], publicAccessCidrs: ['0.0.0.0/0'] },
      accessConfig: { authenticationMode: 'CONFIG_MAP', bootstrapClusterCreatorAdminPermissions: true },
    }));
  it('keeps to private subnets where asked', () =>
    expect(creationOf({ ...spec, restrictPrivateSubnets: true }, given).resourcesVpcConfig.subnetIds).toEqual([
      'subnet-1',
      'subnet-2',
    ]));
  it('encrypts under a key', () =>
    expect(creationOf({ ...spec, encryptionConfig: { provider: 'key' } }, given).encryptionConfig).toEqual([
      { resources: ['secrets'], provider: { keyArn: 'key' } },
    ]));
});

it.each([
  ['v1.35.2', '1.35'],
  ['1.35', '1.35'],
])('reads %s as %s', (version, minor) => expect(minorOf(version)).toBe(minor));
