import type { RouteTable } from '../../../ports/cloud/index.ts';
import { type Call, call, create, type Want } from '../../engine/resource.ts';
import { purposeTag, tagMap } from '../../engine/tags.ts';
import { routeTablesReady } from '../conditions.ts';
import type { SubnetSpec } from '../fill.ts';
import { everywhere6, isIpv6, nat64, wantsIpv6 } from '../ipv6.ts';
import type { NetworkResource, Scope } from '../scope.ts';
import { isWavelength } from '../wavelength.ts';
import { attachedGateway } from './internet-gateways.ts';
import { gatewayOfZone, gatewaySubnets, zoneOfGateway } from './nat-gateways.ts';
import { observedSubnet } from './subnets.ts';

const everywhere = '0.0.0.0/0';

/** The route table of a subnet: the associated one, else the one created for it. */
export const routeTableOf = (
  subnet: SubnetSpec,
  subnetId: string | undefined,
  tables: readonly RouteTable[],
): RouteTable | undefined =>
  tables.find(({ Associations }) => subnetId && Associations.some(({ SubnetId }) => SubnetId === subnetId)) ??
  tables.find(({ Tags }) => tagMap(Tags)[purposeTag] === `route-table/${subnet.id}`);

type Target =
  | { GatewayId: string }
  | { NatGatewayId: string }
  | { CarrierGatewayId: string }
  | { EgressOnlyInternetGatewayId: string };

const targetOf = (scope: Scope, subnet: SubnetSpec): Target | 'later' | 'none' => {
  const { network, cloudState } = scope;
  if (subnet.isPublic && isWavelength(subnet)) {
    const [carrier] = cloudState.carrierGateways;
    return carrier?.State === 'available' ? { CarrierGatewayId: carrier.CarrierGatewayId } : 'later';
  }
  if (subnet.isPublic) {
    const gateway = attachedGateway(cloudState);
    return gateway ? { GatewayId: gateway.InternetGatewayId } : 'later';
  }
  const zone = zoneOfGateway(subnet);
  if (!gatewaySubnets(network.subnets ?? []).some(({ availabilityZone }) => availabilityZone === zone)) return 'none';
  const gateway = gatewayOfZone(scope, subnet);
  return gateway?.State === 'available' ? { NatGatewayId: gateway.NatGatewayId } : 'later';
};

/** The way out over IPv6, and to services with IPv4 only: by the words of their steps. */
const ipv6Targets = (
  { network, cloudState }: Scope,
  subnet: SubnetSpec,
  target: Target | 'later',
): [string, string, Target | 'later'][] => {
  if (!wantsIpv6({ network }) || !isIpv6(subnet)) return [];
  if (subnet.isPublic) return [['route-ipv6', everywhere6, target]];
  const id = cloudState.egressOnlyInternetGateways[0]?.EgressOnlyInternetGatewayId;
  return [
    ['route-ipv6', everywhere6, id ? { EgressOnlyInternetGatewayId: id } : 'later'],
    ['route-nat64', nat64, target],
  ];
};

const routeTo = (table: RouteTable, block: string, target: Target): Call | undefined => {
  const key = block.includes(':') ? 'DestinationIpv6CidrBlock' : 'DestinationCidrBlock';
  const route = table.Routes.find((one) => one[key] === block);
  const input = { RouteTableId: table.RouteTableId, [key]: block, ...target };
  const leads = (key: string, id: string) => (route as Record<string, unknown> | undefined)?.[key] === id;
  if (Object.entries(target).every(([key, id]) => leads(key, id))) return undefined;
  return route ? call('ReplaceRoute', input) : call('CreateRoute', input);
};

const wantOf = (scope: Scope, VpcId: string, subnet: SubnetSpec): Want<RouteTable> => {
  const { owner, cloudState } = scope;
  const SubnetId = observedSubnet(subnet, cloudState.subnets)?.SubnetId;
  const there = routeTableOf(subnet, SubnetId, cloudState.routeTables);
  const name = `${owner.clusterName}-rt-${subnet.isPublic ? 'public' : 'private'}-${subnet.availabilityZone}`;
  const want = { which: subnet.id, there, create: create('CreateRouteTable', { VpcId }), tags: { name } };
  if (!there) return want;
  const target = targetOf(scope, subnet);
  if (target === 'none')
    return {
      ...want,
      lacks: `no NAT gateway is available in zone ${subnet.availabilityZone}: add a public subnet there`,
    };
  const ways: [string, string, Target | 'later'][] = [
    ['route', everywhere, target],
    ...ipv6Targets(scope, subnet, target),
  ];
  const isAssociated = !SubnetId || there.Associations.some((one) => one.SubnetId === SubnetId);
  const association = { RouteTableId: there.RouteTableId, SubnetId: SubnetId ?? '' };
  return {
    ...want,
    repairs: {
      ...Object.fromEntries(
        ways.map(([step, block, way]) => [step, way === 'later' ? undefined : routeTo(there, block, way)]),
      ),
      association: isAssociated ? undefined : call('AssociateRouteTable', association),
    },
    awaited: [
      ...ways.flatMap(([step, , way]) => (way === 'later' ? [step] : [])),
      ...(SubnetId ? [] : ['association']),
    ],
  };
};

const gatewayChecks = { checks: [30, 85], every: 10 };

/**
 * One route table a subnet with one route: through the internet gateway, or through the zone's NAT
 * gateway. With IPv6, one more through the internet gateway, or through the egress-only one.
 */
export const routeTables: NetworkResource<RouteTable> = {
  sort: 'route-table',
  title: 'route table',
  events: ['CreateRouteTable', 'CreateRoute', 'ReplaceRoute', 'AssociateRouteTable', 'DeleteRouteTable'],
  condition: {
    type: routeTablesReady,
    started: 'RouteTablesCreationStarted',
    failed: 'RouteTableReconciliationFailed',
  },
  list: 'routeTables',
  inUnmanagedNetwork: 'described',
  depth: 1,
  ec2: ['route-table'],
  repeats: 'token',
  desired: (scope) => {
    const { vpc } = scope.cloudState;
    if (vpc?.unmanaged) return [];
    return vpc ? (scope.network.subnets ?? []).map((subnet) => wantOf(scope, vpc.VpcId, subnet)) : 'later';
  },
  awaiting: () => 'Setting up the route tables',
  // A route waits for its gateway.
  expected: { route: gatewayChecks, 'route-ipv6': gatewayChecks, 'route-nat64': gatewayChecks },
  uses: ['vpcs', 'carrierGateways'],
  turn: () => 'last',
  // Associations of the cluster's subnets went with the subnets; the rest belongs to the user and
  // keeps the table.
  remove: ({ RouteTableId, Associations }) => {
    const left = Associations.filter(({ Main }) => !Main);
    return left.length > 0
      ? left.map(({ RouteTableAssociationId: id }) => ({
          ...call('DisassociateRouteTable', { AssociationId: id }),
          id,
        }))
      : [call('DeleteRouteTable', { RouteTableId })];
  },
};
