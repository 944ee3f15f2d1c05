/** Ingress rules as a set: the desired rules, and their difference to the observed ones. */
import type { IpPermission } from '../../ports/cloud/index.ts';
import { canonicalBlock } from './blocks.ts';
import type { NetworkSpec } from './schema.ts';

export type IngressRule = NonNullable<NonNullable<NetworkSpec['controlPlaneLoadBalancer']>['ingressRules']>[number];
export type Role = NonNullable<IngressRule['sourceSecurityGroupRoles']>[number];

/**
 * One protocol, one port range, one source: EC2's identity of a rule. The description is not part
 * of it.
 */
interface Atom {
  id: string;
  permission: IpPermission;
}

// Only these protocols have ports. EC2 ignores ports for all others.
const withPorts = new Set(['tcp', 'udp', 'icmp', '58']);
const names: Record<string, string> = { '6': 'tcp', '17': 'udp', '1': 'icmp', icmpv6: '58', all: '-1' };
const protocolOf = (protocol: string) => names[protocol.toLowerCase()] ?? protocol.toLowerCase();

const atomsOf = (permission: IpPermission): Atom[] => {
  const protocol = protocolOf(permission.IpProtocol);
  const { FromPort, ToPort } = permission;
  const base: IpPermission = {
    IpProtocol: protocol,
    ...(FromPort !== undefined && { FromPort }),
    ...(ToPort !== undefined && { ToPort }),
  };
  const ports = withPorts.has(protocol) ? `${FromPort ?? ''}|${ToPort ?? ''}` : '|';
  const idOf = (source: string) => [protocol, ports, source].join('|');
  return [
    ...(permission.IpRanges ?? []).map((range) => ({
      id: idOf(range.CidrIp),
      permission: { ...base, IpRanges: [range] },
    })),
    ...(permission.Ipv6Ranges ?? []).map((range) => ({
      id: idOf(range.CidrIpv6),
      permission: { ...base, Ipv6Ranges: [range] },
    })),
    ...(permission.UserIdGroupPairs ?? []).map((pair) => ({
      id: idOf(pair.GroupId),
      permission: { ...base, UserIdGroupPairs: [{ GroupId: pair.GroupId, ...described(pair.Description) }] },
    })),
  ];
};
const described = (text: string | undefined) => (text ? { Description: text } : {});

/**
 * A rule of the spec as permissions. Sources that do not exist yet are left out; a later pass adds
 * them.
 */
export const permissionsOf = (
  rule: IngressRule,
  groups: Partial<Record<Role, string>>,
  gatewayAddresses: readonly string[],
): IpPermission => {
  const description = described(rule.description);
  const addresses = rule.natGatewaysIPsSource ? gatewayAddresses.map((address) => `${address}/32`) : [];
  const ids = [
    ...(rule.sourceSecurityGroupIds ?? []),
    ...(rule.sourceSecurityGroupRoles ?? []).flatMap((role) => groups[role] ?? []),
  ];
  return {
    IpProtocol: rule.protocol,
    FromPort: rule.fromPort,
    ToPort: rule.toPort,
    IpRanges: [...(rule.cidrBlocks ?? []), ...addresses].map((block) => ({
      CidrIp: canonicalBlock(block),
      ...description,
    })),
    Ipv6Ranges: (rule.ipv6CidrBlocks ?? []).map((block) => ({ CidrIpv6: canonicalBlock(block), ...description })),
    UserIdGroupPairs: ids.map((GroupId) => ({ GroupId, ...description })),
  };
};

export const difference = (
  wanted: readonly IpPermission[],
  have: readonly IpPermission[],
): { authorize: IpPermission[]; revoke: IpPermission[] } => {
  const index = (permissions: readonly IpPermission[]) =>
    new Map(permissions.flatMap(atomsOf).map((atom) => [atom.id, atom.permission]));
  const want = index(wanted);
  const there = index(have);
  return {
    authorize: [...want].filter(([id]) => !there.has(id)).map(([, permission]) => permission),
    revoke: [...there].filter(([id]) => !want.has(id)).map(([, permission]) => permission),
  };
};
