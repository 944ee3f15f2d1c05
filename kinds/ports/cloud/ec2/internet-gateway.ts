/** Internet gateways. */

import type { Calls } from '../call.ts';
import { list } from '../list.ts';
import type { Empty, Filter, Page, Tag, TagSpecifications } from '../shared.ts';

export type InternetGateway = {
  InternetGatewayId: string;
  Attachments: { VpcId: string; State: string }[];
  Tags: Tag[];
};
export interface InternetGatewayActions {
  DescribeInternetGateways: [
    { InternetGatewayIds?: string[]; Filters?: Filter[] } & Page,
    { InternetGateways: InternetGateway[]; NextToken?: string },
  ];
  CreateInternetGateway: [{ TagSpecifications: TagSpecifications }, { InternetGateway: InternetGateway }];
  AttachInternetGateway: [{ InternetGatewayId: string; VpcId: string }, Empty];
  DetachInternetGateway: [{ InternetGatewayId: string; VpcId: string }, Empty];
  DeleteInternetGateway: [{ InternetGatewayId: string }, Empty];
}

export const internetGatewayCalls = {
  DescribeInternetGateways: {},
  CreateInternetGateway: { also: ['ec2:CreateTags'], makes: ['internet-gateway'] },
  AttachInternetGateway: { ours: ['internet-gateway', 'vpc'] },
  DetachInternetGateway: { ours: ['internet-gateway', 'vpc'] },
  DeleteInternetGateway: { ours: ['internet-gateway'] },
} as const satisfies Calls<InternetGatewayActions>;

export const internetGateways = list('DescribeInternetGateways', 'InternetGatewayId', {
  type: 'internet-gateway',
  prefix: 'igw',
});
