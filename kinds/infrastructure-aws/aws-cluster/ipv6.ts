/**
 * Finds requests for IPv6, which Capstan does not support: the cluster would come up with IPv4
 * only.
 */
import type { Cluster } from '../../core/cluster/index.ts';
import type { AWSClusterSpec } from './schema.ts';

const isIpv6Block = (block: string): boolean => block.includes(':');

/** Paths in an AWSCluster. */
export const ipv6Fields = (spec: AWSClusterSpec): string[] => {
  const { vpc, subnets = [] } = spec.network ?? {};
  return [
    ...(vpc?.ipv6 ? ['spec.network.vpc.ipv6'] : []),
    ...subnets.flatMap(({ isIpv6, ipv6CidrBlock }, i) => [
      ...(isIpv6 ? [`spec.network.subnets[${i}].isIpv6`] : []),
      ...(ipv6CidrBlock ? [`spec.network.subnets[${i}].ipv6CidrBlock`] : []),
    ]),
    ...(['controlPlaneLoadBalancer', 'secondaryControlPlaneLoadBalancer'] as const).flatMap((which) => [
      ...(spec[which]?.targetGroupIPType === 'ipv6' ? [`spec.${which}.targetGroupIPType`] : []),
      ...(spec[which]?.additionalListeners ?? []).flatMap(({ targetGroupIPType }, i) =>
        targetGroupIPType === 'ipv6' ? [`spec.${which}.additionalListeners[${i}].targetGroupIPType`] : [],
      ),
    ]),
  ];
};

/** Paths in a Cluster with the IPv6 blocks at each. */
export const ipv6Blocks = ({ spec }: Pick<Cluster, 'spec'>): { path: string; blocks: string[] }[] =>
  (['pods', 'services'] as const).flatMap((which) => {
    const blocks = (spec?.clusterNetwork?.[which]?.cidrBlocks ?? []).filter(isIpv6Block);
    return blocks.length > 0 ? [{ path: `spec.clusterNetwork.${which}.cidrBlocks`, blocks }] : [];
  });

export const ipv6NotServed = 'IPv6 is not supported';
