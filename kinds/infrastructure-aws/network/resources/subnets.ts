import type { CloudInput, Subnet } from '../../../ports/cloud/index.ts';
import type { Thing } from '../../engine/additional-tags.ts';
import { call, create, type Desired, type Want } from '../../engine/resource.ts';
import { cloudProviderTagOf, type Owner } from '../../engine/tags.ts';
import { canonicalBlock } from '../blocks.ts';
import { subnetsReady } from '../conditions.ts';
import { isEdge, isSecondary, type SubnetSpec } from '../fill.ts';
import { hasIpv6, ipv6BlockOf, isAwaitingIpv6, isIpv6, unservedZone } from '../ipv6.ts';
import type { NetworkResource, Scope } from '../scope.ts';
import { isWavelength } from '../wavelength.ts';

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

/** Subnets that the cloud provider must not use for load balancers of Services. */
const isNoPlace = (subnet: SubnetSpec): boolean => isEdge(subnet) || isSecondary(subnet);

// The in-cluster cloud provider places the load balancers of Services by these tags.
export const cloudProviderTags = (
  subnet: SubnetSpec,
  owner: Pick<Owner, 'clusterName' | 'nameInCloud'>,
  share: 'owned' | 'shared',
) => ({
  [cloudProviderTagOf(owner)]: share,
  ...(!isNoPlace(subnet) && { [`kubernetes.io/role/${subnet.isPublic ? 'elb' : 'internal-elb'}`]: '1' }),
});

const repairs = ({ network }: Scope, subnet: SubnetSpec, { SubnetId, ...there }: Subnet): Want<Subnet>['repairs'] => {
  const hostnames = network.vpc?.privateDnsHostnameTypeOnLaunch;
  const modify = (attribute: Omit<CloudInput<'ModifySubnetAttribute'>, 'SubnetId'>) =>
    call('ModifySubnetAttribute', { SubnetId, ...attribute });
  // In a Wavelength zone each interface requests its own address.
  const isOpen = subnet.isPublic && !isWavelength(subnet);
  const isDual = isIpv6(subnet) && hasIpv6(there);
  return {
    'public-addresses':
      isOpen && !there.MapPublicIpOnLaunch ? modify({ MapPublicIpOnLaunch: { Value: true } }) : undefined,
    // There is no private address of IPv6, so the subnet's gateway decides who is reached.
    'ipv6-addresses':
      isDual && !there.AssignIpv6AddressOnCreation
        ? modify({ AssignIpv6AddressOnCreation: { Value: true } })
        : undefined,
    dns64: isDual && !subnet.isPublic && !there.EnableDns64 ? modify({ EnableDns64: { Value: true } }) : undefined,
    'host-names':
      hostnames && there.PrivateDnsNameOptionsOnLaunch.HostnameType !== hostnames
        ? modify({ PrivateDnsHostnameTypeOnLaunch: hostnames })
        : undefined,
  };
};

/** Why it cannot be created. */
const lacking = (subnet: SubnetSpec, vpc: Scope['cloudState']['vpc']): string | undefined => {
  const { id, cidrBlock, availabilityZone, ipv6CidrBlock } = subnet;
  if (!cidrBlock || !availabilityZone) return `Subnet ${id} needs a cidrBlock and an availabilityZone`;
  const unserved = unservedZone(subnet);
  if (unserved) return `Subnet ${id}: ${unserved}`;
  if (!isIpv6(subnet) || ipv6CidrBlock) return undefined;
  const whole = vpc && ipv6BlockOf(vpc);
  return whole
    ? `Subnet ${id} needs an ipv6CidrBlock: no /64 of ${whole} is left`
    : `Subnet ${id} cannot have IPv6: VPC ${vpc?.VpcId} has no IPv6 block`;
};

