/** Route tables. */

import type { Calls } from '../call.ts';
import { list } from '../list.ts';
import type { Empty, Filter, Page, Tag, TagSpecifications } from '../shared.ts';

/** A block of IPv4 or one of IPv6. */
export type Route = {
  DestinationCidrBlock?: string;
  DestinationIpv6CidrBlock?: string;
  GatewayId?: string;
  NatGatewayId?: string;
  CarrierGatewayId?: string;
  EgressOnlyInternetGatewayId?: string;
  State: 'active' | 'blackhole';
};
/** A destination and exactly one target. */
export type RouteInput = {
  RouteTableId: string;
  DestinationCidrBlock?: string;
  DestinationIpv6CidrBlock?: string;
  GatewayId?: string;
  NatGatewayId?: string;
  CarrierGatewayId?: string;
  EgressOnlyInternetGatewayId?: string;
};
export type RouteTable = {
  RouteTableId: string;
  VpcId: string;
  Routes: Route[];
  Associations: { RouteTableAssociationId: string; SubnetId?: string; Main: boolean }[];
  Tags: Tag[];
};
export interface RouteTableActions {
  DescribeRouteTables: [
    { RouteTableIds?: string[]; Filters?: Filter[] } & Page,
    { RouteTables: RouteTable[]; NextToken?: string },
  ];
  CreateRouteTable: [
    { VpcId: string; ClientToken?: string; TagSpecifications: TagSpecifications },
    { RouteTable: RouteTable },
  ];
  CreateRoute: [RouteInput, { Return: boolean }];
  ReplaceRoute: [RouteInput, Empty];
  AssociateRouteTable: [{ RouteTableId: string; SubnetId: string }, { AssociationId: string }];
  DisassociateRouteTable: [{ AssociationId: string }, Empty];
  DeleteRouteTable: [{ RouteTableId: string }, Empty];
}

export const routeTableCalls = {
  DescribeRouteTables: {},
  CreateRouteTable: { also: ['ec2:CreateTags'], makes: ['route-table'], ours: ['vpc'] },
  CreateRoute: { ours: ['route-table'] },
  ReplaceRoute: { ours: ['route-table'] },
  AssociateRouteTable: { ours: ['route-table', 'subnet'] },
  // A user may have associated the user's own subnet with Capstan's route table, which cannot be
  // deleted with it.
  DisassociateRouteTable: { ours: ['route-table'], uses: ['subnet'] },
  DeleteRouteTable: { ours: ['route-table'] },
} as const satisfies Calls<RouteTableActions>;

export const routeTables = list('DescribeRouteTables', 'RouteTableId', {
  pageSize: 100,
  type: 'route-table',
  prefix: 'rtb',
});
