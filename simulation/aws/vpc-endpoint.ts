/** Gateway endpoints: routes from a VPC's tables to S3 or DynamoDB. */
import type { VpcEndpoint } from '../../kinds/ports/cloud/index.ts';
import type { CollectionOf, Stored } from './collection.ts';
import { describe } from './describe.ts';
import { invalidParameter, refuse, tokenMismatch } from './errors.ts';
import type { Fields } from './filters.ts';
import { fingerprint } from './fingerprint.ts';
import { idErrorsOf, named, newRecord } from './naming.ts';
import { endpointRouteTableErrors } from './route-table.ts';
import type { Handlers } from './state.ts';
import { tagList } from './tags.ts';
import { vpcErrors } from './vpc.ts';

export interface VpcEndpointRecord extends Stored {
  vpcId: string;
  service: string;
  routeTableIds: string[];
  token: string;
  parameters: string;
}

export const vpcEndpoints: CollectionOf<VpcEndpointRecord> = {
  name: 'vpc-endpoints',
  type: 'vpc-endpoint',
  errors: idErrorsOf('vpce', 'InvalidVpcEndpointId', 'Vpc Endpoint Id'),
  indexes: { 'vpc-id': ({ vpcId }) => [vpcId] },
};

const endpointErrors = {
  ...idErrorsOf('vpce', 'InvalidVpcEndpointId', 'Vpc Endpoint Id'),
  message: (ids: string) => `The Vpc Endpoint Id '${ids}' does not exist`,
};

const view = (endpoint: VpcEndpointRecord): VpcEndpoint => ({
  VpcEndpointId: endpoint.id,
  VpcId: endpoint.vpcId,
  ServiceName: endpoint.service,
  State: 'available',
  RouteTableIds: [...endpoint.routeTableIds],
  Tags: tagList(endpoint.tags),
});

const fields: Fields<VpcEndpointRecord> = {
  'vpc-endpoint-id': ({ id }) => [id],
  'vpc-id': ({ vpcId }) => [vpcId],
  'service-name': ({ service }) => [service],
  'vpc-endpoint-state': () => ['available'],
  'vpc-endpoint-type': () => ['Gateway'],
};

export const vpcEndpointActions = {
  DescribeVpcEndpoints: (call, { VpcEndpointIds, Filters, MaxResults, NextToken }) => {
    const question = { ids: VpcEndpointIds, filters: Filters, MaxResults, NextToken };
    const found = describe(call, call.account.vpcEndpoints, endpointErrors, fields, question, {
      limits: { least: 1, most: 1000 },
    });
    return { VpcEndpoints: found.items.map(view), ...(found.NextToken && { NextToken: found.NextToken }) };
  },

  CreateVpcEndpoint: (call, input) => {
    const { account, region } = call;
    const { VpcId, ServiceName, RouteTableIds, ClientToken, TagSpecifications } = input;
    const parameters = fingerprint({ ...input, ClientToken: undefined });
    const earlier = account.vpcEndpoints.by('region', region).find(({ token }) => token === ClientToken);
    if (earlier) return earlier.parameters === parameters ? { VpcEndpoint: view(earlier) } : tokenMismatch();

    const vpc = named(call, account.vpcs, VpcId, vpcErrors);
    if (![`com.amazonaws.${region}.s3`, `com.amazonaws.${region}.dynamodb`].includes(ServiceName))
      refuse('InvalidServiceName', `The Vpc Endpoint Service '${ServiceName}' does not exist`);
    for (const id of RouteTableIds) {
      const table = named(call, account.routeTables, id, endpointRouteTableErrors);
      if (table.vpcId !== vpc.id) invalidParameter(`Route table ${id} does not belong to VPC ${vpc.id}`);
      const other = account.vpcEndpoints
        .by('vpc-id', vpc.id)
        .find(({ service, routeTableIds }) => service === ServiceName && routeTableIds.includes(id));
      if (other)
        refuse(
          'RouteAlreadyExists',
          `route table ${id} already has a route with destination-prefix-list-id of ${ServiceName}`,
        );
    }
    const base = newRecord(call, 'vpce', 'vpc-endpoint', TagSpecifications);
    if (account.vpcEndpoints.count('region', region) >= account.behaviour.quotas.gatewayEndpoints)
      refuse('VpcEndpointLimitExceeded', 'The maximum number of VPC endpoints has been reached.');
    const endpoint = {
      ...base,
      vpcId: vpc.id,
      service: ServiceName,
      routeTableIds: [...RouteTableIds],
      token: ClientToken,
      parameters,
    };
    account.vpcEndpoints.put(endpoint);
    return { VpcEndpoint: view(endpoint) };
  },

  DeleteVpcEndpoints: (call, { VpcEndpointIds }) => {
    for (const id of VpcEndpointIds) named(call, call.account.vpcEndpoints, id, endpointErrors);
    for (const id of VpcEndpointIds) call.account.vpcEndpoints.delete(id);
    return {};
  },
} satisfies Handlers;
