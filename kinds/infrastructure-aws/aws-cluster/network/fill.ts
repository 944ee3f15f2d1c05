/** What a network is when its user leaves it open: blocks and subnets, written into the spec before anything is made. */
import type { AvailabilityZone } from '../../../ports/cloud.ts';
import type { AWSClusterSpec } from '../schema.ts';
import { splitBlock } from './blocks.ts';

export type Network = NonNullable<AWSClusterSpec['network']>;
export type VpcSpec = NonNullable<Network['vpc']>;
export type SubnetSpec = NonNullable<Network['subnets']>[number];

export const defaultBlock = '10.0.0.0/16';

/** What the schema says of a VPC that says nothing: filled here, so that it is known as filled. */
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

/** One public and one private subnet a zone: one block is cut up for the smaller kind, the others are given whole. */
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
      zoneType: 'availability-zone' as const,
    })),
  );
};

/** Further private subnets in the secondary blocks, for pods; nothing else is ever placed in them. */
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

/** Whether the zones of the region must be known to fill the network. */
export const needsZones = (network: Network | undefined): boolean =>
  !network?.subnets?.length || network.subnets.some(({ availabilityZone, zoneType }) => availabilityZone && !zoneType);

/** The network with everything that was left open decided. `managed`: the VPC is, or will be, the cluster's own. */
export const filledNetwork = (
  clusterName: string,
  network: Network | undefined,
  managed: boolean,
  zones: readonly AvailabilityZone[],
  pick: <T>(from: readonly T[]) => T,
): Network => {
  const vpc: VpcSpec = { ...defaultVpc, ...network?.vpc };
  // A block from a pool is known once there is a network.
  if (managed && !vpc.ipamPool) vpc.cidrBlock ??= defaultBlock;
  const given = network?.subnets ?? [];
  const open = managed && given.length === 0 && vpc.cidrBlock !== undefined;
  const names = open ? chosenZones(vpc, zones, pick) : [];
  const subnets = open
    ? [...defaultSubnets(clusterName, vpc, names), ...secondarySubnets(clusterName, vpc, names)]
    : given.map((subnet) => withZone(subnet, zones));
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
