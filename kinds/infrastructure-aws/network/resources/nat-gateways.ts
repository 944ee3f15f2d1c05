import type { Address, NatGateway } from '../../../ports/cloud/index.ts';
import { listed } from '../../engine/ask.ts';
import { call, create } from '../../engine/resource.ts';
import { ownedFilter, purposeTag, tagMap } from '../../engine/tags.ts';
import { allocateFrom } from '../address-pool.ts';
import { natGatewaysReady } from '../conditions.ts';
import { isEdge, isSecondary, type SubnetSpec } from '../fill.ts';
import type { NetworkResource, Scope } from '../scope.ts';
import { attachedGateway } from './internet-gateways.ts';
import { observedSubnet } from './subnets.ts';

const condition = {
  type: natGatewaysReady,
  started: 'NatGatewaysCreationStarted',
  failed: 'NatGatewaysReconciliationFailed',
};

const over = new Set<NatGateway['State']>(['deleting', 'deleted']);
export const isLive = ({ State }: NatGateway): boolean => State === 'pending' || State === 'available';

/** The zone of the NAT gateway that serves a subnet. */
export const zoneOfGateway = ({ parentZoneName, availabilityZone }: SubnetSpec): string | undefined =>
  parentZoneName ?? availabilityZone;

/**
 * Subnets that get a NAT gateway: one public subnet in each zone that serves private ones. A subnet
 * that already has a gateway wins.
 */
export const gatewaySubnets = (subnets: readonly SubnetSpec[]): SubnetSpec[] => {
  const zones = new Set(subnets.filter(({ isPublic }) => !isPublic).map(zoneOfGateway));
  const candidates = subnets.filter((subnet) => subnet.isPublic && !isEdge(subnet));
  return [...zones].flatMap((zone) => {
    const there = candidates.filter(({ availabilityZone }) => availabilityZone === zone);
    return there.find(({ natGatewayId }) => natGatewayId) ?? there[0] ?? [];
  });
};

export const gatewayPurpose = ({ id }: SubnetSpec): string => `nat-gateway/${id}`;

/** The NAT gateways in a subnet. */
const gatewaysIn = ({ natGateways, subnets }: Scope['cloudState'], subnet: SubnetSpec): NatGateway[] => {
  const there = observedSubnet(subnet, subnets);
  return natGateways.filter(({ SubnetId }) => SubnetId === there?.SubnetId);
};

/** The NAT gateway that a zone's private subnets use. */
export const gatewayOfZone = (
  { network, cloudState }: Pick<Scope, 'network' | 'cloudState'>,
  subnet: SubnetSpec,
): NatGateway | undefined => {
  const zone = zoneOfGateway(subnet);
  const own = gatewaySubnets(network.subnets ?? []).find(({ availabilityZone }) => availabilityZone === zone);
  return own && gatewaysIn(cloudState, own).find(isLive);
};

/** Subnets that get a NAT gateway. Undefined while one of them does not exist. */
const places = ({ network, cloudState }: Scope): { subnet: SubnetSpec; SubnetId: string }[] | undefined => {
  const wanted = cloudState.vpc?.unmanaged ? [] : gatewaySubnets(network.subnets ?? []);
  const there = wanted.flatMap((subnet) => {
    const SubnetId = observedSubnet(subnet, cloudState.subnets)?.SubnetId;
    return SubnetId ? [{ subnet, SubnetId }] : [];
  });
  return there.length === wanted.length ? there : undefined;
};

/**
 * An address in use belongs to a gateway that is not visible yet; the same client token creates no
 * second one.
 */
const addressOf = ({ addresses }: Scope['cloudState'], subnet: SubnetSpec): Address | undefined =>
  addresses.find(({ Tags }) => tagMap(Tags)[purposeTag] === gatewayPurpose(subnet));

