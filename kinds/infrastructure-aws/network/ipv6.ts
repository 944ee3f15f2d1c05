/** IPv6 of a network: which block it has, and which subnets take part. */
import type { Subnet, Vpc } from '../../ports/cloud/index.ts';
import { canonicalBlock, slash64 } from './blocks.ts';
import { isEdge, type Network, type SubnetSpec, type VpcSpec } from './fill.ts';

export const everywhere6 = '::/0';
/** Addresses that stand for those of IPv4, behind NAT64. */
export const nat64 = '64:ff9b::/96';

const blockWith = (
  associations: Vpc['Ipv6CidrBlockAssociationSet'] | Subnet['Ipv6CidrBlockAssociationSet'],
  state: RegExp,
): string | undefined => associations?.find(({ Ipv6CidrBlockState: { State } }) => state.test(State))?.Ipv6CidrBlock;

/** The block that it has or is about to have. */
export const ipv6BlockOf = (one: Pick<Vpc, 'Ipv6CidrBlockAssociationSet'>): string | undefined =>
  blockWith(one.Ipv6CidrBlockAssociationSet, /^associat/);

/** Whether its block can be used. */
export const hasIpv6 = (one: Pick<Vpc, 'Ipv6CidrBlockAssociationSet'>): boolean =>
  blockWith(one.Ipv6CidrBlockAssociationSet, /^associated$/) !== undefined;

/** Whether it is about to have one. */
export const isAwaitingIpv6 = (one: Pick<Vpc, 'Ipv6CidrBlockAssociationSet'>): boolean =>
  ipv6BlockOf(one) !== undefined && !hasIpv6(one);

export const isIpv6 = ({ isIpv6: asked, ipv6CidrBlock }: Pick<SubnetSpec, 'isIpv6' | 'ipv6CidrBlock'>): boolean =>
  Boolean(asked || ipv6CidrBlock);

/** Whether the network is to have IPv6 at all. */
export const wantsIpv6 = ({ network }: { network?: Network | undefined }): boolean => network?.vpc?.ipv6 !== undefined;

/** The AWS provider's words; few such zones have IPv6, and no Wavelength zone has. */
export const unservedZone = (subnet: SubnetSpec): string | undefined =>
  isIpv6(subnet) && isEdge(subnet) ? `IPv6 is not supported with zone type "${subnet.zoneType}"` : undefined;

/** Each subnet that asks for IPv6 with a /64 of the network: the first that none of them has. */
export const withIpv6Blocks = (subnets: readonly SubnetSpec[], { ipv6 }: Pick<VpcSpec, 'ipv6'>): SubnetSpec[] => {
  const whole = ipv6?.cidrBlock;
  if (!whole) return [...subnets];
  const taken = new Set(subnets.flatMap(({ ipv6CidrBlock }) => (ipv6CidrBlock ? canonicalBlock(ipv6CidrBlock) : [])));
  let index = 0;
  return subnets.map((subnet) => {
    if (!subnet.isIpv6 || subnet.ipv6CidrBlock || isEdge(subnet)) return subnet;
    let block = slash64(whole, index++);
    while (block !== undefined && taken.has(block)) block = slash64(whole, index++);
    return block === undefined ? subnet : { ...subnet, ipv6CidrBlock: block };
  });
};
