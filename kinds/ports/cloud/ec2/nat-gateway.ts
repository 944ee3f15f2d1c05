/** NAT gateways. */

import type { Calls } from '../call.ts';
import { list } from '../list.ts';
import type { Filter, Page, Tag, TagSpecifications } from '../shared.ts';

export type NatGateway = {
  NatGatewayId: string;
  VpcId: string;
  SubnetId: string;
  State: 'pending' | 'available' | 'deleting' | 'deleted' | 'failed';
  FailureCode?: string;
  FailureMessage?: string;
  NatGatewayAddresses: { AllocationId: string; PublicIp?: string; PrivateIp?: string; NetworkInterfaceId?: string }[];
  Tags: Tag[];
};
export interface NatGatewayActions {
  DescribeNatGateways: [
    { NatGatewayIds?: string[]; Filter?: Filter[] } & Page,
    { NatGateways: NatGateway[]; NextToken?: string },
  ];
  CreateNatGateway: [
    { SubnetId: string; AllocationId: string; ClientToken: string; TagSpecifications: TagSpecifications },
    { NatGateway: NatGateway },
  ];
  DeleteNatGateway: [{ NatGatewayId: string }, { NatGatewayId: string }];
}

export const natGatewayCalls = {
  DescribeNatGateways: {},
  CreateNatGateway: { also: ['ec2:CreateTags'], makes: ['natgateway'], ours: ['elastic-ip', 'subnet', 'vpc'] },
  DeleteNatGateway: { ours: ['natgateway'] },
} as const satisfies Calls<NatGatewayActions>;

export const natGateways = list('DescribeNatGateways', 'NatGatewayId', {
  filtered: (Filter) => ({ Filter }),
  type: 'natgateway',
  prefix: 'nat',
});
