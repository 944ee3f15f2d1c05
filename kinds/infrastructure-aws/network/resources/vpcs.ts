import { call, create } from '../../engine/resource.ts';
import { cloudProviderTag } from '../../engine/tags.ts';
import { vpcReady } from '../conditions.ts';
import { defaultBlock, type VpcSpec } from '../fill.ts';
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
  state: ({ State, dnsSupport, dnsHostnames }) =>
    State === 'pending' || dnsSupport === undefined || dnsHostnames === undefined ? 'pending' : 'ready',
  depth: 0,
  ec2: ['vpc'],
  repeats: 'once',
  desired: ({ owner, network, cloudState: { vpc, ipamPoolId } }) => {
    if (vpc?.unmanaged) return [];
    const noted = network.vpc?.id;
    const block = blockOf(network.vpc, ipamPoolId);
    const more = { ...network.vpc?.tags, [cloudProviderTag(owner.clusterName)]: 'owned' };
    return [
      {
        there: vpc,
        noted,
        lost: `VPC ${noted} is not there; bring it back, or delete the cluster and create it again`,
        ...(!vpc && !block && { lacks: `no IPv4 IPAM pool is named ${network.vpc?.ipamPool?.name}` }),
        create: create('CreateVpc', block || {}),
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
    finding: { [cloudProviderTag(owner.clusterName)]: 'owned' },
  }),
  uses: [],
  turn: () => 'last',
  remove: ({ VpcId }) => [call('DeleteVpc', { VpcId })],
};
