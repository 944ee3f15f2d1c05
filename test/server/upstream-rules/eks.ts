/** Rules for control planes of EKS (controlplane/eks/webhooks and the schemas of the AWS provider 2.11). */
import type { UpstreamRule } from './rule.ts';

const ofControlPlanes: Omit<UpstreamRule, 'kind'>[] = [
  {
    refuses: 'a version that is none',
    with: { spec: { version: 'newest' } },
    says: 'spec.version: Invalid value: "newest": spec.version in body should match',
  },
  {
    refuses: 'a cluster by aws-auth alone without its creator',
    with: { spec: { accessConfig: { bootstrapClusterCreatorAdminPermissions: false } } },
    says: 'bootstrapClusterCreatorAdminPermissions must be true if cluster authentication mode is set to config_map',
  },
  {
    refuses: 'another name in EKS',
    stored: { spec: { eksClusterName: 'first' } },
    with: { spec: { eksClusterName: 'second' } },
    says: 'spec.eksClusterName: Invalid value: "second": field is immutable',
  },
  {
    refuses: 'another region',
    stored: {},
    with: { spec: { region: 'eu-west-1' } },
    says: 'spec.region: Invalid value: "eu-west-1": field is immutable',
  },
  {
    refuses: 'an older version',
    stored: {},
    with: { spec: { version: 'v1.33.0' } },
    says: 'spec.version: Invalid value: "v1.33.0": new version less than old version',
  },
  {
    refuses: 'the access mode before',
    stored: { spec: { accessConfig: { authenticationMode: 'api' } } },
    with: { spec: { accessConfig: { authenticationMode: 'config_map' } } },
    says: 'changing authentication mode from api to config_map is not allowed',
  },
  {
    refuses: 'the end of encryption',
    stored: { spec: { encryptionConfig: { provider: 'arn:aws:kms:eu-central-1:123456789012:key/a' } } },
    with: { spec: { encryptionConfig: null } },
    says: 'disabling EKS encryption is not allowed after it has been enabled',
  },
];

const ready = { status: { ready: true } };

const ofPools: Omit<UpstreamRule, 'kind'>[] = [
  {
    refuses: 'a greatest size below the smallest',
    with: { spec: { scaling: { minSize: 3, maxSize: 2 } } },
    says: 'spec.scaling.maxSize: Invalid value: 2: must be greater than field minSize',
  },
  {
    refuses: 'a negative size',
    with: { spec: { scaling: { minSize: -1 } } },
    says: 'spec.scaling.minSize: Invalid value: -1: must be greater or equal zero',
  },
  {
    refuses: 'both limits of an update',
    with: { spec: { updateConfig: { maxUnavailable: 1, maxUnavailablePercentage: 10 } } },
    says: 'must have one of maxUnavailable and maxUnavailablePercentage',
  },
  {
    refuses: 'no limit of an update',
    with: { spec: { updateConfig: {} } },
    says: 'must have one of maxUnavailable and maxUnavailablePercentage',
  },
  {
    refuses: 'SSH for anybody, and for some',
    with: { spec: { remoteAccess: { public: true, sourceSecurityGroups: ['sg-1'] } } },
    says: 'spec.remoteAccess.sourceSecurityGroups: Invalid value: ["sg-1"]: must be empty if public is set',
  },
  {
    refuses: 'another name in EKS',
    stored: { spec: { eksNodegroupName: 'first' } },
    with: { spec: { eksNodegroupName: 'second' } },
    says: 'spec.eksNodegroupName: Invalid value: "second": field is immutable',
  },
  {
    refuses: 'other subnets',
    stored: { spec: { subnetIDs: ['subnet-1'] }, ...ready },
    with: { spec: { subnetIDs: ['subnet-2'] } },
    says: 'spec.subnetIDs: Invalid value: ["subnet-2"]: field is immutable',
  },
  {
    refuses: 'another role',
    stored: { spec: { roleName: 'first' }, ...ready },
    with: { spec: { roleName: 'second' } },
    says: 'spec.roleName: Invalid value: "second": field is immutable',
  },
  {
    refuses: 'another way to buy',
    stored: { ...ready },
    with: { spec: { capacityType: 'spot' } },
    says: 'spec.capacityType: Invalid value: "spot": field is immutable',
  },
];

const twice = { files: [{ path: '/a' }, { path: '/a' }] };
const ofConfigs: UpstreamRule[] = [
  {
    kind: 'NodeadmConfig',
    refuses: 'a file that is named twice',
    with: { spec: twice },
    says: 'spec.files[1].path: Invalid value: "/a": path property must be unique among all files',
  },
  {
    kind: 'NodeadmConfig',
    refuses: 'an encoding that cloud-init does not know',
    with: { spec: { files: [{ path: '/a', encoding: 'rot13' }] } },
    says: 'spec.files[0].encoding: Unsupported value: "rot13"',
  },
  {
    kind: 'NodeadmConfigTemplate',
    refuses: 'a file that is named twice',
    with: { spec: { template: { spec: twice } } },
    says: 'spec.template.spec.files[1].path: Invalid value: "/a": path property must be unique among all files',
  },
];

export const eksRules: UpstreamRule[] = [
  {
    kind: 'AWSManagedCluster',
    refuses: 'a host that is too long',
    with: { spec: { controlPlaneEndpoint: { host: 'h'.repeat(513) } } },
    says: 'spec.controlPlaneEndpoint.host: Too long: may not be more than 512 bytes',
  },
  ...ofControlPlanes.map((rule) => ({ kind: 'AWSManagedControlPlane', ...rule })),
  ...ofConfigs,
  ...ofPools.map((rule) => ({ kind: 'AWSManagedMachinePool', ...rule })),
];
