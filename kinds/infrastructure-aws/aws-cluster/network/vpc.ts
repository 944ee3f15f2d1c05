import { legacyTrue } from '../../../../machinery/api/conditions.ts';
import { callCloud } from '../../../ports/index.ts';
import { failedPart, internetGatewayReady, partOf, secondaryCidrsReady, vpcReady } from '../conditions.ts';
import { notYet, type Part, type Scope, settled } from '../context.ts';
import type { Step } from '../step.ts';
import { cloudProviderTag, tagSpecifications, tagsOf } from '../tags.ts';
import { canonicalBlock } from './blocks.ts';
import { defaultBlock, type VpcSpec } from './fill.ts';

const usualLength = 16;

/**
 * CreateVpc's block parameter: the block itself, or the pool to take it from; undefined when the
 * pool does not exist.
 */
const blockOf = (vpc: VpcSpec | undefined, ipamPoolId: string | undefined) => {
  if (!vpc?.ipamPool) return { CidrBlock: vpc?.cidrBlock ?? defaultBlock };
  const Ipv4NetmaskLength = vpc.ipamPool.netmaskLength ?? usualLength;
  return ipamPoolId && { Ipv4IpamPoolId: ipamPoolId, Ipv4NetmaskLength };
};

/** The VPC. The controller only describes an unmanaged one. */
export const planVpc = ({ owner, region, network, observed, isRecent }: Scope): Part => {
  const { vpc } = observed;
  const id = network.vpc?.id;
  if (vpc?.unmanaged) return settled(legacyTrue(vpcReady));
  if (!vpc && id && isRecent('vpc')) return partOf(vpcReady, [], ['vpc'], `Waiting for VPC ${id}`);
  if (!vpc && id)
    return failedPart(vpcReady, `VPC ${id} is not there; bring it back, or delete the cluster and create it again`);
  if (!vpc) {
    const tags = tagsOf(owner, {
      name: `${owner.clusterName}-vpc`,
      role: 'common',
      purpose: 'vpc',
      more: { ...network.vpc?.tags, [cloudProviderTag(owner.clusterName)]: 'owned' },
    });
    const block = blockOf(network.vpc, observed.ipamPoolId);
    if (!block) return failedPart(vpcReady, `no IPv4 IPAM pool is named ${network.vpc?.ipamPool?.name}`);
    const create = callCloud(region, 'CreateVpc', {
      ...block,
      TagSpecifications: tagSpecifications('vpc', tags),
    });
    return partOf(vpcReady, [{ key: 'vpc', once: true, actions: () => [create] }], [], 'Creating the VPC');
  }
  const steps: Step[] = [];
  for (const [attribute, on] of [
    ['EnableDnsSupport', vpc.dnsSupport],
    ['EnableDnsHostnames', vpc.dnsHostnames],
  ] as const)
    if (on === false)
      steps.push({
        key: `vpc/${attribute}`,
        actions: () => [callCloud(region, 'ModifyVpcAttribute', { VpcId: vpc.VpcId, [attribute]: { Value: true } })],
      });
  // An attribute that could not be read is not known to be right.
  const isUnknown = vpc.dnsSupport === undefined || vpc.dnsHostnames === undefined;
  const underway = vpc.State === 'pending' || isUnknown ? ['vpc'] : [];
  return partOf(vpcReady, steps, underway, `Waiting for VPC ${vpc.VpcId}`);
};

export const planSecondaryBlocks = ({ region, network, observed: { vpc } }: Scope): Part => {
  const wanted = network.vpc?.secondaryCidrBlocks ?? [];
  if (wanted.length === 0 || vpc?.unmanaged) return settled();
  if (!vpc) return notYet;
  const stateOf = (block: string) =>
    vpc.CidrBlockAssociationSet.find(
      ({ CidrBlock, CidrBlockState }) => CidrBlock === block && /^associat/.test(CidrBlockState.State),
    )?.CidrBlockState.State;
  const steps: Step[] = [];
  const underway: string[] = [];
  for (const { ipv4CidrBlock } of wanted) {
    const block = canonicalBlock(ipv4CidrBlock);
    const key = `secondary-block/${block}`;
    const state = stateOf(block);
    if (!state)
      steps.push({
        key,
        actions: () => [callCloud(region, 'AssociateVpcCidrBlock', { VpcId: vpc.VpcId, CidrBlock: block })],
      });
    else if (state !== 'associated') underway.push(key);
  }
  return partOf(secondaryCidrsReady, steps, underway, 'Adding secondary blocks to the VPC');
};

export const planInternetGateway = ({ owner, region, network, observed, isRecent }: Scope): Part => {
  const { vpc, internetGateway } = observed;
  if (vpc?.unmanaged || !(network.subnets ?? []).some(({ isPublic }) => isPublic))
    return settled(legacyTrue(internetGatewayReady));
  if (!vpc) return notYet;
  const known = network.vpc?.internetGatewayId;
  if (!internetGateway && known && isRecent('internet-gateway'))
    return partOf(internetGatewayReady, [], ['internet-gateway'], `Waiting for internet gateway ${known}`);
  if (!internetGateway) {
    const tags = tagsOf(owner, { name: `${owner.clusterName}-igw`, role: 'common', purpose: 'internet-gateway' });
    const create = callCloud(region, 'CreateInternetGateway', {
      TagSpecifications: tagSpecifications('internet-gateway', tags),
    });
    return partOf(
      internetGatewayReady,
      [{ key: 'internet-gateway', once: true, actions: () => [create] }],
      [],
      'Creating the internet gateway',
    );
  }
  const id = internetGateway.InternetGatewayId;
  const attached = internetGateway.Attachments.find(({ VpcId }) => VpcId === vpc.VpcId);
  if (!attached)
    return partOf(
      internetGatewayReady,
      [
        {
          key: 'internet-gateway/attachment',
          actions: () => [callCloud(region, 'AttachInternetGateway', { InternetGatewayId: id, VpcId: vpc.VpcId })],
        },
      ],
      [],
      `Attaching internet gateway ${id}`,
    );
  const underway = attached.State === 'attaching' ? ['internet-gateway/attachment'] : [];
  return partOf(internetGatewayReady, [], underway, `Attaching internet gateway ${id}`);
};
