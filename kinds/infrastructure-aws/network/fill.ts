/**
 * Fills in what the user leaves open in a network: blocks and subnets, written into the spec before
 * the controller creates anything.
 */
import type { AvailabilityZone } from '../../ports/cloud/index.ts';
import { splitBlock } from './blocks.ts';
import { withIpv6Blocks } from './ipv6.ts';
import type { NetworkSpec } from './schema.ts';

export type Network = NonNullable<NetworkSpec['network']>;
export type VpcSpec = NonNullable<Network['vpc']>;
export type SubnetSpec = NonNullable<Network['subnets']>[number];

export const defaultBlock = '10.0.0.0/16';

/**
 * The schema's defaults of an empty VPC, filled in here so that the controller can record them as
 * its own.
 */
const defaultVpc: VpcSpec = {
  availabilityZoneSelection: 'Ordered',
  availabilityZoneUsageLimit: 3,
  subnetSchema: 'PreferPrivate',
};

export const isEdge = ({ zoneType }: Pick<SubnetSpec, 'zoneType'>): boolean =>
  zoneType !== undefined && zoneType !== 'availability-zone';

const chosenZones = (
  { availabilityZoneUsageLimit: limit = 3, availabilityZoneSelection = 'Ordered' }: VpcSpec,
  zones: readonly AvailabilityZone[],
  pick: <T>(from: readonly T[]) => T,
): string[] => {
  const names = zones
    .filter((zone) => zone.ZoneType === 'availability-zone' && zone.State === 'available')
    .map((zone) => zone.ZoneName)
    .sort();
  if (availabilityZoneSelection === 'Ordered') return names.slice(0, limit);
  const chosen: string[] = [];
  while (chosen.length < limit && names.length > 0) {
    const name = pick(names);
    chosen.push(name);
    names.splice(names.indexOf(name), 1);
  }
  return chosen.sort();
};

/**
 * One public and one private subnet a zone: one block is split among the subnets of the smaller
 * type, each of the other type gets a whole block.
 */
const defaultSubnets = (clusterName: string, vpc: VpcSpec, zones: string[]): SubnetSpec[] => {
  const blocks = splitBlock(vpc.cidrBlock ?? defaultBlock, zones.length + 1);
  const small = splitBlock(blocks[0]!, zones.length);
  const preferPublic = vpc.subnetSchema === 'PreferPublic';
  return zones.flatMap((zone, i) =>
    [true, false].map((isPublic) => ({
      id: `${clusterName}-subnet-${isPublic ? 'public' : 'private'}-${zone}`,
      availabilityZone: zone,
      cidrBlock: isPublic === preferPublic ? blocks[i + 1]! : small[i]!,
      isPublic,
      ...(vpc.ipv6 && { isIpv6: true }),
      zoneType: 'availability-zone' as const,
    })),
  );
};

/** Private subnets in the secondary blocks, for pods only. */
const secondarySubnets = (clusterName: string, vpc: VpcSpec, zones: string[]): SubnetSpec[] =>
  (vpc.secondaryCidrBlocks ?? []).flatMap(({ ipv4CidrBlock }, index) => {
    const blocks = splitBlock(ipv4CidrBlock, zones.length);
    return zones.map((zone, i) => ({
      id: `${clusterName}-subnet-secondary${index ? `-${index}` : ''}-${zone}`,
      availabilityZone: zone,
      cidrBlock: blocks[i]!,
      isPublic: false,
      zoneType: 'availability-zone' as const,
      tags: { [associationTag]: 'secondary' },
    }));
  });

export const associationTag = 'sigs.k8s.io/cluster-api-provider-aws/association';
export const isSecondary = ({ tags }: Pick<SubnetSpec, 'tags'>): boolean => tags?.[associationTag] === 'secondary';

/** Whether filling in the network needs the region's zones. */
export const needsZones = (network: Network | undefined): boolean =>
  !network?.subnets?.length || network.subnets.some(({ availabilityZone, zoneType }) => availabilityZone && !zoneType);

/**
 * The network with every open field filled in. `managed`: the VPC is, or will be, the cluster's
 * own.
 */
export const filledNetwork = (
  clusterName: string,
  network: Network | undefined,
  managed: boolean,
  zones: readonly AvailabilityZone[],
  pick: <T>(from: readonly T[]) => T,
): Network => {
  const vpc: VpcSpec = { ...defaultVpc, ...network?.vpc };
  // The block of an IPAM pool is known once the VPC exists.
  if (managed && !vpc.ipamPool) vpc.cidrBlock ??= defaultBlock;
  const given = network?.subnets ?? [];
  const open = managed && given.length === 0 && vpc.cidrBlock !== undefined;
  const names = open ? chosenZones(vpc, zones, pick) : [];
  const chosen = open
    ? [...defaultSubnets(clusterName, vpc, names), ...secondarySubnets(clusterName, vpc, names)]
    : given.map((subnet) => withZone(subnet, zones));
  const subnets = managed ? withIpv6Blocks(chosen, vpc) : chosen;
  return { ...network, vpc, ...(subnets.length > 0 && { subnets }) };
};

const withZone = (subnet: SubnetSpec, zones: readonly AvailabilityZone[]): SubnetSpec => {
  const zone = zones.find(({ ZoneName }) => ZoneName === subnet.availabilityZone);
  if (!zone || subnet.zoneType) return subnet;
  return {
    ...subnet,
    zoneType: zone.ZoneType,
    ...(zone.ParentZoneName && { parentZoneName: zone.ParentZoneName }),
  };
};
