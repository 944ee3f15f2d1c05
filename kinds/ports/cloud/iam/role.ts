/** Roles that services of AWS take. */
import type { Calls } from '../call.ts';
import type { Empty, Tag } from '../shared.ts';

/** The names of those that Capstan makes. A deployment allows them by this pattern in its context `eksRoles`. */
export const madeRoles = 'capstan-eks-*';
/** AWS's policies that it may attach to them. */
export const attachedPolicies = [
  'AmazonEKSClusterPolicy',
  'AmazonEKSWorkerNodePolicy',
  'AmazonEKS_CNI_Policy',
  'AmazonEC2ContainerRegistryReadOnly',
] as const;
export type AttachedPolicy = (typeof attachedPolicies)[number];

export type Role = { RoleName: string; Arn: string; Tags: Tag[] };

export interface RoleActions {
  GetRole: [{ RoleName: string }, { Role: Role }];
  /** Those of AWS and of the account; policies inside the role are none of them. */
  ListAttachedRolePolicies: [{ RoleName: string }, { AttachedPolicies: { PolicyArn: string }[] }];
  /** `AssumeRolePolicyDocument`: JSON of who may take it. */
  CreateRole: [{ RoleName: string; AssumeRolePolicyDocument: string; Tags: Tag[] }, { Role: Role }];
  AttachRolePolicy: [{ RoleName: string; PolicyArn: string }, Empty];
  DetachRolePolicy: [{ RoleName: string; PolicyArn: string }, Empty];
  /** Refused while policies are attached. */
  DeleteRole: [{ RoleName: string }, Empty];
}

export const roleCalls = {
  GetRole: {},
  ListAttachedRolePolicies: {},
  CreateRole: { also: ['iam:TagRole'], makes: ['role'] },
  AttachRolePolicy: { ours: ['role'] },
  DetachRolePolicy: { ours: ['role'] },
  DeleteRole: { ours: ['role'] },
} as const satisfies Calls<RoleActions>;
