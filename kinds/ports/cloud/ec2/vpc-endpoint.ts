/** VPC endpoints. */

import type { Calls } from '../call.ts';
import { list } from '../list.ts';
import type { Empty, Filter, Page, Tag, TagSpecifications } from '../shared.ts';

export type VpcEndpoint = {
  VpcEndpointId: string;
  VpcId: string;
  ServiceName: string;
  State: string;
  RouteTableIds: string[];
  Tags: Tag[];
};
export interface VpcEndpointActions {
  DescribeVpcEndpoints: [
    { VpcEndpointIds?: string[]; Filters?: Filter[] } & Page,
    { VpcEndpoints: VpcEndpoint[]; NextToken?: string },
  ];
  CreateVpcEndpoint: [
    {
      VpcId: string;
      ServiceName: string;
      RouteTableIds: string[];
      ClientToken: string;
      TagSpecifications: TagSpecifications;
    },
    { VpcEndpoint: VpcEndpoint },
  ];
  DeleteVpcEndpoints: [{ VpcEndpointIds: string[] }, Empty];
}

export const vpcEndpointCalls = {
  DescribeVpcEndpoints: {},
  CreateVpcEndpoint: { also: ['ec2:CreateTags'], makes: ['vpc-endpoint'], ours: ['route-table', 'vpc'] },
  DeleteVpcEndpoints: { ours: ['vpc-endpoint'] },
} as const satisfies Calls<VpcEndpointActions>;

export const vpcEndpoints = list('DescribeVpcEndpoints', 'VpcEndpointId', { type: 'vpc-endpoint', prefix: 'vpce' });
