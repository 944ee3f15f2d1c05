/** Ingress rules: flat as stored, grouped by protocol and ports as EC2 shows them. */
import ipaddr from 'ipaddr.js';
import type { IpPermission } from '../../kinds/ports/cloud/index.ts';
import { formatBlock, parseBlock } from './cidr.ts';
import { invalidParameter, refuse } from './errors.ts';

/** Exactly one of cidr, cidr6 and group. */
export interface Rule {
  protocol: string;
  from?: number;
  to?: number;
  cidr?: string;
  cidr6?: string;
  group?: string;
  description?: string;
}

const protocolNames = new Map([
  ['1', 'icmp'],
  ['6', 'tcp'],
  ['17', 'udp'],
  ['58', 'icmpv6'],
]);

const parseProtocol = (text: string): string => {
  const protocol = protocolNames.get(text) ?? text.toLowerCase();
  if (['tcp', 'udp', 'icmp', 'icmpv6', '-1'].includes(protocol)) return protocol;
  if (protocol === 'all') return '-1';
  if (/^\d{1,3}$/.test(protocol) && Number(protocol) <= 255) return protocol;
  return invalidParameter(`Invalid value '${text}' for IP protocol. Unknown protocol.`);
};

/** Only tcp, udp and icmp have ports; EC2 drops ports for everything else. */
const parsePorts = (protocol: string, { FromPort, ToPort }: IpPermission): { from?: number; to?: number } => {
  if (protocol === 'tcp' || protocol === 'udp') {
    if (FromPort === undefined || ToPort === undefined)
      return refuse('MissingParameter', "The 'fromPort' and 'toPort' parameters are required for the protocol");
    for (const port of [FromPort, ToPort])
      if (!Number.isInteger(port) || port < 0 || port > 65_535)
        invalidParameter(`Invalid value '${port}' for port. Must be between 0 and 65535.`);
    if (FromPort > ToPort) invalidParameter(`Invalid TCP/UDP port range (${FromPort}:${ToPort})`);
    return { from: FromPort, to: ToPort };
  }
  return protocol.startsWith('icmp') ? { from: FromPort ?? -1, to: ToPort ?? -1 } : {};
};

const parseCidr = (text: string): string => {
  const block = parseBlock(text) ?? invalidParameter(`CIDR block ${text} is malformed`);
  return formatBlock(block);
};
const parseCidr6 = (text: string): string =>
  ipaddr.IPv6.isValidCIDR(text)
    ? `${ipaddr.IPv6.networkAddressFromCIDR(text)}/${text.split('/')[1]}`
    : invalidParameter(`CIDR block ${text} is malformed`);

const withDescription = (description: string | undefined) => {
  if (description !== undefined && description.length > 255)
    invalidParameter('Invalid rule description. Descriptions must be less than 256 characters.');
  return description ? { description } : {};
};

/** All rules in the permissions. `groupExists` refuses a source that does not exist. */
export const parsePermissions = (permissions: IpPermission[], groupExists: (id: string) => void): Rule[] =>
  permissions.flatMap((permission) => {
    const protocol = parseProtocol(permission.IpProtocol);
    const base = { protocol, ...parsePorts(protocol, permission) };
    const rules: Rule[] = [
      ...(permission.IpRanges ?? []).map(({ CidrIp, Description }) => ({
        ...base,
        cidr: parseCidr(CidrIp),
        ...withDescription(Description),
      })),
      ...(permission.Ipv6Ranges ?? []).map(({ CidrIpv6, Description }) => ({
        ...base,
        cidr6: parseCidr6(CidrIpv6),
        ...withDescription(Description),
      })),
      ...(permission.UserIdGroupPairs ?? []).map(({ GroupId, Description }) => {
        groupExists(GroupId);
        return { ...base, group: GroupId, ...withDescription(Description) };
      }),
    ];
    if (rules.length === 0)
      invalidParameter('Either the CIDR or the source security group of a rule must be specified');
    return rules;
  });

/** Descriptions are not part of a rule's identity. */
export const ruleKey = ({ protocol, from, to, cidr, cidr6, group }: Rule): string =>
  [protocol, from, to, cidr, cidr6, group].join('|');

export const describeRule = ({ protocol, from, to, cidr, cidr6, group }: Rule): string =>
  `peer: ${cidr ?? cidr6 ?? group}, ${protocol === '-1' ? 'ALL' : protocol.toUpperCase()}, ${
    from === undefined ? '' : `from port: ${from}, to port: ${to}, `
  }ALLOW`;

const described = ({ description }: Rule) => (description ? { Description: description } : {});

export const permissionsOf = (rules: Rule[]): IpPermission[] => {
  const groups = Map.groupBy(rules, ({ protocol, from, to }) => `${protocol}|${from}|${to}`);
  return [...groups.values()].map((members) => {
    const { protocol, from, to } = members[0]!;
    return {
      IpProtocol: protocol,
      ...(from !== undefined && { FromPort: from }),
      ...(to !== undefined && { ToPort: to }),
      IpRanges: members.flatMap((rule) => (rule.cidr ? [{ CidrIp: rule.cidr, ...described(rule) }] : [])),
      Ipv6Ranges: members.flatMap((rule) => (rule.cidr6 ? [{ CidrIpv6: rule.cidr6, ...described(rule) }] : [])),
      UserIdGroupPairs: members.flatMap((rule) => (rule.group ? [{ GroupId: rule.group, ...described(rule) }] : [])),
    };
  });
};
