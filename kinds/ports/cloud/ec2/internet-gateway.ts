/** Internet gateways. */
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
