/** Existing VPCs with public and private subnets in three zones, each shared by as many clusters as may tag it. */
import type { VirtualClock } from '../../adapters/memory/virtual-clock.ts';
import type { Account } from '../../simulation/aws/index.ts';
import { regionNames } from '../../simulation/aws/regions.ts';
import type { Place } from './manifests.ts';
import type { FleetOptions } from './options.ts';

/** Each cluster tags its subnets, and AWS allows 50 tags. */
const clustersPerVpc = 40;
const none = { TagSpecifications: [] };

/** A new resource may be invisible for some seconds: retry each call. */
const patient = ({ call }: Account, clock: VirtualClock): Account['call'] => {
  return async (region, action, input) => {
    const output = await call(region, action, input);
    await clock.advance(5000);
    return output;
  };
};

const bringNetwork = async (call: Account['call'], region: string): Promise<Place> => {
  const { AvailabilityZones } = await call(region, 'DescribeAvailabilityZones', {});
  const zones = AvailabilityZones.map(({ ZoneName }) => ZoneName).slice(0, 3);
  const { Vpc } = await call(region, 'CreateVpc', { CidrBlock: '10.0.0.0/16', ...none });
  const { InternetGateway } = await call(region, 'CreateInternetGateway', none);
  await call(region, 'AttachInternetGateway', {
    InternetGatewayId: InternetGateway.InternetGatewayId,
    VpcId: Vpc.VpcId,
  });
  const { RouteTable } = await call(region, 'CreateRouteTable', { VpcId: Vpc.VpcId, ...none });
  const RouteTableId = RouteTable.RouteTableId;
  await call(region, 'CreateRoute', {
    RouteTableId,
    DestinationCidrBlock: '0.0.0.0/0',
    GatewayId: InternetGateway.InternetGatewayId,
  });
  const subnets: string[] = [];
  for (const isPublic of [true, false]) {
    for (const AvailabilityZone of zones) {
      const CidrBlock = `10.0.${subnets.length * 32}.0/19`;
      const { Subnet } = await call(region, 'CreateSubnet', { VpcId: Vpc.VpcId, CidrBlock, AvailabilityZone, ...none });
      if (isPublic) await call(region, 'AssociateRouteTable', { RouteTableId, SubnetId: Subnet.SubnetId });
      subnets.push(Subnet.SubnetId);
    }
  }
  return { region, network: { vpc: Vpc.VpcId, subnets } };
};

/** The placement of the i-th cluster. */
export const openPlaces = async (
  account: Account,
  clock: VirtualClock,
  { clusters, network, regions }: Pick<FleetOptions, 'clusters' | 'network' | 'regions'>,
): Promise<(index: number) => Place> => {
  const used = regionNames.slice(0, regions);
  if (network === 'own') return (index) => ({ region: used[index % used.length]! });
  const perRegion = Math.ceil(clusters / used.length / clustersPerVpc);
  const places: Place[] = [];
  for (let round = 0; round < perRegion; round++) {
    for (const region of used) places.push(await bringNetwork(patient(account, clock), region));
  }
  return (index) => places[index % places.length]!;
};
