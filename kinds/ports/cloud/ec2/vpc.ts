/** VPCs. */

import type { Calls } from '../call.ts';
import { list } from '../list.ts';
import type { Empty, Filter, Page, Tag, TagSpecifications } from '../shared.ts';

export type Ipv6Association = {
  AssociationId: string;
  Ipv6CidrBlock: string;
  /** associating, associated, disassociating, disassociated, failing or failed. */
  Ipv6CidrBlockState: { State: string };
  /** `Amazon`, or the id of the pool that it was taken from. */
  Ipv6Pool?: string;
};
export type Vpc = {
  VpcId: string;
  /** Another account's id when that account shares the resource. */
  OwnerId?: string;
  State: 'pending' | 'available';
  CidrBlock: string;
  /** Absent in a VPC without IPv6. */
  Ipv6CidrBlockAssociationSet?: Ipv6Association[];
  CidrBlockAssociationSet: { AssociationId: string; CidrBlock: string; CidrBlockState: { State: string } }[];
  IsDefault: boolean;
  Tags: Tag[];
};
export interface VpcActions {
  DescribeVpcs: [{ VpcIds?: string[]; Filters?: Filter[] } & Page, { Vpcs: Vpc[]; NextToken?: string }];
  /**
   * The block, or the IPAM pool to allocate it from; the pool gets it back when the VPC is deleted.
   * An IPv6 block comes from Amazon, from a pool of the account's own addresses, or from IPAM.
   */
  CreateVpc: [
    {
      CidrBlock?: string;
      Ipv4IpamPoolId?: string;
      Ipv4NetmaskLength?: number;
      AmazonProvidedIpv6CidrBlock?: boolean;
      Ipv6Pool?: string;
      Ipv6CidrBlock?: string;
      Ipv6IpamPoolId?: string;
      Ipv6NetmaskLength?: number;
      TagSpecifications: TagSpecifications;
    },
    { Vpc: Vpc },
  ];
  ModifyVpcAttribute: [
    { VpcId: string; EnableDnsSupport?: { Value: boolean }; EnableDnsHostnames?: { Value: boolean } },
    Empty,
  ];
  DescribeVpcAttribute: [
    { VpcId: string; Attribute: 'enableDnsSupport' | 'enableDnsHostnames' },
    { VpcId: string; EnableDnsSupport?: { Value: boolean }; EnableDnsHostnames?: { Value: boolean } },
  ];
  AssociateVpcCidrBlock: [{ VpcId: string; CidrBlock: string }, { VpcId: string }];
  DisassociateVpcCidrBlock: [{ AssociationId: string }, { VpcId: string }];
  DeleteVpc: [{ VpcId: string }, Empty];
}

export const vpcCalls = {
  DescribeVpcs: {},
  CreateVpc: { also: ['ec2:CreateTags'], makes: ['vpc'], uses: ['ipam-pool'] },
  ModifyVpcAttribute: { ours: ['vpc'] },
  DescribeVpcAttribute: {},
  AssociateVpcCidrBlock: { ours: ['vpc'] },
  DisassociateVpcCidrBlock: {},
  DeleteVpc: { ours: ['vpc'] },
} as const satisfies Calls<VpcActions>;

export const vpcs = list('DescribeVpcs', 'VpcId', { type: 'vpc', prefix: 'vpc' });
