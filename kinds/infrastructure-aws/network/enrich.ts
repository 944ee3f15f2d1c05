/** Writes what EC2 reports about the network into the spec: ids, zones, blocks, tags. */
import type { EgressOnlyInternetGateway, RouteTable, Vpc } from '../../ports/cloud/index.ts';
import { tagMap } from '../engine/tags.ts';
import type { Network, SubnetSpec, VpcSpec } from './fill.ts';
import { ipv6BlockOf } from './ipv6.ts';
import type { CloudState } from './observe-cloud.ts';
import { usedGateway } from './resources/internet-gateways.ts';
import { isLive } from './resources/nat-gateways.ts';
import { routeTableOf } from './resources/route-tables.ts';
import { observedSubnet } from './resources/subnets.ts';

/** `given`: the tags that the user wants on the VPC, which EC2 may not report yet. */
export const enrichedNetwork = (
  network: Network,
  cloudState: CloudState,
  given: Record<string, string> = {},
): Network => {
  const { vpc, carrierGateways, egressOnlyInternetGateways } = cloudState;
  if (!vpc) return network;
  const internetGateway = usedGateway(cloudState);
  const { tags: _, ...known } = network.vpc ?? {};
  const tags = { ...tagMap(vpc.Tags), ...(!vpc.unmanaged && given) };
  const subnets = (network.subnets ?? []).map((subnet) =>
    enrichedSubnet(subnet, cloudState, network.vpc?.ipv6 !== undefined),
  );
  return {
    ...network,
    vpc: {
      ...known,
      id: vpc.VpcId,
      cidrBlock: vpc.CidrBlock,
      ...(known.ipv6 && { ipv6: enrichedIpv6(known.ipv6, vpc, egressOnlyInternetGateways[0]) }),
      ...(Object.keys(tags).length > 0 && { tags }),
      ...(internetGateway && !vpc.unmanaged && { internetGatewayId: internetGateway.InternetGatewayId }),
      ...(carrierGateways[0] && { carrierGatewayId: carrierGateways[0].CarrierGatewayId }),
    },
    ...(subnets.length > 0 && { subnets }),
  };
};

type Ipv6 = NonNullable<VpcSpec['ipv6']>;

const enrichedIpv6 = (given: Ipv6, vpc: Vpc, gateway: EgressOnlyInternetGateway | undefined): Ipv6 => {
  const block = ipv6BlockOf(vpc);
  const pool = vpc.Ipv6CidrBlockAssociationSet?.find(({ Ipv6CidrBlock }) => Ipv6CidrBlock === block)?.Ipv6Pool;
  return {
    ...given,
    ...(block && { cidrBlock: block }),
    ...(pool && !given.ipamPool && { poolId: pool }),
    ...(gateway && { egressOnlyInternetGatewayId: gateway.EgressOnlyInternetGatewayId }),
  };
};

const enrichedSubnet = (subnet: SubnetSpec, cloudState: CloudState, hasIpv6: boolean): SubnetSpec => {
  const there = observedSubnet(subnet, cloudState.subnets);
  if (!there) return subnet;
  const ipv6Block = ipv6BlockOf(there);
  const gateway = cloudState.natGateways.find((one) => one.SubnetId === there.SubnetId && isLive(one));
  const table = routeTableOf(subnet, there.SubnetId, cloudState.routeTables);
  const main = cloudState.routeTables.find(({ Associations }) => Associations.some(({ Main }) => Main));
  return {
    ...subnet,
    resourceID: there.SubnetId,
    availabilityZone: there.AvailabilityZone,
    cidrBlock: there.CidrBlock,
    ...(hasIpv6 && ipv6Block && { isIpv6: true, ipv6CidrBlock: ipv6Block }),
    // The route table of an unmanaged subnet determines whether it is public.
    ...(cloudState.vpc?.unmanaged && { isPublic: leadsOut(table ?? main) }),
    ...(gateway && subnet.isPublic && { natGatewayId: gateway.NatGatewayId }),
    ...(table && { routeTableId: table.RouteTableId }),
  };
};

const leadsOut = (table: RouteTable | undefined): boolean =>
  table?.Routes.some(
    ({ DestinationCidrBlock, GatewayId, CarrierGatewayId }) =>
      DestinationCidrBlock === '0.0.0.0/0' && (GatewayId?.startsWith('igw-') || CarrierGatewayId),
  ) ?? false;
