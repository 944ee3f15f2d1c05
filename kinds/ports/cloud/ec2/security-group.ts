/** Security groups and their rules. */

import type { Calls } from '../call.ts';
import { list } from '../list.ts';
import type { Empty, Filter, Page, Tag, TagSpecifications } from '../shared.ts';

export type IpPermission = {
  /** tcp, udp, icmp, -1, or a protocol number as text. */
  IpProtocol: string;
  FromPort?: number;
  ToPort?: number;
  IpRanges?: { CidrIp: string; Description?: string }[];
  Ipv6Ranges?: { CidrIpv6: string; Description?: string }[];
  UserIdGroupPairs?: { GroupId: string; Description?: string }[];
};
export type SecurityGroup = {
  GroupId: string;
  GroupName: string;
  Description: string;
  VpcId: string;
  IpPermissions: IpPermission[];
  IpPermissionsEgress: IpPermission[];
  Tags: Tag[];
};
export interface SecurityGroupActions {
  DescribeSecurityGroups: [
    { GroupIds?: string[]; Filters?: Filter[] } & Page,
    { SecurityGroups: SecurityGroup[]; NextToken?: string },
  ];
  CreateSecurityGroup: [
    { GroupName: string; Description: string; VpcId: string; TagSpecifications: TagSpecifications },
    { GroupId: string },
  ];
  AuthorizeSecurityGroupIngress: [{ GroupId: string; IpPermissions: IpPermission[] }, { Return: boolean }];
  RevokeSecurityGroupIngress: [{ GroupId: string; IpPermissions: IpPermission[] }, { Return: boolean }];
  RevokeSecurityGroupEgress: [{ GroupId: string; IpPermissions: IpPermission[] }, { Return: boolean }];
  DeleteSecurityGroup: [{ GroupId: string }, Empty];
}

export const securityGroupCalls = {
  DescribeSecurityGroups: {},
  CreateSecurityGroup: { also: ['ec2:CreateTags'], makes: ['security-group'], uses: ['vpc'] },
  AuthorizeSecurityGroupIngress: { ours: ['security-group'] },
  RevokeSecurityGroupIngress: { ours: ['security-group'] },
  RevokeSecurityGroupEgress: { ours: ['security-group'] },
  DeleteSecurityGroup: { ours: ['security-group'] },
} as const satisfies Calls<SecurityGroupActions>;

export const securityGroups = list('DescribeSecurityGroups', 'GroupId', { type: 'security-group', prefix: 'sg' });
