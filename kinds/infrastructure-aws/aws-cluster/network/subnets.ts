import { legacyTrue } from '../../../../machinery/api/conditions.ts';
import type { CloudInput, Subnet } from '../../../ports/cloud.ts';
import { callCloud } from '../../../ports/index.ts';
import type { Thing } from '../additional-tags.ts';
import { failedPart, partOf, subnetsReady } from '../conditions.ts';
import { notYet, type Part, type Scope, settled } from '../context.ts';
import type { Step } from '../step.ts';
import { cloudProviderTag, tagSpecifications, tagsOf } from '../tags.ts';
import { canonicalBlock } from './blocks.ts';
import { isEdge, isSecondary, type SubnetSpec } from './fill.ts';
import { isWavelength } from './wavelength.ts';

/**
 * Whether this is an EC2 subnet id. Anything else in the field is the name of a subnet in the spec.
 */
export const isSubnetId = (id: string): boolean => /^subnet-([0-9a-f]{8}|[0-9a-f]{17})$/.test(id);

/** The id of an existing subnet, if the spec has it. */
export const resourceIdOf = ({ id, resourceID }: SubnetSpec): string | undefined =>
  resourceID ?? (isSubnetId(id) ? id : undefined);

/** Matches a wanted subnet with an observed one: by id, else by block. */
export const observedSubnet = (subnet: SubnetSpec, observed: readonly Subnet[]): Subnet | undefined => {
  const id = resourceIdOf(subnet);
  const block = subnet.cidrBlock && canonicalBlock(subnet.cidrBlock);
  return observed.find((one) => (id ? one.SubnetId === id : one.CidrBlock === block));
};

const kindOf = (subnet: SubnetSpec) => (subnet.isPublic ? 'public' : 'private');

/** Subnets that the cloud provider must not use for load balancers of Services. */
const isNoPlace = (subnet: SubnetSpec): boolean => isEdge(subnet) || isSecondary(subnet);

// The in-cluster cloud provider places the load balancers of Services by these tags.
export const cloudProviderTags = (subnet: SubnetSpec, clusterName: string, share: 'owned' | 'shared') => ({
  [cloudProviderTag(clusterName)]: share,
  ...(!isNoPlace(subnet) && { [`kubernetes.io/role/${subnet.isPublic ? 'elb' : 'internal-elb'}`]: '1' }),
});

const createSubnet = ({ owner, region }: Scope, vpcId: string, subnet: SubnetSpec): Step => ({
  key: `subnet/${subnet.id}`,
  actions: () => [
    callCloud(region, 'CreateSubnet', {
      VpcId: vpcId,
      CidrBlock: subnet.cidrBlock ?? '',
      AvailabilityZone: subnet.availabilityZone ?? '',
      TagSpecifications: tagSpecifications(
        'subnet',
        tagsOf(owner, {
          name: subnet.id,
          role: kindOf(subnet),
          purpose: `subnet/${subnet.id}`,
          more: { ...subnet.tags, ...cloudProviderTags(subnet, owner.clusterName, 'owned') },
        }),
      ),
    }),
  ],
});

export const planSubnets = (scope: Scope): Part => {
  const { vpc } = scope.observed;
  if (!vpc) return notYet;
  const subnets = scope.network.subnets ?? [];
  if (vpc.unmanaged) return planUnmanagedSubnets(scope, subnets);
  if (!subnets.some(({ isPublic }) => isPublic))
    return failedPart(subnetsReady, 'expected at least 1 public subnet but got 0');
  const steps: Step[] = [];
  const underway: string[] = [];
  for (const subnet of subnets) {
    const there = observedSubnet(subnet, scope.observed.subnets);
    if (!there) {
      // A subnet whose id was recorded and that no longer exists is not recreated: machines and
      // addresses used it.
      const gone = resourceIdOf(subnet);
      if (gone && scope.isRecent(`subnet/${subnet.id}`)) {
        underway.push(`subnet/${subnet.id}`);
        continue;
      }
      if (gone) return failedPart(subnetsReady, `Subnet ${gone} (${subnet.id}) is not there`);
      if (!subnet.cidrBlock || !subnet.availabilityZone)
        return failedPart(subnetsReady, `Subnet ${subnet.id} needs a cidrBlock and an availabilityZone`);
      steps.push(createSubnet(scope, vpc.VpcId, subnet));
      continue;
    }
    if (there.State === 'pending') underway.push(`subnet/${subnet.id}`);
    steps.push(...attributeSteps(scope, subnet, there));
  }
  return partOf(subnetsReady, steps, underway, 'Creating the subnets');
};

