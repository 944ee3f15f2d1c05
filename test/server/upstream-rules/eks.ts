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

export const eksRules: UpstreamRule[] = [
  {
    kind: 'AWSManagedCluster',
    refuses: 'a host that is too long',
    with: { spec: { controlPlaneEndpoint: { host: 'h'.repeat(513) } } },
    says: 'spec.controlPlaneEndpoint.host: Too long: may not be more than 512 bytes',
  },
  ...ofControlPlanes.map((rule) => ({ kind: 'AWSManagedControlPlane', ...rule })),
];
