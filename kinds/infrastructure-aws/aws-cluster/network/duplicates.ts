/**
 * EC2 gives internet gateways and addresses neither a token nor a unique name, so a worker that
 * stalled before its call may create a second one. The controller deletes the duplicate once the
 * first is in use; nothing else marks it as unwanted.
 */
import type { Address, InternetGateway } from '../../../ports/cloud.ts';
import { callCloud } from '../../../ports/index.ts';
import type { Part, Scope } from '../context.ts';
import type { Step } from '../step.ts';
import { evidence, purposeTag, tagMap } from '../tags.ts';
import { isAttachedTo } from './internet-gateway.ts';
import { gatewayPurpose, gatewaySubnets } from './nat-gateways.ts';
import { observedSubnet } from './subnets.ts';

const duplicateGateways = ({ internetGateways, vpc }: Scope['observed']): InternetGateway[] =>
  internetGateways.some(isAttachedTo(vpc?.VpcId))
    ? internetGateways.filter(({ Attachments }) => Attachments.length === 0)
    : [];

const duplicateAddresses = ({ network, observed }: Scope): Address[] => {
  const { natGateways, addresses, subnets } = observed;
  const inUse = new Set(natGateways.flatMap((one) => one.NatGatewayAddresses.map(({ AllocationId }) => AllocationId)));
  return gatewaySubnets(network.subnets ?? []).flatMap((subnet) => {
    const there = observedSubnet(subnet, subnets);
    const isServed = natGateways.some(
      ({ SubnetId, State, NatGatewayAddresses }) =>
        SubnetId === there?.SubnetId && State === 'available' && NatGatewayAddresses.length > 0,
    );
    return isServed
      ? addresses.filter(
          ({ AllocationId, AssociationId, Tags }) =>
            !AssociationId && !inUse.has(AllocationId) && tagMap(Tags)[purposeTag] === gatewayPurpose(subnet),
        )
      : [];
  });
};

export const planDuplicates = (scope: Scope): Part => {
  const { owner, region, observed } = scope;
  const owned = evidence(owner);
  const steps: Step[] = observed.vpc?.unmanaged
    ? []
    : [
        ...duplicateGateways(observed).map(
          ({ InternetGatewayId }): Step => ({
            key: `internet-gateway/spare/${InternetGatewayId}`,
            once: true,
            actions: () => [callCloud(region, 'DeleteInternetGateway', { InternetGatewayId }, owned)],
          }),
        ),
        ...duplicateAddresses(scope).map(
          ({ AllocationId }): Step => ({
            key: `address/spare/${AllocationId}`,
            once: true,
            actions: () => [callCloud(region, 'ReleaseAddress', { AllocationId }, owned)],
          }),
        ),
      ];
  return { steps, underway: [], settled: steps.length === 0, conditions: [] };
};
