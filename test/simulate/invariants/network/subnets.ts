import type { Cluster } from '../../../../kinds/core/cluster/index.ts';
import type {
  AWSCluster,
  AWSClusterSpec,
  AWSClusterStatus,
} from '../../../../kinds/infrastructure-aws/aws-cluster/index.ts';
import type { Subnet } from '../../../../kinds/ports/cloud/index.ts';
import { infrastructureOf } from '../relations.ts';
import { expecting, type Rule } from '../rule.ts';
import { association, owner, region, sorted, tagOf } from '../tags.ts';

const numberOf = (address: string) => address.split('.').reduce((all, part) => all * 256 + Number(part), 0);
const lengthOf = (block: string | undefined): number => Number(block?.split('/')[1]);
/** The number of prefix bits that divide a block into this many parts. */
const bitsFor = (parts: number): number => Math.ceil(Math.log2(parts));
const isWithin = (block: string, whole: string): boolean => {
  const [[address = '', length], [base = '', most]] = [block.split('/'), whole.split('/')];
  const size = 2 ** (32 - Number(most));
  return Number(length) >= Number(most) && Math.floor(numberOf(address) / size) === Math.floor(numberOf(base) / size);
};

export const subnets: Rule = ({ world, wanted }, broken) => {
  const { account, mirror } = world;
  const expect = expecting(broken);

  /**
   * Secondary blocks are for pods: one subnet in each zone of the cluster, without machines, load
   * balancers or gateways.
   */
  const expectSecondary = async (block: string, subnets: readonly Subnet[]) => {
    const [inside, others] = [true, false].map((is) => subnets.filter((one) => isWithin(one.CidrBlock, block) === is));
    const zones = (of: readonly Subnet[] = []) => sorted(new Set(of.map(({ AvailabilityZone }) => AvailabilityZone)));
    expect(`zones of ${block}`, sorted((inside ?? []).map((one) => one.AvailabilityZone)), zones(others));
    const ids = new Set(inside?.map(({ SubnetId }) => SubnetId));
    for (const { SubnetId, Tags, CidrBlock } of inside ?? []) {
      expect(`the association tag of ${SubnetId}`, tagOf(Tags, association), 'secondary');
      expect(`the size of ${SubnetId}`, lengthOf(CidrBlock), lengthOf(block) + bitsFor(inside?.length ?? 0));
    }
    const { NetworkInterfaces } = await account.uncounted(region, 'DescribeNetworkInterfaces', {});
    const there = NetworkInterfaces.filter((one) => ids.has(one.SubnetId));
    expect(`network interfaces in ${block}`, there.map((one) => one.NetworkInterfaceId).join(), '');
  };

  /** The spec and the status record the gateways and route tables. */
  const expectWays = async (
    vpc: string,
    network: NonNullable<AWSClusterSpec>['network'],
    status: AWSClusterStatus | undefined,
  ) => {
    const isIts = (one: { VpcId?: string }) => one.VpcId === vpc;
    const { NatGateways } = await account.uncounted(region, 'DescribeNatGateways', {});
    const { RouteTables } = await account.uncounted(region, 'DescribeRouteTables', {});
    const { InternetGateways } = await account.uncounted(region, 'DescribeInternetGateways', {});
    const gateways = NatGateways.filter((one) => isIts(one) && one.State === 'available');
    const attached = InternetGateways.find(({ Attachments }) => Attachments.some(isIts));
    expect('VPC id in the spec', network?.vpc?.id, vpc);
    expect('internet gateway id in the spec', network?.vpc?.internetGatewayId, attached?.InternetGatewayId);
    for (const { id, resourceID = '', natGatewayId, routeTableId } of network?.subnets ?? []) {
      const table = RouteTables.find(({ Associations }) => Associations.some((one) => one.SubnetId === resourceID));
      expect(`route table of ${id} in the spec`, routeTableId, table?.RouteTableId);
      const gateway = gateways.find(({ SubnetId }) => SubnetId === resourceID);
      expect(`NAT gateway of ${id} in the spec`, natGatewayId, gateway?.NatGatewayId);
    }
    const addresses = gateways.map(({ NatGatewayAddresses: [first] }) => first?.PublicIp ?? '');
    expect('NAT gateway IPs in the status', sorted(status?.networkStatus?.natGatewaysIPs ?? []), sorted(addresses));
  };

  const expectNetwork = async (uid: string, { spec, status }: AWSCluster) => {
    const { vpc: asked, subnets: named = [] } = spec?.network ?? {};
    const { Vpcs } = await account.uncounted(region, 'DescribeVpcs', {});
    const vpc = Vpcs.find(({ Tags }) => tagOf(Tags, owner) === uid);
    if (!vpc) throw broken(`cluster ${uid} has no VPC`);
    const { Subnets } = await account.uncounted(region, 'DescribeSubnets', {});
    const own = Subnets.filter(({ Tags }) => tagOf(Tags, owner) === uid);
    expect(
      `subnets of ${vpc.VpcId}`,
      sorted(own.map((one) => one.CidrBlock)),
      sorted(named.map((one) => one.cidrBlock ?? '')),
    );
    for (const { id, cidrBlock, availabilityZone, isPublic, tags } of named) {
      const subnet = own.find((one) => one.CidrBlock === cidrBlock)!;
      if (availabilityZone) expect(`zone of ${id}`, subnet.AvailabilityZone, availabilityZone);
      expect(`whether ${id} assigns public addresses`, subnet.MapPublicIpOnLaunch, isPublic ?? false);
      // Users may have renamed it.
      const name = tagOf(subnet.Tags, 'Name');
      if (name !== 'renamed') expect(`name of ${id}`, name, id);
      for (const [key, value] of Object.entries(tags ?? {})) expect(`${key} of ${id}`, tagOf(subnet.Tags, key), value);
    }
    await expectWays(vpc.VpcId, spec?.network, status);
    for (const { ipv4CidrBlock } of asked?.secondaryCidrBlocks ?? []) {
      const there = vpc.CidrBlockAssociationSet.find(
        ({ CidrBlock }) => isWithin(CidrBlock, ipv4CidrBlock) && lengthOf(CidrBlock) === lengthOf(ipv4CidrBlock),
      );
      expect(`the association of ${ipv4CidrBlock} with ${vpc.VpcId}`, there?.CidrBlockState.State, 'associated');
      await expectSecondary(ipv4CidrBlock, own);
    }
  };

  /**
   * Without subnets in the spec each zone has a private and a public subnet. The subnet schema
   * decides which sort is larger.
   */
  const expectDefaults = (name: string, { spec }: AWSCluster) => {
    const { vpc = {}, subnets = [] } = spec?.network ?? {};
    const own = subnets.filter(({ tags }) => tags?.[association] !== 'secondary');
    const of = (is: boolean) => own.filter(({ isPublic }) => (isPublic ?? false) === is);
    const zonesOf = (some: typeof own) => sorted(some.map(({ availabilityZone }) => availabilityZone ?? ''));
    expect(
      `how many zones ${name} has`,
      new Set(own.map((one) => one.availabilityZone)).size,
      vpc.availabilityZoneUsageLimit ?? 3,
    );
    expect(`zones of the public subnets of ${name}`, zonesOf(of(true)), zonesOf(of(false)));
    expect(`how many public subnets ${name} has`, of(true).length, vpc.availabilityZoneUsageLimit ?? 3);
    for (const { id, cidrBlock = '' } of own)
      expect(`whether ${id} is within the VPC`, isWithin(cidrBlock, vpc.cidrBlock ?? ''), true);
    const zones = vpc.availabilityZoneUsageLimit ?? 3;
    const large = lengthOf(vpc.cidrBlock) + bitsFor(zones + 1);
    for (const { id, cidrBlock, isPublic = false } of own) {
      const length = isPublic === (vpc.subnetSchema === 'PreferPublic') ? large : large + bitsFor(zones);
      expect(`the size of ${id}`, lengthOf(cidrBlock), length);
    }
  };

  return {
    atEnd: async () => {
      for (const { name, network, infrastructure: asked } of wanted()) {
        const cluster = mirror.get<Cluster>('Cluster', 'default', name);
        const infrastructure = infrastructureOf(mirror, cluster);
        if (!cluster?.metadata.uid || !infrastructure || network) continue;
        await expectNetwork(cluster.metadata.uid, infrastructure);
        if (!asked?.network?.subnets) expectDefaults(name, infrastructure);
      }
    },
  };
};
