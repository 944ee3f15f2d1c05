/** Carrier gateways of Wavelength zones. */

import type { Calls } from '../call.ts';
import { list } from '../list.ts';
import type { Empty, Filter, Page, Tag, TagSpecifications } from '../shared.ts';

export type CarrierGateway = {
  CarrierGatewayId: string;
  VpcId: string;
  State: 'pending' | 'available' | 'deleting' | 'deleted';
  Tags: Tag[];
};
export interface CarrierGatewayActions {
  DescribeCarrierGateways: [
    { CarrierGatewayIds?: string[]; Filters?: Filter[] } & Page,
    { CarrierGateways: CarrierGateway[]; NextToken?: string },
  ];
  CreateCarrierGateway: [
    { VpcId: string; ClientToken: string; TagSpecifications: TagSpecifications },
    { CarrierGateway: CarrierGateway },
  ];
  DeleteCarrierGateway: [{ CarrierGatewayId: string }, Empty];
}

export const carrierGatewayCalls = {
  DescribeCarrierGateways: {},
  CreateCarrierGateway: { also: ['ec2:CreateTags'], makes: ['carrier-gateway'], ours: ['vpc'] },
  DeleteCarrierGateway: { ours: ['carrier-gateway'] },
} as const satisfies Calls<CarrierGatewayActions>;

export const carrierGateways = list('DescribeCarrierGateways', 'CarrierGatewayId', {
  type: 'carrier-gateway',
  prefix: 'cagw',
});
