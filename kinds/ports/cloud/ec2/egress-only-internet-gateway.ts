/** Egress-only internet gateways: the way out over IPv6, and none in. */

import type { Calls } from '../call.ts';
import { list } from '../list.ts';
import type { Filter, Page, Tag, TagSpecifications } from '../shared.ts';

export type EgressOnlyInternetGateway = {
  EgressOnlyInternetGatewayId: string;
  Attachments: { VpcId: string; State: string }[];
  Tags: Tag[];
};
export interface EgressOnlyInternetGatewayActions {
  DescribeEgressOnlyInternetGateways: [
    { EgressOnlyInternetGatewayIds?: string[]; Filters?: Filter[] } & Page,
    { EgressOnlyInternetGateways: EgressOnlyInternetGateway[]; NextToken?: string },
  ];
  CreateEgressOnlyInternetGateway: [
    { VpcId: string; ClientToken: string; TagSpecifications: TagSpecifications },
    { EgressOnlyInternetGateway: EgressOnlyInternetGateway },
  ];
  DeleteEgressOnlyInternetGateway: [{ EgressOnlyInternetGatewayId: string }, { ReturnCode: boolean }];
}

export const egressOnlyInternetGatewayCalls = {
  DescribeEgressOnlyInternetGateways: {},
  CreateEgressOnlyInternetGateway: {
    also: ['ec2:CreateTags'],
    makes: ['egress-only-internet-gateway'],
    ours: ['vpc'],
  },
  DeleteEgressOnlyInternetGateway: { ours: ['egress-only-internet-gateway'] },
} as const satisfies Calls<EgressOnlyInternetGatewayActions>;

export const egressOnlyInternetGateways = list('DescribeEgressOnlyInternetGateways', 'EgressOnlyInternetGatewayId', {
  pageSize: 255,
  type: 'egress-only-internet-gateway',
  prefix: 'eigw',
});