const wantOf = (scope: Scope, VpcId: string, subnet: SubnetSpec): Want<Subnet> => {
  const { owner, cloudState } = scope;
  const { id, cidrBlock: CidrBlock = '', availabilityZone: AvailabilityZone = '', ipv6CidrBlock } = subnet;
  const there = observedSubnet(subnet, cloudState.subnets);
  const noted = resourceIdOf(subnet);
  const more = { ...subnet.tags, ...cloudProviderTags(subnet, owner, 'owned') };
  return {
    which: id,
    there,
    noted,
    // Machines and addresses used it.
    ...(noted && { lost: `Subnet ${noted} (${id}) is not there` }),
    lacks: there ? undefined : lacking(subnet, cloudState.vpc),
    create: create('CreateSubnet', {
      VpcId,
      CidrBlock,
      ...(ipv6CidrBlock && { Ipv6CidrBlock: ipv6CidrBlock }),
      AvailabilityZone,
    }),
    tags: { name: id, role: subnet.isPublic ? 'public' : 'private', more },
    ...(there && { repairs: repairs(scope, subnet, there) }),
  };
};

const desired = (scope: Scope): Desired<Subnet> => {
  const { network, cloudState } = scope;
  const { vpc } = cloudState;
  if (!vpc) return 'later';
  const subnets = network.subnets ?? [];
  if (!vpc.unmanaged && isAwaitingIpv6(vpc) && subnets.some(isIpv6)) return 'later';
  if (!vpc.unmanaged)
    return subnets.some(({ isPublic }) => isPublic)
      ? subnets.map((subnet) => wantOf(scope, vpc.VpcId, subnet))
      : { failed: 'expected at least 1 public subnet but got 0' };
  const lost = subnets.find((subnet) => !observedSubnet(subnet, cloudState.subnets));
  if (lost) return { failed: `Subnet ${lost.id} is not in VPC ${vpc.VpcId}` };
  // Unmanaged subnets only get tags, and nothing waits for those.
  return subnets.length > 0
    ? []
    : {
        failed:
          'no subnets specified: a VPC that the cluster does not own needs its subnets listed in spec.network.subnets',
      };
};

export const subnets: NetworkResource<Subnet> = {
  sort: 'subnet',
  title: 'subnet',
  events: ['CreateSubnet', 'ModifySubnetAttribute', 'DeleteSubnet'],
  condition: { type: subnetsReady, started: 'SubnetsCreationStarted', failed: 'SubnetsReconciliationFailed' },
  list: 'subnets',
  inUnmanagedNetwork: 'described',
  state: (subnet) => (subnet.State === 'pending' || isAwaitingIpv6(subnet) ? 'pending' : 'ready'),
  depth: 1,
  ec2: ['subnet'],
  desired,
  awaiting: () => 'Creating the subnets',
  allows: (_, { settled, steps, underway }) => settled || steps.length + underway.length > 0,
  marks: (there, { owner, network, cloudState }) => {
    const subnet = network.subnets?.find((one) => observedSubnet(one, cloudState.subnets) === there);
    return subnet && { given: subnet.tags, finding: cloudProviderTags(subnet, owner, 'owned') };
  },
  // Its association with a route table goes with it.
  uses: ['vpcs', 'routeTables', 'carrierGateways'],
  turn: () => 'last',
  remove: ({ SubnetId }) => [call('DeleteSubnet', { SubnetId })],
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

/**
 * The tags that unmanaged subnets need for the in-cluster cloud provider, and the subnets that have
 * no room for them.
 */
export const tagsOfUnmanaged = ({ owner, network, cloudState }: Scope): { things: Thing[]; forgone: string[] } => {
  const things: Thing[] = [];
  const forgone: string[] = [];
  for (const [index, subnet] of (cloudState.vpc?.unmanaged ? (network.subnets ?? []) : []).entries()) {
    const there = observedSubnet(subnet, cloudState.subnets);
    if (!there) continue;
    const wanted = cloudProviderTags(subnet, owner, 'shared');
    const full = withoutRoom(there, wanted);
    if (full) forgone.push(`spec.network.subnets[${index}]: ${full}`);
    else things.push({ sort: 'subnet', ids: [there.SubnetId], there: there.Tags, wanted, surplus: [] });
  }
  return { things, forgone };
};
