/** A network that exists before any cluster. */
import type { VirtualClock } from '../../../adapters/memory/virtual-clock.ts';
import type { Account } from '../../../simulation/aws/index.ts';
import type { Network } from '../scenarios/manifest.ts';

const region = 'eu-central-1';
const TagSpecifications: [] = [];

/** Creates one public and one private subnet in one zone. */
export const bringNetwork = async ({ call }: Account, clock: VirtualClock): Promise<Network> => {
  const { Vpc } = await call(region, 'CreateVpc', { CidrBlock: '10.0.0.0/16', TagSpecifications });
  const { VpcId } = Vpc;
  const { InternetGateway } = await call(region, 'CreateInternetGateway', { TagSpecifications });
  const { InternetGatewayId } = InternetGateway;
  await call(region, 'AttachInternetGateway', { InternetGatewayId, VpcId });
  const { RouteTable } = await call(region, 'CreateRouteTable', { VpcId, TagSpecifications });
  const { RouteTableId } = RouteTable;
  await call(region, 'CreateRoute', {
    RouteTableId,
    DestinationCidrBlock: '0.0.0.0/0',
    GatewayId: InternetGatewayId,
  });
  const subnets: string[] = [];
  for (const isPublic of [true, false]) {
    const CidrBlock = `10.0.${subnets.length * 32}.0/19`;
    const AvailabilityZone = `${region}a`;
    const { Subnet } = await call(region, 'CreateSubnet', { VpcId, CidrBlock, AvailabilityZone, TagSpecifications });
    if (isPublic) await call(region, 'AssociateRouteTable', { RouteTableId, SubnetId: Subnet.SubnetId });
    subnets.push(Subnet.SubnetId);
  }
  await clock.advance(1000);
  return { vpc: VpcId, subnets };
};
