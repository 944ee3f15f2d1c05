/** Subnets. */

import type { Calls } from '../call.ts';
import { list } from '../list.ts';
import type { Empty, Filter, Page, Tag, TagSpecifications } from '../shared.ts';
import type { Ipv6Association } from './vpc.ts';

export type HostnameType = 'ip-name' | 'resource-name';
export type SubnetIpv6Association = Omit<Ipv6Association, 'Ipv6Pool'>;
export type Subnet = {
  SubnetId: string;
  VpcId: string;
  State: 'pending' | 'available';
  CidrBlock: string;
  AvailabilityZone: string;
  AvailableIpAddressCount: number;
  MapPublicIpOnLaunch: boolean;
  /** Absent in a subnet without IPv6. */
  Ipv6CidrBlockAssociationSet?: SubnetIpv6Association[];
  AssignIpv6AddressOnCreation?: boolean;
  /** Whether names of services with IPv4 only resolve to addresses of NAT64. */
  EnableDns64?: boolean;
  PrivateDnsNameOptionsOnLaunch: { HostnameType: HostnameType };
  Tags: Tag[];
};
export interface SubnetActions {
  DescribeSubnets: [{ SubnetIds?: string[]; Filters?: Filter[] } & Page, { Subnets: Subnet[]; NextToken?: string }];
  CreateSubnet: [
    {
      VpcId: string;
      CidrBlock: string;
      Ipv6CidrBlock?: string;
      AvailabilityZone: string;
      TagSpecifications: TagSpecifications;
    },
    { Subnet: Subnet },
  ];
  /** One attribute a call. */
  ModifySubnetAttribute: [
    {
      SubnetId: string;
      MapPublicIpOnLaunch?: { Value: boolean };
      AssignIpv6AddressOnCreation?: { Value: boolean };
      EnableDns64?: { Value: boolean };
      PrivateDnsHostnameTypeOnLaunch?: HostnameType;
    },
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
