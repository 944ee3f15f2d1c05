/** Carrier gateways: the way from Wavelength zones into the carrier's network. */
import type { CarrierGateway } from '../../kinds/ports/cloud/index.ts';
import type { CollectionOf, Stored } from './collection.ts';
import { describe } from './describe.ts';
import { invalidParameter, tokenMismatch } from './errors.ts';
import type { Fields } from './filters.ts';
import { fingerprint } from './fingerprint.ts';
import { idErrorsOf, named, newRecord } from './naming.ts';
import type { Handlers } from './state.ts';
import { tagList } from './tags.ts';
import { vpcErrors } from './vpc.ts';

export interface CarrierGatewayRecord extends Stored {
  vpcId: string;
  token: string;
  parameters: string;
}

export const carrierGatewayErrors = idErrorsOf('cagw', 'InvalidCarrierGatewayID', 'carrierGateway ID');

export const carrierGateways: CollectionOf<CarrierGatewayRecord> = {
  name: 'carrier-gateways',
  type: 'carrier-gateway',
  errors: carrierGatewayErrors,
  indexes: { 'vpc-id': ({ vpcId }) => [vpcId] },
};

const view = (gateway: CarrierGatewayRecord): CarrierGateway => ({
  CarrierGatewayId: gateway.id,
  VpcId: gateway.vpcId,
  State: 'available',
  Tags: tagList(gateway.tags),
});

const fields: Fields<CarrierGatewayRecord> = {
  'carrier-gateway-id': ({ id }) => [id],
  'vpc-id': ({ vpcId }) => [vpcId],
  state: () => ['available'],
};

export const carrierGatewayActions = {
  DescribeCarrierGateways: (call, { CarrierGatewayIds, Filters, MaxResults, NextToken }) => {
    const question = { ids: CarrierGatewayIds, filters: Filters, MaxResults, NextToken };
    const found = describe(call, call.account.carrierGateways, carrierGatewayErrors, fields, question);
    return { CarrierGateways: found.items.map(view), ...(found.NextToken && { NextToken: found.NextToken }) };
  },

  CreateCarrierGateway: (call, input) => {
    const { account, region } = call;
    const { VpcId, ClientToken, TagSpecifications } = input;
    const parameters = fingerprint({ ...input, ClientToken: undefined });
    const earlier = account.carrierGateways.by('region', region).find(({ token }) => token === ClientToken);
    if (earlier) return earlier.parameters === parameters ? { CarrierGateway: view(earlier) } : tokenMismatch();
    const vpc = named(call, account.vpcs, VpcId, vpcErrors);
    if (account.carrierGateways.count('vpc-id', vpc.id) > 0)
      invalidParameter(`Network ${vpc.id} already has a carrier gateway`);
    const base = newRecord(call, 'cagw', 'carrier-gateway', TagSpecifications);
    const gateway = { ...base, vpcId: vpc.id, token: ClientToken, parameters };
    account.carrierGateways.put(gateway);
    return { CarrierGateway: view(gateway) };
  },

  DeleteCarrierGateway: (call, { CarrierGatewayId }) => {
    const gateway = named(call, call.account.carrierGateways, CarrierGatewayId, carrierGatewayErrors);
    call.account.carrierGateways.delete(gateway.id);
    return {};
  },
} satisfies Handlers;
