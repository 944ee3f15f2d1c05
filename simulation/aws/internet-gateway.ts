/** Internet gateways, one for each VPC. */
import type { InternetGateway } from '../../kinds/ports/cloud/index.ts';
import type { CollectionOf, Stored } from './collection.ts';
import { describe } from './describe.ts';
import { dependencyViolation, invalidParameter, refuse } from './errors.ts';
import type { Fields } from './filters.ts';
import { idErrorsOf, named, newRecord } from './naming.ts';
import { networkInterfacesOfVpc } from './network-interface.ts';
import type { Handlers } from './state.ts';
import { tagList } from './tags.ts';
import { vpcErrors } from './vpc.ts';

export interface InternetGatewayRecord extends Stored {
  vpcId?: string;
  provided?: boolean;
}

export const internetGatewayErrors = idErrorsOf('igw', 'InvalidInternetGatewayID', 'internetGateway ID');

export const internetGateways: CollectionOf<InternetGatewayRecord> = {
  name: 'internet-gateways',
  errors: internetGatewayErrors,
  indexes: { 'attachment.vpc-id': ({ vpcId }) => (vpcId ? [vpcId] : []) },
};

const view = (gateway: InternetGatewayRecord): InternetGateway => ({
  InternetGatewayId: gateway.id,
  Attachments: gateway.vpcId ? [{ VpcId: gateway.vpcId, State: 'available' }] : [],
  Tags: tagList(gateway.tags),
});

const fields: Fields<InternetGatewayRecord> = {
  'internet-gateway-id': ({ id }) => [id],
  'attachment.vpc-id': ({ vpcId }) => (vpcId ? [vpcId] : []),
  'attachment.state': ({ vpcId }) => (vpcId ? ['available'] : []),
};

export const internetGatewayActions = {
  DescribeInternetGateways: (call, { InternetGatewayIds, Filters, MaxResults, NextToken }) => {
    const question = { ids: InternetGatewayIds, filters: Filters, MaxResults, NextToken };
    const found = describe(call, call.account.internetGateways, internetGatewayErrors, fields, question);
    return { InternetGateways: found.items.map(view), ...(found.NextToken && { NextToken: found.NextToken }) };
  },

  CreateInternetGateway: (call, { TagSpecifications }) => {
    const { internetGateways, behaviour } = call.account;
    const gateway: InternetGatewayRecord = newRecord(call, 'igw', 'internet-gateway', TagSpecifications);
    if (internetGateways.count('region', call.region) >= behaviour.quotas.internetGateways)
      refuse('InternetGatewayLimitExceeded', 'The maximum number of internet gateways has been reached.');
    internetGateways.put(gateway);
    return { InternetGateway: view(gateway) };
  },

  AttachInternetGateway: (call, { InternetGatewayId, VpcId }) => {
    const { account } = call;
    const gateway = named(call, account.internetGateways, InternetGatewayId, internetGatewayErrors);
    const vpc = named(call, account.vpcs, VpcId, vpcErrors);
    if (gateway.vpcId)
      refuse('Resource.AlreadyAssociated', `resource ${gateway.id} is already attached to network ${gateway.vpcId}`);
    if (account.internetGateways.count('attachment.vpc-id', vpc.id) > 0)
      invalidParameter(`Network ${vpc.id} already has an internet gateway attached`);
    account.internetGateways.put(Object.assign(gateway, { vpcId: vpc.id }));
    return {};
  },

  DetachInternetGateway: (call, { InternetGatewayId, VpcId }) => {
    const { account, now } = call;
    const gateway = named(call, account.internetGateways, InternetGatewayId, internetGatewayErrors);
    named(call, account.vpcs, VpcId, vpcErrors);
    if (gateway.vpcId !== VpcId)
      refuse('Gateway.NotAttached', `resource ${gateway.id} is not attached to network ${VpcId}`);
    if (networkInterfacesOfVpc(account, VpcId, now).some(({ publicIp }) => publicIp !== undefined))
      dependencyViolation(
        `Network ${VpcId} has some mapped public address(es). Please unmap those public address(es) before detaching the gateway.`,
      );
    delete gateway.vpcId;
    account.internetGateways.put(gateway);
    return {};
  },

  DeleteInternetGateway: (call, { InternetGatewayId }) => {
    const gateway = named(call, call.account.internetGateways, InternetGatewayId, internetGatewayErrors);
    if (gateway.vpcId)
      dependencyViolation(`The internetGateway '${gateway.id}' has dependencies and cannot be deleted.`);
    call.account.internetGateways.delete(gateway.id);
    return {};
  },
} satisfies Handlers;
