import { call, create } from '../../engine/resource.ts';
import { cloudProviderTagOf } from '../../engine/tags.ts';
import { vpcReady } from '../conditions.ts';
import { defaultBlock, type VpcSpec } from '../fill.ts';
import { isAwaitingIpv6 } from '../ipv6.ts';
import type { ObservedVpc } from '../observe-cloud.ts';
import type { NetworkResource } from '../scope.ts';

const defaultLength = 16;

/**
 * CreateVpc's block parameter: the block itself, or the pool to take it from; undefined when the
 * pool does not exist.
 */
const blockOf = (vpc: VpcSpec | undefined, ipamPoolId: string | undefined) => {
  if (!vpc?.ipamPool) return { CidrBlock: vpc?.cidrBlock ?? defaultBlock };
  const Ipv4NetmaskLength = vpc.ipamPool.netmaskLength ?? defaultLength;
  return ipamPoolId && { Ipv4IpamPoolId: ipamPoolId, Ipv4NetmaskLength };
};

const defaultLength6 = 56;

/** CreateVpc's parameters of IPv6; undefined when the pool does not exist. */
const ipv6BlockOf = (vpc: VpcSpec | undefined, ipv6IpamPoolId: string | undefined) => {
  if (!vpc?.ipv6) return {};
  const { poolId, cidrBlock, ipamPool } = vpc.ipv6;
  if (ipamPool)
    return (
      ipv6IpamPoolId && {
        Ipv6IpamPoolId: ipv6IpamPoolId,
        Ipv6NetmaskLength: ipamPool.netmaskLength ?? defaultLength6,
      }
    );
  if (!poolId) return { AmazonProvidedIpv6CidrBlock: true };
  return { Ipv6Pool: poolId, ...(cidrBlock && { Ipv6CidrBlock: cidrBlock }) };
};

/** Which of the named pools does not exist. */
const missingPool = (vpc: VpcSpec | undefined, block: unknown, ipv6Block: unknown): string | undefined => {
  if (!block) return `no IPv4 IPAM pool is named ${vpc?.ipamPool?.name}`;
  return ipv6Block ? undefined : `no IPv6 IPAM pool is named ${vpc?.ipv6?.ipamPool?.name}`;
};

const enable = (VpcId: string, attribute: 'EnableDnsSupport' | 'EnableDnsHostnames', isOn: boolean | undefined) =>
  isOn === false ? call('ModifyVpcAttribute', { VpcId, [attribute]: { Value: true } }) : undefined;

/** The VPC. The controller only describes an unmanaged one. */
export const vpcs: NetworkResource<ObservedVpc> = {
  sort: 'vpc',
  title: 'VPC',
  events: ['CreateVpc', 'ModifyVpcAttribute', 'DeleteVpc'],
  condition: { type: vpcReady, started: 'VpcCreationStarted', failed: 'VpcReconciliationFailed' },
  list: 'vpcs',
  inUnmanagedNetwork: 'described',
  // An attribute that could not be read is not known to be right.
  state: (vpc) =>
    vpc.State === 'pending' ||
    vpc.dnsSupport === undefined ||
    vpc.dnsHostnames === undefined ||
    (!vpc.unmanaged && isAwaitingIpv6(vpc))
      ? 'pending'
      : 'ready',
  depth: 0,
  ec2: ['vpc'],
  repeats: 'once',
  desired: ({ owner, network, cloudState: { vpc, ipamPoolId, ipv6IpamPoolId } }) => {
    if (vpc?.unmanaged) return [];
    const noted = network.vpc?.id;
    const block = blockOf(network.vpc, ipamPoolId);
    const ipv6Block = ipv6BlockOf(network.vpc, ipv6IpamPoolId);
    const missing = missingPool(network.vpc, block, ipv6Block);
    const more = { ...network.vpc?.tags, [cloudProviderTagOf(owner)]: 'owned' };
    return [
      {
        there: vpc,
        noted,
        lost: `VPC ${noted} is not there; bring it back, or delete the cluster and create it again`,
        ...(!vpc && missing && { lacks: missing }),
        create: create('CreateVpc', { ...(block || {}), ...(ipv6Block || {}) }),
        tags: { name: `${owner.clusterName}-vpc`, more },
        ...(vpc && {
          repairs: {
            EnableDnsSupport: enable(vpc.VpcId, 'EnableDnsSupport', vpc.dnsSupport),
            EnableDnsHostnames: enable(vpc.VpcId, 'EnableDnsHostnames', vpc.dnsHostnames),
          },
        }),
      },
    ];
  },
  awaiting: ({ network, cloudState: { vpc } }) => {
    const id = vpc?.VpcId ?? network.vpc?.id;
    return id ? `Waiting for VPC ${id}` : 'Creating the VPC';
  },
  // Create nothing, and incur no cost, without a VPC.
  allows: ({ cloudState: { vpc } }) => vpc !== undefined,
  marks: (_, { owner }, given) => ({
    given: given.network?.vpc?.tags,
    finding: { [cloudProviderTagOf(owner)]: 'owned' },
  }),
  uses: [],
  turn: () => 'last',
  remove: ({ VpcId }) => [call('DeleteVpc', { VpcId })],
};
