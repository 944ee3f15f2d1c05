/** Egress-only internet gateways. */
import type { EgressOnlyInternetGateway } from '../../kinds/ports/cloud/index.ts';
import type { CollectionOf, Stored } from './collection.ts';
import { describe } from './describe.ts';
import { tokenMismatch } from './errors.ts';
import type { Fields } from './filters.ts';
import { fingerprint } from './fingerprint.ts';
import { idErrorsOf, named, newRecord } from './naming.ts';
import type { Handlers } from './state.ts';
import { tagList } from './tags.ts';
import { vpcErrors } from './vpc.ts';

export interface EgressOnlyInternetGatewayRecord extends Stored {
  vpcId: string;
  token: string;
  parameters: string;
}

export const egressOnlyInternetGatewayErrors = idErrorsOf(
  'eigw',
  'InvalidGatewayID',
  'egress only internet gateway ID',
);

export const egressOnlyInternetGateways: CollectionOf<EgressOnlyInternetGatewayRecord> = {
  name: 'egress-only-internet-gateways',
  type: 'egress-only-internet-gateway',
  errors: egressOnlyInternetGatewayErrors,
  indexes: { 'vpc-id': ({ vpcId }) => [vpcId] },
};

const view = (gateway: EgressOnlyInternetGatewayRecord): EgressOnlyInternetGateway => ({
  EgressOnlyInternetGatewayId: gateway.id,
  Attachments: [{ VpcId: gateway.vpcId, State: 'attached' }],
  Tags: tagList(gateway.tags),
});

/** EC2 filters them by tag only. */
const fields: Fields<EgressOnlyInternetGatewayRecord> = {};

export const egressOnlyInternetGatewayActions = {
  DescribeEgressOnlyInternetGateways: (call, { EgressOnlyInternetGatewayIds, Filters, MaxResults, NextToken }) => {
    const question = { ids: EgressOnlyInternetGatewayIds, filters: Filters, MaxResults, NextToken };
    const all = call.account.egressOnlyInternetGateways;
    const found = describe(call, all, egressOnlyInternetGatewayErrors, fields, question);
    return {
      EgressOnlyInternetGateways: found.items.map(view),
      ...(found.NextToken && { NextToken: found.NextToken }),
    };
  },

  CreateEgressOnlyInternetGateway: (call, input) => {
    const { account, region } = call;
    const { VpcId, ClientToken, TagSpecifications } = input;
    const parameters = fingerprint({ ...input, ClientToken: undefined });
    const earlier = account.egressOnlyInternetGateways.by('region', region).find(({ token }) => token === ClientToken);
    if (earlier)
      return earlier.parameters === parameters ? { EgressOnlyInternetGateway: view(earlier) } : tokenMismatch();
    const vpc = named(call, account.vpcs, VpcId, vpcErrors);
    const base = newRecord(call, 'eigw', 'egress-only-internet-gateway', TagSpecifications);
    const gateway = { ...base, vpcId: vpc.id, token: ClientToken, parameters };
    account.egressOnlyInternetGateways.put(gateway);
    return { EgressOnlyInternetGateway: view(gateway) };
  },

  DeleteEgressOnlyInternetGateway: (call, { EgressOnlyInternetGatewayId: id }) => {
    const { egressOnlyInternetGateways: all } = call.account;
    all.delete(named(call, all, id, egressOnlyInternetGatewayErrors).id);
    return { ReturnCode: true };
  },
} satisfies Handlers;
