/** `capstan cloud vpc create`: an unmanaged network for experiments. */
import { setTimeout as wait } from 'node:timers/promises';
import { stringify } from 'yaml';
import type { CloudCall } from './cloud-call.ts';
import { CliError } from './errors.ts';

export interface VpcOptions {
  region: string;
  name: string;
  /** The VPC's CIDR block, of the form a.b.0.0/16. */
  cidr: string;
  zones: number;
}

interface Tag {
  Key: string;
  Value: string;
}

/** Milliseconds between two attempts, and their number: a new resource may be invisible for a moment. */
const pause = 500;
const attempts = 60;

const patient =
  (call: CloudCall): CloudCall =>
  async <T>(action: string, input: object) => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await call<T>(action, input);
      } catch (error) {
        const { name, message } = error as Error;
        if (attempt === attempts || !/\.NotFound/.test(`${name} ${message}`)) throw error;
        await wait(pause);
      }
    }
  };

const tagged = (type: string, name: string) => ({
  TagSpecifications: [{ ResourceType: type, Tags: [{ Key: 'Name', Value: name }] satisfies Tag[] }],
});

const prefixOf = (cidr: string): string => {
  const [, prefix] = /^(\d{1,3}\.\d{1,3})\.0\.0\/16$/.exec(cidr) ?? [];
  if (prefix?.split('.').every((part) => Number(part) < 256)) return prefix;
  throw new CliError(`${cidr} is not of the form 10.1.0.0/16`, 2);
};

const zoneNames = async (call: CloudCall, wanted: number): Promise<string[]> => {
  const { AvailabilityZones } = await call<{ AvailabilityZones: { ZoneName: string; ZoneType?: string }[] }>(
    'DescribeAvailabilityZones',
    {},
  );
  const zones = AvailabilityZones.filter(({ ZoneType = 'availability-zone' }) => ZoneType === 'availability-zone');
  if (zones.length < wanted) throw new CliError(`the region has ${zones.length} availability zones, not ${wanted}`, 2);
  return zones.slice(0, wanted).map(({ ZoneName }) => ZoneName);
};

const addGateway = async (call: CloudCall, VpcId: string, name: string): Promise<string> => {
  const { InternetGateway } = await call<{ InternetGateway: { InternetGatewayId: string } }>(
    'CreateInternetGateway',
    tagged('internet-gateway', name),
  );
  const { InternetGatewayId } = InternetGateway;
  await call('AttachInternetGateway', { InternetGatewayId, VpcId });
  return InternetGatewayId;
};

const addSubnet = async (call: CloudCall, VpcId: string, of: { name: string; cidr: string; zone: string }) => {
  const { Subnet } = await call<{ Subnet: { SubnetId: string } }>('CreateSubnet', {
    VpcId,
    CidrBlock: of.cidr,
    AvailabilityZone: of.zone,
    ...tagged('subnet', of.name),
  });
  return Subnet.SubnetId;
};

/** A route table with a default route, associated with these subnets. */
const addRoutes = async (call: CloudCall, VpcId: string, name: string, way: object, subnets: readonly string[]) => {
  const { RouteTable } = await call<{ RouteTable: { RouteTableId: string } }>('CreateRouteTable', {
    VpcId,
    ...tagged('route-table', name),
  });
  const { RouteTableId } = RouteTable;
  await call('CreateRoute', { RouteTableId, DestinationCidrBlock: '0.0.0.0/0', ...way });
  for (const SubnetId of subnets) await call('AssociateRouteTable', { RouteTableId, SubnetId });
};

/** One NAT gateway for all zones: the network is for experiments and need not survive the loss of a zone. */
const addNat = async (call: CloudCall, SubnetId: string, name: string): Promise<string> => {
  const { AllocationId } = await call<{ AllocationId: string }>('AllocateAddress', {
    Domain: 'vpc',
    ...tagged('elastic-ip', name),
  });
  const { NatGateway } = await call<{ NatGateway: { NatGatewayId: string } }>('CreateNatGateway', {
    SubnetId,
    AllocationId,
    ClientToken: AllocationId,
    ...tagged('natgateway', name),
  });
  return NatGateway.NatGatewayId;
};

export interface Network {
  vpc: string;
  publicSubnets: string[];
  privateSubnets: string[];
}

/** A VPC as a network team provides it: public and private subnets in each zone, with routes to the internet. */
export const createNetwork = async (once: CloudCall, { name, cidr, zones }: VpcOptions): Promise<Network> => {
  const call = patient(once);
  const prefix = prefixOf(cidr);
  const names = await zoneNames(call, zones);
  const { Vpc } = await call<{ Vpc: { VpcId: string } }>('CreateVpc', { CidrBlock: cidr, ...tagged('vpc', name) });
  const VpcId = Vpc.VpcId;
  await call('ModifyVpcAttribute', { VpcId, EnableDnsHostnames: { Value: true } });
  const gateway = await addGateway(call, VpcId, name);
  const [publicSubnets, privateSubnets]: [string[], string[]] = [[], []];
  for (const [i, zone] of names.entries()) {
    const open = await addSubnet(call, VpcId, { name: `${name}-public-${zone}`, cidr: `${prefix}.${i}.0/24`, zone });
    await call('ModifySubnetAttribute', { SubnetId: open, MapPublicIpOnLaunch: { Value: true } });
    publicSubnets.push(open);
    const closed = { name: `${name}-private-${zone}`, cidr: `${prefix}.${32 + 16 * i}.0/20`, zone };
    privateSubnets.push(await addSubnet(call, VpcId, closed));
  }
  const nat = await addNat(call, publicSubnets[0]!, name);
  await addRoutes(call, VpcId, `${name}-public`, { GatewayId: gateway }, publicSubnets);
  await addRoutes(call, VpcId, `${name}-private`, { NatGatewayId: nat }, privateSubnets);
  return { vpc: VpcId, publicSubnets, privateSubnets };
};

/** The network spec for an AWSCluster. */
export const renderNetwork = ({ vpc, publicSubnets, privateSubnets }: Network): string => {
  const subnets = [...publicSubnets, ...privateSubnets].map((id) => ({ id }));
  return stringify({ spec: { network: { vpc: { id: vpc }, subnets } } }).trimEnd();
};
