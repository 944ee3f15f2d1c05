import { legacyTrue } from '../../../../machinery/api/conditions.ts';
import type { NatGateway } from '../../../ports/cloud.ts';
import { callCloud } from '../../../ports/index.ts';
import { allocateFrom } from '../address-pool.ts';
import { natGatewaysReady, partOf } from '../conditions.ts';
import { notYet, type Part, type Scope, settled } from '../context.ts';
import type { Step } from '../step.ts';
import { clientToken, evidence, purposeTag, tagMap, tagSpecifications, tagsOf } from '../tags.ts';
import { isEdge, isSecondary, type SubnetSpec } from './fill.ts';
import { isAttachedTo } from './internet-gateway.ts';
import { observedSubnet } from './subnets.ts';

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

/** The NAT gateway that a zone's private subnets use. */
export const gatewayOfZone = (
  { network, observed }: Pick<Scope, 'network' | 'observed'>,
  subnet: SubnetSpec,
): NatGateway | undefined => {
  const zone = zoneOfGateway(subnet);
  const own = gatewaySubnets(network.subnets ?? []).find(({ availabilityZone }) => availabilityZone === zone);
  const there = own && observedSubnet(own, observed.subnets);
  return there && observed.natGateways.find((gateway) => gateway.SubnetId === there.SubnetId && isLive(gateway));
};

export const planNatGateways = (scope: Scope): Part => {
  const { network, observed } = scope;
  const wanted = gatewaySubnets(network.subnets ?? []);
  if (observed.vpc?.unmanaged || wanted.length === 0) return settled(legacyTrue(natGatewaysReady));
  if (!observed.vpc) return notYet;
  const steps: Step[] = [];
  const underway: string[] = [];
  const forget: string[] = [];
  let awaited = 'Waiting for NAT gateways';
  for (const subnet of wanted) {
    const there = observedSubnet(subnet, observed.subnets);
    if (!there) return notYet;
    const here = observed.natGateways.filter(({ SubnetId }) => SubnetId === there.SubnetId);
    const gateway = here.find(isLive);
    if (gateway) {
      if (gateway.State === 'pending') underway.push(`nat-gateway/${subnet.id}`);
      continue;
    }
    const failed = here.find(({ State }) => State === 'failed');
    if (failed) {
      const { NatGatewayId, FailureCode = 'unknown reason', FailureMessage = '' } = failed;
      awaited = `Replacing NAT gateway ${NatGatewayId}, which failed: ${FailureCode} ${FailureMessage}`;
      forget.push(`nat-gateway/${subnet.id}`);
      steps.push({
        key: `nat-gateway/${subnet.id}/failed`,
        actions: () => [callCloud(scope.region, 'DeleteNatGateway', { NatGatewayId }, evidence(scope.owner))],
      });
      continue;
    }
    steps.push(...createGateway(scope, subnet, there.SubnetId));
  }
  const part = { ...partOf(natGatewaysReady, steps, underway, awaited), forget };
  // A NAT gateway without an internet route fails, so the internet gateway comes first.
  const isOnline = observed.internetGateway && isAttachedTo(observed.vpc?.VpcId)(observed.internetGateway);
  return isOnline ? part : { ...part, steps: part.steps.filter(({ key }) => key.startsWith('address/')) };
};

/** Allocates the address first, then creates the gateway with it. */
const createGateway = ({ owner, region, network, observed }: Scope, subnet: SubnetSpec, subnetId: string): Step[] => {
  const purpose = gatewayPurpose(subnet);
  // An address in use belongs to a gateway that is not visible yet; the same client token creates
  // no second one.
  const address = observed.addresses.find(({ Tags }) => tagMap(Tags)[purposeTag] === purpose);
  if (!address)
    return [
      {
        key: `address/${subnet.id}`,
        once: true,
        actions: () => [
          callCloud(region, 'AllocateAddress', {
            Domain: 'vpc',
            ...allocateFrom(network.vpc?.elasticIpPool, observed.addressPoolUsedUp),
            TagSpecifications: tagSpecifications(
              'elastic-ip',
              tagsOf(owner, { name: `${owner.clusterName}-eip-${subnet.availabilityZone}`, role: 'common', purpose }),
            ),
          }),
        ],
      },
    ];
  return [
    {
      key: purpose,
      actions: (since) => [
        callCloud(region, 'CreateNatGateway', {
          SubnetId: subnetId,
          AllocationId: address.AllocationId,
          ClientToken: clientToken(owner, purpose, since),
          TagSpecifications: tagSpecifications(
            'natgateway',
            tagsOf(owner, { name: `${owner.clusterName}-nat-${subnet.availabilityZone}`, role: 'common', purpose }),
          ),
        }),
      ],
    },
  ];
};

/** Whether every wanted NAT gateway is visible with its address. */
export const gatewaysKnown = ({ network, observed }: Scope): boolean =>
  observed.vpc?.unmanaged === true ||
  gatewaySubnets(network.subnets ?? []).every((subnet) => {
    const there = observedSubnet(subnet, observed.subnets);
    return observed.natGateways.some(
      (gateway) =>
        gateway.SubnetId === there?.SubnetId &&
        isLive(gateway) &&
        gateway.NatGatewayAddresses.some(({ PublicIp }) => PublicIp),
    );
  });

/** The addresses from which private subnets reach the internet. */
export const gatewayAddresses = ({ observed }: Pick<Scope, 'observed'>): string[] =>
  observed.natGateways
    .filter(isLive)
    .flatMap(({ NatGatewayAddresses }) => NatGatewayAddresses.flatMap(({ PublicIp }) => PublicIp ?? []))
    .sort();

export const isPlaceable = (subnet: SubnetSpec): boolean => !isEdge(subnet) && !isSecondary(subnet);
