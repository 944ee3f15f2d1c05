/** Elastic IP addresses and their pools. */
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
