/** Route tables, their routes and their subnets. */
import type { Route, RouteInput, RouteTable } from '../../kinds/ports/cloud/index.ts';
import { carrierGatewayErrors } from './carrier-gateway.ts';
import { type Block, formatBlock, parseBlock } from './cidr.ts';
import { type Block6, formatBlock6, parseBlock6 } from './cidr6.ts';
import type { CollectionOf, Stored } from './collection.ts';
import { describe } from './describe.ts';
import { egressOnlyInternetGatewayErrors } from './egress-only-internet-gateway.ts';
import { dependencyViolation, invalidParameter, missingParameter, refuse, tokenMismatch } from './errors.ts';
import type { Fields } from './filters.ts';
import { fingerprint } from './fingerprint.ts';
import { internetGatewayErrors } from './internet-gateway.ts';
import { idErrorsOf, named, newId, newRecord } from './naming.ts';
import { natGatewayErrors, natGatewayState } from './nat-gateway.ts';
import type { Call, Handlers } from './state.ts';
import { subnetErrors } from './subnet.ts';
import { tagList } from './tags.ts';
import { vpcErrors } from './vpc.ts';

interface StoredRoute {
  destination: string;
  /** `local` in the route that every table has. */
  gateway?: string;
  natGateway?: string;
  carrierGateway?: string;
  egressOnlyGateway?: string;
}

export interface RouteTableRecord extends Stored {
  vpcId: string;
  routes: StoredRoute[];
  associations: { id: string; subnetId: string }[];
  /** Id of the association that makes it the VPC's main table. */
  main?: string;
  token?: string;
  parameters?: string;
}

const routeTableErrors = idErrorsOf('rtb', 'InvalidRouteTableID', 'routeTable ID');

export const routeTables: CollectionOf<RouteTableRecord> = {
  name: 'route-tables',
  errors: routeTableErrors,
  indexes: {
    'vpc-id': ({ vpcId }) => [vpcId],
    'association.subnet-id': ({ associations }) => associations.map(({ subnetId }) => subnetId),
  },
};
/** The messages of gateway endpoints about route tables, which differ. */
export const endpointRouteTableErrors = {
  ...routeTableErrors,
  notFound: 'InvalidRouteTableId.NotFound',
  message: (ids: string) => `The routeTable ID '${ids}' does not exist`,
};

/** Written before its VPC. */
export const newMainRouteTable = (call: Call, vpcId: string, blocks: readonly string[]): RouteTableRecord => {
  const table: RouteTableRecord = {
    ...newRecord(call, 'rtb', 'route-table', undefined),
    vpcId,
    routes: blocks.map((destination) => ({ destination, gateway: 'local' })),
    associations: [],
    main: newId(call.account.random, 'rtbassoc'),
  };
  call.account.routeTables.put(table);
  return table;
};

const isBlackhole = ({ account, now }: Call, { vpcId }: RouteTableRecord, route: StoredRoute): boolean => {
  if (route.gateway?.startsWith('igw-')) return account.internetGateways.get(route.gateway)?.vpcId !== vpcId;
  if (route.carrierGateway) return !account.carrierGateways.get(route.carrierGateway);
  if (route.egressOnlyGateway) return !account.egressOnlyInternetGateways.get(route.egressOnlyGateway);
  if (!route.natGateway) return false;
  const gateway = account.natGateways.get(route.natGateway);
  return !gateway || ['deleted', 'failed'].includes(natGatewayState(gateway, now));
};

const isV6 = (block: string): boolean => block.includes(':');

const viewRoute = (call: Call, table: RouteTableRecord, route: StoredRoute): Route => ({
  [isV6(route.destination) ? 'DestinationIpv6CidrBlock' : 'DestinationCidrBlock']: route.destination,
  ...(route.gateway && { GatewayId: route.gateway }),
  ...(route.natGateway && { NatGatewayId: route.natGateway }),
  ...(route.carrierGateway && { CarrierGatewayId: route.carrierGateway }),
  ...(route.egressOnlyGateway && { EgressOnlyInternetGatewayId: route.egressOnlyGateway }),
  State: isBlackhole(call, table, route) ? 'blackhole' : 'active',
});

const view = (call: Call, table: RouteTableRecord): RouteTable => ({
  RouteTableId: table.id,
  VpcId: table.vpcId,
  Routes: table.routes.map((route) => viewRoute(call, table, route)),
  Associations: [
    ...(table.main ? [{ RouteTableAssociationId: table.main, Main: true }] : []),
    ...table.associations.map(({ id, subnetId }) => ({
      RouteTableAssociationId: id,
      SubnetId: subnetId,
      Main: false,
    })),
  ],
  Tags: tagList(table.tags),
});