export const natGateways: NetworkResource<NatGateway> = {
  sort: 'nat-gateway',
  title: 'NAT gateway',
  events: ['CreateNatGateway', 'DeleteNatGateway'],
  condition,
  list: 'natGateways',
  inUnmanagedNetwork: 'described',
  depth: 1,
  ec2: ['natgateway'],
  repeats: 'token',
  desired: (scope) => {
    const { owner, cloudState } = scope;
    return (
      places(scope)?.map(({ subnet, SubnetId }) => {
        const here = gatewaysIn(cloudState, subnet);
        const address = addressOf(cloudState, subnet);
        return {
          which: subnet.id,
          there: here.find(isLive) ?? here.find(({ State }) => !over.has(State)),
          // A NAT gateway without an internet route fails, so the internet gateway comes first.
          isHeld: !attachedGateway(cloudState),
          create: address && create('CreateNatGateway', { SubnetId, AllocationId: address.AllocationId }),
          tags: { name: `${owner.clusterName}-nat-${subnet.availabilityZone}` },
        };
      }) ?? 'later'
    );
  },
  isReplaced: true,
  failure: ({ FailureCode = 'unknown reason', FailureMessage = '' }) => `${FailureCode} ${FailureMessage}`,
  expected: {
    // A gateway fails within half a minute, with a reason.
    '': {
      checks: [30, 85],
      every: 10,
      isUnderway: (cloud, key, { owner }) =>
        listed(cloud, 'natGateways', ownedFilter(owner))?.some(
          ({ State, Tags }) => State === 'pending' && tagMap(Tags)[purposeTag] === key,
        ) ?? false,
    },
  },
  uses: ['subnets', 'addresses', 'internetGateways', 'vpcs'],
  turn: ({ isUnmanaged }) => (isUnmanaged ? 'last' : 'slow'),
  remove: ({ NatGatewayId }) => [call('DeleteNatGateway', { NatGatewayId })],
};

/** The addresses of NAT gateways. Machines have addresses of their own. */
export const addresses: NetworkResource<Address> = {
  sort: 'address',
  title: 'Elastic IP address',
  eventNoun: 'EIP',
  events: ['AllocateAddress', 'ReleaseAddress'],
  condition,
  list: 'addresses',
  inUnmanagedNetwork: 'unused',
  depth: 1,
  ec2: ['elastic-ip'],
  repeats: 'once',
  desired: (scope) => {
    const { owner, network, cloudState } = scope;
    const without = places(scope)?.filter(({ subnet }) =>
      gatewaysIn(cloudState, subnet).every(({ State }) => over.has(State)),
    );
    return (
      without?.map(({ subnet }) => ({
        which: subnet.id,
        there: addressOf(cloudState, subnet),
        create: create('AllocateAddress', {
          Domain: 'vpc',
          ...allocateFrom(network.vpc?.elasticIpPool, cloudState.addressPoolUsedUp),
        }),
        tags: { name: `${owner.clusterName}-eip-${subnet.availabilityZone}`, purpose: gatewayPurpose(subnet) },
      })) ?? 'later'
    );
  },
  awaiting: () => 'Waiting for NAT gateways',
  duplicates: ({ network, cloudState }) => {
    if (cloudState.vpc?.unmanaged) return [];
    const inUse = new Set(cloudState.natGateways.flatMap(addressesOf));
    const served = gatewaySubnets(network.subnets ?? []).filter((subnet) =>
      gatewaysIn(cloudState, subnet).some((one) => one.State === 'available' && one.NatGatewayAddresses.length > 0),
    );
    const purposes = served.map(gatewayPurpose);
    return cloudState.addresses.filter(
      ({ AllocationId, AssociationId, Tags }) =>
        !AssociationId && !inUse.has(AllocationId) && purposes.includes(tagMap(Tags)[purposeTag] ?? ''),
    );
  },
  // The AWSMachine controller tags those of machines.
  marks: ({ Tags }) => (tagMap(Tags)[purposeTag] === undefined ? undefined : {}),
  uses: ['internetGateways'],
  turn: ({ isUnmanaged }) => (isUnmanaged ? 'last' : undefined),
  // An address may show its association for a moment after its gateway is gone.
  remove: ({ AllocationId, AssociationId }, { natGateways }) =>
    !AssociationId || natGateways.flatMap(addressesOf).includes(AllocationId)
      ? [call('ReleaseAddress', { AllocationId })]
      : [],
  keyOf: (_, purpose) => purpose.replace(/^nat-gateway/, 'address'),
};

const addressesOf = ({ NatGatewayAddresses }: NatGateway): string[] =>
  NatGatewayAddresses.map(({ AllocationId }) => AllocationId);

/** Whether every wanted NAT gateway is visible with its address. */
export const gatewaysKnown = ({ network, cloudState }: Scope): boolean =>
  cloudState.vpc?.unmanaged === true ||
  gatewaySubnets(network.subnets ?? []).every((subnet) =>
    gatewaysIn(cloudState, subnet).some(
      (gateway) => isLive(gateway) && gateway.NatGatewayAddresses.some(({ PublicIp }) => PublicIp),
    ),
  );

/** The addresses from which private subnets reach the internet. */
export const gatewayAddresses = ({ cloudState }: Pick<Scope, 'cloudState'>): string[] =>
  cloudState.natGateways
    .filter(isLive)
    .flatMap(({ NatGatewayAddresses }) => NatGatewayAddresses.flatMap(({ PublicIp }) => PublicIp ?? []))
    .sort();

export const isPlaceable = (subnet: SubnetSpec): boolean => !isEdge(subnet) && !isSecondary(subnet);
