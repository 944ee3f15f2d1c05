/** Add-ons of EKS: programs that EKS installs in its clusters, and keeps. */
import type { Calls } from '../call.ts';
import type { EksIssue } from './node-group.ts';

export type EksAddonStatus =
  | 'CREATING'
  | 'ACTIVE'
  | 'CREATE_FAILED'
  | 'UPDATING'
  | 'DELETING'
  | 'DELETE_FAILED'
  | 'DEGRADED'
  | 'UPDATE_FAILED';
export type EksConflicts = 'OVERWRITE' | 'NONE' | 'PRESERVE';

export type EksAddon = {
  addonName: string;
  addonArn: string;
  addonVersion: string;
  status: EksAddonStatus;
  serviceAccountRoleArn?: string;
  configurationValues?: string;
  /** RFC 3339. */
  createdAt: string;
  modifiedAt: string;
  health: { issues: EksIssue[] };
  tags: Record<string, string>;
};

type Named = { clusterName: string; addonName: string };
type Wanted = Named & {
  addonVersion: string;
  serviceAccountRoleArn?: string;
  resolveConflicts?: EksConflicts;
  configurationValues?: string;
};

export interface AddonActions {
  ListAddons: [{ clusterName: string; nextToken?: string }, { addons: string[]; nextToken?: string }];
  DescribeAddon: [Named, { addon: EksAddon }];
  CreateAddon: [Wanted & { tags: Record<string, string> }, { addon: EksAddon }];
  UpdateAddon: [Wanted, { update: { id: string } }];
  /** `preserve`: its objects stay in the cluster. */
  DeleteAddon: [Named & { preserve: boolean }, { addon: EksAddon }];
}

export const addonCalls = {
  ListAddons: {},
  DescribeAddon: {},
  // IAM checks the cluster that it is for.
  CreateAddon: { also: ['eks:TagResource', 'iam:PassRole'], ours: ['cluster'] },
  UpdateAddon: { also: ['iam:PassRole'], ours: ['addon'] },
  DeleteAddon: { ours: ['addon'] },
} as const satisfies Calls<AddonActions>;