const fieldsAt = (call: Call): Fields<RouteTableRecord> => ({
  'route-table-id': ({ id }) => [id],
  'vpc-id': ({ vpcId }) => [vpcId],
  'association.main': ({ main }) => [String(main !== undefined)],
  'association.subnet-id': ({ associations }) => associations.map(({ subnetId }) => subnetId),
  'association.route-table-association-id': ({ associations, main }) => [
    ...associations.map(({ id }) => id),
    ...(main ? [main] : []),
  ],
  'route.destination-cidr-block': ({ routes }) =>
    routes.flatMap(({ destination }) => (isV6(destination) ? [] : destination)),
  'route.destination-ipv6-cidr-block': ({ routes }) =>
    routes.flatMap(({ destination }) => (isV6(destination) ? destination : [])),
  'route.gateway-id': ({ routes }) => routes.flatMap(({ gateway }) => gateway ?? []),
  'route.nat-gateway-id': ({ routes }) => routes.flatMap(({ natGateway }) => natGateway ?? []),
  'route.state': (table) => table.routes.map((route) => viewRoute(call, table, route).State),
});

const destinationOf = ({ DestinationCidrBlock, DestinationIpv6CidrBlock }: RouteInput): string => {
  const block = DestinationIpv6CidrBlock
    ? parseBlock6(DestinationIpv6CidrBlock)
    : parseBlock(DestinationCidrBlock ?? missingParameter('destinationCidrBlock'));
  if (!block)
    return invalidParameter(
      `Value (${DestinationIpv6CidrBlock ?? DestinationCidrBlock}) for parameter destinationCidrBlock is invalid. This is not a valid CIDR block.`,
    );
  return typeof block.base === 'bigint' ? formatBlock6(block as Block6) : formatBlock(block as Block);
};

/** The validated table and route of a request. */
const parseRoute = (call: Call, request: RouteInput): { table: RouteTableRecord; route: StoredRoute } => {
  const { account } = call;
  const { GatewayId, NatGatewayId, CarrierGatewayId, EgressOnlyInternetGatewayId } = request;
  const table = named(call, account.routeTables, request.RouteTableId, routeTableErrors);
  const destination = destinationOf(request);
  if (EgressOnlyInternetGatewayId && !isV6(destination))
    invalidParameter('An egress-only internet gateway is for IPv6 traffic only');
  if ([GatewayId, NatGatewayId, CarrierGatewayId, EgressOnlyInternetGatewayId].filter(Boolean).length > 1)
    refuse(
      'InvalidParameterCombination',
      'The request must contain exactly one of gatewayId, natGatewayId, carrierGatewayId, egressOnlyInternetGatewayId',
    );
  if (GatewayId) {
    const gateway = named(call, account.internetGateways, GatewayId, internetGatewayErrors);
    if (gateway.vpcId !== table.vpcId)
      invalidParameter(`route table ${table.id} and network gateway ${GatewayId} belong to different networks`);
  } else if (NatGatewayId) {
    const gateway = named(call, account.natGateways, NatGatewayId, natGatewayErrors);
    if (gateway.vpcId !== table.vpcId)
      invalidParameter(`route table ${table.id} and interface ${gateway.interfaceId} belong to different networks`);
    if (natGatewayState(gateway, call.now) !== 'available' && natGatewayState(gateway, call.now) !== 'pending')
      refuse('InvalidNatGatewayID.NotFound', `The natGateway ID '${NatGatewayId}' does not exist`);
  } else if (CarrierGatewayId) {
    const gateway = named(call, account.carrierGateways, CarrierGatewayId, carrierGatewayErrors);
    if (gateway.vpcId !== table.vpcId)
      invalidParameter(`route table ${table.id} and carrier gateway ${CarrierGatewayId} belong to different networks`);
  } else if (EgressOnlyInternetGatewayId) {
    const { egressOnlyInternetGateways: all } = account;
    const gateway = named(call, all, EgressOnlyInternetGatewayId, egressOnlyInternetGatewayErrors);
    if (gateway.vpcId !== table.vpcId)
      invalidParameter(`route table ${table.id} and gateway ${gateway.id} belong to different networks`);
  } else missingParameter('GatewayId or NatGatewayId');
  return {
    table,
    route: {
      destination,
      ...(GatewayId && { gateway: GatewayId }),
      ...(NatGatewayId && { natGateway: NatGatewayId }),
      ...(CarrierGatewayId && { carrierGateway: CarrierGatewayId }),
      ...(EgressOnlyInternetGatewayId && { egressOnlyGateway: EgressOnlyInternetGatewayId }),
    },
  };
};

const sameTarget = (a: StoredRoute, b: StoredRoute): boolean =>
  a.gateway === b.gateway &&
  a.natGateway === b.natGateway &&
  a.carrierGateway === b.carrierGateway &&
  a.egressOnlyGateway === b.egressOnlyGateway;

