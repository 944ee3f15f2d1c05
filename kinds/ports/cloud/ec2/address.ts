/** Elastic IP addresses and their pools. */

import type { Calls } from '../call.ts';
import { list } from '../list.ts';
import type { Empty, Filter, Tag, TagSpecifications } from '../shared.ts';

export type Address = {
  AllocationId: string;
  PublicIp: string;
  AssociationId?: string;
  InstanceId?: string;
  NetworkInterfaceId?: string;
  Tags: Tag[];
};
export interface AddressActions {
  DescribeAddresses: [{ AllocationIds?: string[]; Filters?: Filter[] }, { Addresses: Address[] }];
  AllocateAddress: [
    { Domain: 'vpc'; PublicIpv4Pool?: string; TagSpecifications: TagSpecifications },
    { AllocationId: string; PublicIp: string },
  ];
  DescribePublicIpv4Pools: [
    { PoolIds: string[] },
    { PublicIpv4Pools: { PoolId: string; TotalAddressCount: number; TotalAvailableAddressCount: number }[] },
  ];
  AssociateAddress: [
    { AllocationId: string; InstanceId: string; AllowReassociation: false },
    { AssociationId: string },
  ];
  ReleaseAddress: [{ AllocationId: string }, Empty];
}

export const addressCalls = {
  DescribeAddresses: {},
  AllocateAddress: { also: ['ec2:CreateTags'], makes: ['elastic-ip'], uses: ['ipv4pool-ec2'] },
  DescribePublicIpv4Pools: {},
  AssociateAddress: { ours: ['elastic-ip', 'instance', 'network-interface'] },
  ReleaseAddress: { ours: ['elastic-ip'] },
} as const satisfies Calls<AddressActions>;

export const addresses = list('DescribeAddresses', 'AllocationId', {
  pageSize: undefined,
  type: 'elastic-ip',
  prefix: 'eipalloc',
});
