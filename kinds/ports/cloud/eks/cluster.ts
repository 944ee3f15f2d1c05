/** EKS clusters: control planes that AWS runs. Their tags are a map, as EKS has them. */
import type { Calls } from '../call.ts';

export type EksClusterStatus = 'PENDING' | 'CREATING' | 'ACTIVE' | 'UPDATING' | 'DELETING' | 'FAILED';
export type EksLogType = 'api' | 'audit' | 'authenticator' | 'controllerManager' | 'scheduler';
export const eksLogTypes: readonly EksLogType[] = ['api', 'audit', 'authenticator', 'controllerManager', 'scheduler'];

export type EksVpcConfig = {
  subnetIds: string[];
  /** Of the interfaces of the control plane, besides the group that EKS makes for them. */
  securityGroupIds?: string[];
  endpointPublicAccess: boolean;
  endpointPrivateAccess: boolean;
  publicAccessCidrs?: string[];
};
export type EksLogging = { clusterLogging: { types: EksLogType[]; enabled: boolean }[] };
export type EksAuthenticationMode = 'CONFIG_MAP' | 'API' | 'API_AND_CONFIG_MAP';
export type EksSupportType = 'STANDARD' | 'EXTENDED';
export type EksEncryption = { resources: string[]; provider: { keyArn: string } };

export type EksCluster = {
  name: string;
  arn: string;
  status: EksClusterStatus;
  /** Major and minor, such as 1.35. */
  version: string;
  /** https://…; absent while the cluster is created. */
  endpoint?: string;
  /** `data`: PEM in base64. */
  certificateAuthority?: { data: string };
  roleArn: string;
  resourcesVpcConfig: EksVpcConfig & { vpcId: string; clusterSecurityGroupId?: string };
  kubernetesNetworkConfig: { serviceIpv4Cidr?: string };
  logging: EksLogging;
  accessConfig: { authenticationMode: EksAuthenticationMode };
  upgradePolicy: { supportType: EksSupportType };
  encryptionConfig: EksEncryption[];
  tags: Record<string, string>;
  /** What is wrong with it, such as a subnet that is gone. */
  health: { issues: { code: string; message: string; resourceIds: string[] }[] };
};

/** One type of update a call. */
export type EksUpdate = { name: string } & (
  | { resourcesVpcConfig: Partial<Omit<EksVpcConfig, 'subnetIds' | 'securityGroupIds'>> }
  | { logging: EksLogging }
  | { accessConfig: { authenticationMode: EksAuthenticationMode } }
  | { upgradePolicy: { supportType: EksSupportType } }
);

export interface EksClusterActions {
  DescribeCluster: [{ name: string }, { cluster: EksCluster }];
  CreateCluster: [
    {
      name: string;
      version?: string;
      roleArn: string;
      resourcesVpcConfig: EksVpcConfig;
      kubernetesNetworkConfig?: { serviceIpv4Cidr: string };
      logging: EksLogging;
      accessConfig: { authenticationMode: EksAuthenticationMode; bootstrapClusterCreatorAdminPermissions: boolean };
      upgradePolicy?: { supportType: EksSupportType };
      encryptionConfig?: EksEncryption[];
      bootstrapSelfManagedAddons: boolean;
      tags: Record<string, string>;
      clientRequestToken: string;
    },
    { cluster: EksCluster },
  ];
  UpdateClusterConfig: [EksUpdate, { update: { id: string } }];
  UpdateClusterVersion: [{ name: string; version: string }, { update: { id: string } }];
  /** Refused while the cluster has node groups or Fargate profiles. */
  DeleteCluster: [{ name: string }, { cluster: EksCluster }];
  /**
   * The bearer token by which the caller is known to the cluster, for 15 minutes: a presigned request of
   * STS, which is signed here and not sent.
   */
  GetClusterToken: [{ name: string }, { token: string }];
}

export const eksClusterCalls = {
  DescribeCluster: {},
  CreateCluster: { also: ['eks:TagResource', 'iam:PassRole'], makes: ['cluster'] },
  UpdateClusterConfig: { ours: ['cluster'] },
  UpdateClusterVersion: { ours: ['cluster'] },
  DeleteCluster: { ours: ['cluster'] },
  GetClusterToken: { iam: 'sts:GetCallerIdentity' },
} as const satisfies Calls<EksClusterActions>;
