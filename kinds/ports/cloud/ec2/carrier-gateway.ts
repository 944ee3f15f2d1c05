/** Carrier gateways of Wavelength zones. */
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
