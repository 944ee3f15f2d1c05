/**
 * Finds requests for IPv6 in a network that has none: the cluster would come up with IPv4 only.
 */
import type { Cluster } from '../../core/cluster/index.ts';
import { isIpv6, unservedZone } from '../network/ipv6.ts';
import type { AWSClusterSpec } from './schema.ts';

export interface Ipv6Fault {
  /** Path in the AWSCluster. */
  path: string;
  reason: string;
}

const lacking = 'needs spec.network.vpc.ipv6, which is not set';

/** What an AWSCluster asks for and cannot get. */
export const ipv6Faults = ({ network }: AWSClusterSpec): Ipv6Fault[] =>
  (network?.subnets ?? []).flatMap((subnet, i) => {
    const path = `spec.network.subnets[${i}].${subnet.isIpv6 ? 'isIpv6' : 'ipv6CidrBlock'}`;
    // A network that exists may have more than the cluster uses.
    if (!isIpv6(subnet) || network?.vpc?.id) return [];
    const reason = network?.vpc?.ipv6 ? unservedZone(subnet) : lacking;
    return reason ? [{ path, reason }] : [];
  });

/** What a Cluster asks for and cannot get in the network of its AWSCluster. */
export const ipv6BlockFaults = ({ spec }: Pick<Cluster, 'spec'>, { network }: AWSClusterSpec): Ipv6Fault[] =>
  network?.vpc?.ipv6
    ? []
    : (['pods', 'services'] as const).flatMap((which) => {
        const blocks = (spec?.clusterNetwork?.[which]?.cidrBlocks ?? []).filter((block) => block.includes(':'));
        const reason = `${blocks.join(', ')} ${lacking} in the AWSCluster`;
        return blocks.length > 0 ? [{ path: `spec.clusterNetwork.${which}.cidrBlocks`, reason }] : [];
      });
