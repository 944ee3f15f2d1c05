/** Node groups of EKS: workers that EKS keeps in an Auto Scaling group of its own. */
import type { Calls } from '../call.ts';

export type EksNodegroupStatus =
  | 'CREATING'
  | 'ACTIVE'
  | 'UPDATING'
  | 'DELETING'
  | 'CREATE_FAILED'
  | 'DELETE_FAILED'
  | 'DEGRADED';
export type EksTaintEffect = 'NO_SCHEDULE' | 'NO_EXECUTE' | 'PREFER_NO_SCHEDULE';
export type EksTaint = { key: string; value: string; effect: EksTaintEffect };
export type EksScaling = { minSize: number; maxSize: number; desiredSize: number };
/** One of both. */
export type EksUpdateConfig = { maxUnavailable?: number; maxUnavailablePercentage?: number };
export type EksIssue = { code: string; message: string; resourceIds: string[] };

export type EksNodegroup = {
  nodegroupName: string;
  clusterName: string;
  status: EksNodegroupStatus;
  /** Major and minor, such as 1.35. */
  version: string;
  /** Of its image, such as 1.35.0-20251120. */
  releaseVersion: string;
  scalingConfig: EksScaling;
  instanceTypes: string[];
  subnets: string[];
  amiType: string;
  nodeRole: string;
  capacityType: string;
  labels: Record<string, string>;
  taints: EksTaint[];
  updateConfig: EksUpdateConfig;
  nodeRepairConfig: { enabled: boolean };
  tags: Record<string, string>;
  health: { issues: EksIssue[] };
};

type Named = { clusterName: string; nodegroupName: string };
type Updated = { update: { id: string } };

export interface NodegroupActions {
  DescribeNodegroup: [Named, { nodegroup: EksNodegroup }];
  CreateNodegroup: [
    Named & {
      scalingConfig: EksScaling;
      subnets: string[];
      nodeRole: string;
      version?: string;
      releaseVersion?: string;
      instanceTypes?: string[];
      diskSize?: number;
      amiType?: string;
      capacityType?: string;
      labels?: Record<string, string>;
      taints?: EksTaint[];
      remoteAccess?: { ec2SshKey?: string; sourceSecurityGroups?: string[] };
      updateConfig?: EksUpdateConfig;
      nodeRepairConfig?: { enabled: boolean };
      tags: Record<string, string>;
      clientRequestToken: string;
    },
    { nodegroup: EksNodegroup },
  ];
  /** All of them are one update. */
  UpdateNodegroupConfig: [
    Named & {
      labels?: { addOrUpdateLabels?: Record<string, string>; removeLabels?: string[] };
      taints?: { addOrUpdateTaints?: EksTaint[]; removeTaints?: EksTaint[] };
      scalingConfig?: EksScaling;
      updateConfig?: EksUpdateConfig;
      nodeRepairConfig?: { enabled: boolean };
    },
    Updated,
  ];
  /** Replaces the nodes, a few at a time. */
  UpdateNodegroupVersion: [Named & { version?: string; releaseVersion?: string }, Updated];
  /** Drains the nodes first. */
  DeleteNodegroup: [Named, { nodegroup: EksNodegroup }];
}

export const nodegroupCalls = {
  DescribeNodegroup: {},
  // IAM checks the cluster that it is for.
  CreateNodegroup: { also: ['eks:TagResource', 'iam:PassRole'], ours: ['cluster'] },
  UpdateNodegroupConfig: { ours: ['nodegroup'] },
  UpdateNodegroupVersion: { ours: ['nodegroup'] },
  DeleteNodegroup: { ours: ['nodegroup'] },
} as const satisfies Calls<NodegroupActions>;