const attributeSteps = ({ region, network }: Scope, subnet: SubnetSpec, there: Subnet): Step[] => {
  const { id, isPublic } = subnet;
  const hostnames = network.vpc?.privateDnsHostnameTypeOnLaunch;
  const modify = (what: string, attribute: Omit<CloudInput<'ModifySubnetAttribute'>, 'SubnetId'>): Step => ({
    key: `subnet/${id}/${what}`,
    actions: () => [callCloud(region, 'ModifySubnetAttribute', { SubnetId: there.SubnetId, ...attribute })],
  });
  return [
    // In a Wavelength zone each interface requests its own address.
    ...(isPublic && !isWavelength(subnet) && !there.MapPublicIpOnLaunch
      ? [modify('public-addresses', { MapPublicIpOnLaunch: { Value: true } })]
      : []),
    ...(hostnames && there.PrivateDnsNameOptionsOnLaunch.HostnameType !== hostnames
      ? [modify('host-names', { PrivateDnsHostnameTypeOnLaunch: hostnames })]
      : []),
  ];
};

/** AWS's own tags do not count. */
const mostTags = 50;

/** Why a subnet has no room for the tags; undefined when it has. */
const withoutRoom = ({ SubnetId, Tags }: Subnet, wanted: Record<string, string>): string | undefined => {
  const have = Tags.map(({ Key }) => Key).filter((key) => !key.startsWith('aws:'));
  const missing = Object.keys(wanted).filter((key) => !have.includes(key));
  return missing.length > 0 && have.length + missing.length > mostTags
    ? `subnet ${SubnetId} carries ${have.length} of the ${mostTags} tags that AWS allows, so ${missing.join(' and ')} cannot be put on it`
    : undefined;
};

/** Unmanaged subnets only get tags, and nothing waits for those. */
const planUnmanagedSubnets = ({ observed }: Scope, subnets: SubnetSpec[]): Part => {
  if (subnets.length === 0)
    return failedPart(
      subnetsReady,
      'no subnets specified: a VPC that the cluster does not own needs its subnets listed in spec.network.subnets',
    );
  const lost = subnets.find((subnet) => !observedSubnet(subnet, observed.subnets));
  return lost
    ? failedPart(subnetsReady, `Subnet ${lost.id} is not in VPC ${observed.vpc!.VpcId}`)
    : settled(legacyTrue(subnetsReady));
};

/**
 * The tags that unmanaged subnets need for the in-cluster cloud provider, and the subnets that have
 * no room for them.
 */
export const tagsOfUnmanaged = ({ owner, network, observed }: Scope): { things: Thing[]; forgone: string[] } => {
  const things: Thing[] = [];
  const forgone: string[] = [];
  for (const [index, subnet] of (observed.vpc?.unmanaged ? (network.subnets ?? []) : []).entries()) {
    const there = observedSubnet(subnet, observed.subnets);
    if (!there) continue;
    const wanted = cloudProviderTags(subnet, owner.clusterName, 'shared');
    const full = withoutRoom(there, wanted);
    if (full) forgone.push(`spec.network.subnets[${index}]: ${full}`);
    else things.push({ sort: 'subnet', ids: [there.SubnetId], there: there.Tags, wanted, surplus: [] });
  }
  return { things, forgone };
};
