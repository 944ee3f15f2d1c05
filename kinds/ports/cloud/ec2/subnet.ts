/** Subnets. */

import type { Calls } from '../call.ts';
import { list } from '../list.ts';
import type { Empty, Filter, Page, Tag, TagSpecifications } from '../shared.ts';

export type HostnameType = 'ip-name' | 'resource-name';
export type Subnet = {
  SubnetId: string;
  VpcId: string;
  State: 'pending' | 'available';
  CidrBlock: string;
  AvailabilityZone: string;
  AvailableIpAddressCount: number;
  MapPublicIpOnLaunch: boolean;
  PrivateDnsNameOptionsOnLaunch: { HostnameType: HostnameType };
  Tags: Tag[];
};
export interface SubnetActions {
  DescribeSubnets: [{ SubnetIds?: string[]; Filters?: Filter[] } & Page, { Subnets: Subnet[]; NextToken?: string }];
  CreateSubnet: [
    { VpcId: string; CidrBlock: string; AvailabilityZone: string; TagSpecifications: TagSpecifications },
    { Subnet: Subnet },
  ];
  /** One attribute a call. */
  ModifySubnetAttribute: [
    { SubnetId: string; MapPublicIpOnLaunch?: { Value: boolean }; PrivateDnsHostnameTypeOnLaunch?: HostnameType },
    Empty,
  ];
  DeleteSubnet: [{ SubnetId: string }, Empty];
}

export const subnetCalls = {
  DescribeSubnets: {},
  CreateSubnet: { also: ['ec2:CreateTags'], makes: ['subnet'], ours: ['vpc'] },
  ModifySubnetAttribute: { ours: ['subnet'] },
  DeleteSubnet: { ours: ['subnet'] },
} as const satisfies Calls<SubnetActions>;

export const subnets = list('DescribeSubnets', 'SubnetId', { type: 'subnet', prefix: 'subnet' });