export const routeTableActions = {
  DescribeRouteTables: (call, { RouteTableIds, Filters, MaxResults, NextToken }) => {
    const question = { ids: RouteTableIds, filters: Filters, MaxResults, NextToken };
    const found = describe(call, call.account.routeTables, routeTableErrors, fieldsAt(call), question, {
      limits: { least: 5, most: 100 },
    });
    return {
      RouteTables: found.items.map((table) => view(call, table)),
      ...(found.NextToken && { NextToken: found.NextToken }),
    };
  },

  CreateRouteTable: (call, input) => {
    const { account } = call;
    const { VpcId, ClientToken, TagSpecifications } = input;
    const parameters = fingerprint({ ...input, ClientToken: undefined });
    if (ClientToken) {
      const earlier = account.routeTables.by('region', call.region).find(({ token }) => token === ClientToken);
      if (earlier) return earlier.parameters === parameters ? { RouteTable: view(call, earlier) } : tokenMismatch();
    }
    const vpc = named(call, account.vpcs, VpcId, vpcErrors);
    const base = newRecord(call, 'rtb', 'route-table', TagSpecifications);
    if (account.routeTables.count('vpc-id', VpcId) >= account.behaviour.quotas.routeTablesPerVpc)
      refuse('RouteTableLimitExceeded', 'The maximum number of route tables has been reached.');
    const table: RouteTableRecord = {
      ...base,
      vpcId: VpcId,
      routes: [...vpc.blocks, ...(vpc.ipv6 ? [vpc.ipv6] : [])].map(({ cidr }) => ({
        destination: cidr,
        gateway: 'local',
      })),
      associations: [],
      ...(ClientToken && { token: ClientToken, parameters }),
    };
    account.routeTables.put(table);
    return { RouteTable: view(call, table) };
  },

  CreateRoute: (call, input) => {
    const { table, route } = parseRoute(call, input);
    const existing = table.routes.find(({ destination }) => destination === route.destination);
    if (existing && !sameTarget(existing, route))
      refuse('RouteAlreadyExists', `The route identified by ${route.destination} already exists.`);
    if (!existing) {
      table.routes.push(route);
      call.account.routeTables.put(table);
    }
    return { Return: true };
  },

  ReplaceRoute: (call, input) => {
    const { table, route } = parseRoute(call, input);
    const at = table.routes.findIndex(({ destination }) => destination === route.destination);
    if (at < 0)
      invalidParameter(
        `There is no route defined for '${route.destination}' in the route table. Use CreateRoute instead.`,
      );
    table.routes[at] = route;
    call.account.routeTables.put(table);
    return {};
  },

  AssociateRouteTable: (call, { RouteTableId, SubnetId }) => {
    const { account } = call;
    const table = named(call, account.routeTables, RouteTableId, routeTableErrors);
    const subnet = named(call, account.subnets, SubnetId, subnetErrors);
    if (table.vpcId !== subnet.vpcId)
      invalidParameter(`Route table ${table.id} and subnet ${subnet.id} belong to different networks`);
    const same = table.associations.find(({ subnetId }) => subnetId === SubnetId);
    if (same) return { AssociationId: same.id };
    const [other] = account.routeTables.by('association.subnet-id', SubnetId);
    if (other)
      refuse(
        'Resource.AlreadyAssociated',
        `the specified association for route table ${RouteTableId} conflicts with an existing association`,
      );
    const association = { id: newId(account.random, 'rtbassoc'), subnetId: SubnetId };
    table.associations.push(association);
    account.routeTables.put(table);
    return { AssociationId: association.id };
  },

  DisassociateRouteTable: (call, { AssociationId }) => {
    const { account, region } = call;
    const table =
      account.routeTables
        .by('region', region)
        .find(
          ({ associations, main }) => main === AssociationId || associations.some(({ id }) => id === AssociationId),
        ) ?? refuse('InvalidAssociationID.NotFound', `The association ID '${AssociationId}' does not exist`);
    if (table.main === AssociationId)
      invalidParameter(`cannot disassociate the main route table association ${AssociationId}`);
    table.associations = table.associations.filter(({ id }) => id !== AssociationId);
    account.routeTables.put(table);
    return {};
  },

  DeleteRouteTable: (call, { RouteTableId }) => {
    const { account } = call;
    const table = named(call, account.routeTables, RouteTableId, routeTableErrors);
    if (table.main !== undefined || table.associations.length > 0)
      dependencyViolation(`The routeTable '${RouteTableId}' has dependencies and cannot be deleted.`);
    for (const endpoint of account.vpcEndpoints.by('vpc-id', table.vpcId)) {
      if (!endpoint.routeTableIds.includes(table.id)) continue;
      endpoint.routeTableIds = endpoint.routeTableIds.filter((id) => id !== table.id);
      account.vpcEndpoints.put(endpoint);
    }
    account.routeTables.delete(table.id);
    return {};
  },
} satisfies Handlers;
