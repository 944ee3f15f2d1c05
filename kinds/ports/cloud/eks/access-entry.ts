/** Access entries of EKS: what principals of IAM may do in a cluster. */
import type { Calls } from '../call.ts';

export type EksAccessEntry = {
  principalArn: string;
  kubernetesGroups: string[];
  username: string;
  /** Such as STANDARD or EC2_LINUX. */
  type: string;
  tags: Record<string, string>;
};
export type EksAccessScope = { type: 'cluster' | 'namespace'; namespaces?: string[] };
export type EksAccessPolicy = { policyArn: string; accessScope: EksAccessScope };

type Named = { clusterName: string; principalArn: string };

export interface AccessEntryActions {
  ListAccessEntries: [{ clusterName: string; nextToken?: string }, { accessEntries: string[]; nextToken?: string }];
  DescribeAccessEntry: [Named, { accessEntry: EksAccessEntry }];
  ListAssociatedAccessPolicies: [
    Named & { nextToken?: string },
    { associatedAccessPolicies: EksAccessPolicy[]; nextToken?: string },
  ];
  CreateAccessEntry: [
    Named & {
      kubernetesGroups?: string[];
      username?: string;
      type: string;
      tags: Record<string, string>;
    },
    { accessEntry: EksAccessEntry },
  ];
  /** Its type never changes. */
  UpdateAccessEntry: [Named & { kubernetesGroups: string[]; username?: string }, { accessEntry: EksAccessEntry }];
  DeleteAccessEntry: [Named, Record<never, never>];
  /** Replaces the scope of a policy that it has. */
  AssociateAccessPolicy: [Named & EksAccessPolicy, Record<never, never>];
  DisassociateAccessPolicy: [Named & { policyArn: string }, Record<never, never>];
}

export const accessEntryCalls = {
  ListAccessEntries: {},
  DescribeAccessEntry: {},
  ListAssociatedAccessPolicies: {},
  // IAM checks the cluster that it is for.
  CreateAccessEntry: { also: ['eks:TagResource'], ours: ['cluster'] },
  UpdateAccessEntry: { ours: ['access-entry'] },
  DeleteAccessEntry: { ours: ['access-entry'] },
  AssociateAccessPolicy: { ours: ['access-entry'] },
  DisassociateAccessPolicy: { ours: ['access-entry'] },
} as const satisfies Calls<AccessEntryActions>;
