/** VPC endpoints. */
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
