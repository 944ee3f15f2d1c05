import ipaddr from 'ipaddr.js';
import type { Cluster } from '../../../../kinds/core/cluster/index.ts';
import type { AWSClusterSpec } from '../../../../kinds/infrastructure-aws/aws-cluster/index.ts';
import type { IpPermission } from '../../../../kinds/ports/cloud/index.ts';
import type { World } from '../../site.ts';
import { infrastructureOf } from '../relations.ts';
import type { Rule } from '../rule.ts';
import { owner, region, role, tagOf } from '../tags.ts';

/**
 * The description prefix of the rules that the in-cluster cloud provider adds for Services. It adds
 * them to the `lb` group only.
 */
export const openedForServices = 'kubernetes.io/rule/nlb/';
const everywhere = '0.0.0.0/0';

type IngressRule = NonNullable<NonNullable<AWSClusterSpec['controlPlaneLoadBalancer']>['ingressRules']>[number];
/** A protocol, its port range if it has ports, and its source. */
type Way = string;

const ported = new Set(['tcp', 'udp', 'icmp', '58']);
/** Normalizes a CIDR block to its network address. */
const named = (source: string): string => {
  if (!ipaddr.isValidCIDR(source)) return source;
  const family = source.includes(':') ? ipaddr.IPv6 : ipaddr.IPv4;
  return `${family.networkAddressFromCIDR(source)}/${source.split('/')[1]}`;
};
const wayOf = (protocol: string, from: number | undefined, to: number | undefined, source: string): Way =>
  `${protocol}${ported.has(protocol) ? ` ${from}-${to}` : ''} from ${named(source)}`;
const tcp = (from: number, sources: readonly string[], to = from): Way[] =>
  sources.map((source) => wayOf('tcp', from, to, source));

/** What the expected rules depend on. */
interface Ground {
  spec: AWSClusterSpec;
  apiPort: number;
  /** The CIDR block of the network. */
  block: string;
  /** The addresses of the network's NAT gateways. */
  gateways: readonly string[];
}

const given = (rules: readonly IngressRule[] | undefined, { gateways }: Ground): Way[] =>
  (rules ?? []).flatMap(({ protocol, fromPort, toPort, ...from }) => {
    const sources = [
      ...(from.cidrBlocks ?? []),
      ...(from.ipv6CidrBlocks ?? []),
      ...(from.sourceSecurityGroupIds ?? []),
      ...(from.sourceSecurityGroupRoles ?? []),
      ...(from.natGatewaysIPsSource ? gateways : []),
    ];
    // A rule from NAT gateways has no sources while there are none.
    const hasSources = sources.length > 0 || from.natGatewaysIPsSource;
    return (hasSources ? sources : ['controlplane']).map((source) => wayOf(protocol, fromPort, toPort, source));
  });

const balancersOf = ({ spec }: Ground) =>
  [spec.controlPlaneLoadBalancer, spec.secondaryControlPlaneLoadBalancer].filter((one) => one !== undefined);

const podNetwork = ({ spec }: Ground): Way[] =>
  (spec.network?.cni?.cniIngressRules ?? []).flatMap(({ protocol, fromPort, toPort }) =>
    ['controlplane', 'node'].map((source) => wayOf(protocol, fromPort, toPort, source)),
  );

const wanted: Readonly<Record<string, (ground: Ground) => Way[]>> = {
  bastion: ({ spec }) => (spec.bastion?.disableIngressRules ? [] : tcp(22, spec.bastion?.allowedCIDRBlocks ?? [])),
  controlplane: (ground) => [
    ...tcp(ground.apiPort, ['apiserver-lb', 'controlplane', 'node']),
    ...tcp(2379, ['controlplane']),
    ...tcp(2380, ['controlplane']),
    ...podNetwork(ground),
    ...given(ground.spec.network?.additionalControlPlaneIngressRules, ground),
  ],
  node: (ground) => [
    ...tcp(30_000, ground.spec.network?.nodePortIngressRuleCidrBlocks ?? [everywhere], 32_767),
    ...tcp(10_250, ['controlplane', 'node']),
    ...podNetwork(ground),
    ...given(ground.spec.network?.additionalNodeIngressRules, ground),
  ],
  // Machines reach a public load balancer through the NAT gateways, and an internal one from within
  // the network.
  'apiserver-lb': (ground) => {
    const all = balancersOf(ground);
    const machines = all.flatMap(({ scheme }) =>
      tcp(ground.apiPort, scheme === 'internal' ? [ground.block] : ground.gateways),
    );
    const rules = given(
      all.flatMap(({ ingressRules }) => ingressRules ?? []),
      ground,
    );
    const ports = all.flatMap(({ additionalListeners }) => (additionalListeners ?? []).map(({ port }) => port));
    const open = [ground.apiPort, ...ports].flatMap((port) => tcp(port, [everywhere]));
    return [...machines, ...(rules.length > 0 ? rules : open)];
  },
  lb: (ground) => {
    const all = balancersOf(ground);
    const from = all.some(({ preserveClientIP }) => preserveClientIP) ? everywhere : ground.block;
    const ports = all.flatMap(({ additionalListeners }) => (additionalListeners ?? []).map(({ port }) => port));
    return [ground.apiPort, ...ports].flatMap((port) => tcp(port, [from]));
  },
};

const waysIn = (permissions: readonly IpPermission[], roles: ReadonlyMap<string, string>): Way[] =>
  permissions.flatMap(({ IpProtocol, FromPort, ToPort, IpRanges = [], Ipv6Ranges = [], UserIdGroupPairs = [] }) =>
    [
      ...IpRanges.map(({ CidrIp }) => CidrIp),
      ...Ipv6Ranges.map(({ CidrIpv6 }) => CidrIpv6),
      ...UserIdGroupPairs.map(({ GroupId }) => roles.get(GroupId) ?? GroupId),
    ].map((source) => wayOf(IpProtocol, FromPort, ToPort, source)),
  );

const isForService = ({ IpRanges = [] }: IpPermission): boolean =>
  IpRanges.length > 0 && IpRanges.every(({ Description }) => Description?.startsWith(openedForServices));

const inOrder = (ways: readonly Way[]) => [...new Set(ways)].sort();

/** The first security group whose ingress rules differ from the spec; undefined when none does. */
export const wronglyOpened = async ({ account, mirror }: World, name: string): Promise<string | undefined> => {
  const cluster = mirror.get<Cluster>('Cluster', 'default', name);
  const { spec } = infrastructureOf(mirror, cluster) ?? {};
  if (!cluster || !spec) return undefined;
  const { SecurityGroups } = await account.uncounted(region, 'DescribeSecurityGroups', {});
  const own = SecurityGroups.filter(({ Tags }) => tagOf(Tags, owner) === cluster.metadata.uid);
  const roles = new Map(own.map(({ GroupId, Tags }) => [GroupId, tagOf(Tags, role) ?? '']));
  const { Vpcs } = await account.uncounted(region, 'DescribeVpcs', {});
  const { NatGateways } = await account.uncounted(region, 'DescribeNatGateways', {});
  for (const { GroupId, VpcId, IpPermissions } of own) {
    const part = roles.get(GroupId)!;
    if (part === 'bastion' && !spec.bastion?.enabled) continue;
    const works = NatGateways.filter((one) => one.VpcId === VpcId && one.State === 'available');
    const ground: Ground = {
      spec,
      apiPort: cluster.spec?.clusterNetwork?.apiServerPort ?? 6443,
      block: Vpcs.find((one) => one.VpcId === VpcId)?.CidrBlock ?? '',
      gateways: works.flatMap(({ NatGatewayAddresses: [first] }) => (first ? [`${first.PublicIp}/32`] : [])),
    };
    const ssh = spec.bastion?.enabled && /^(controlplane|node)$/.test(part) ? tcp(22, ['bastion']) : [];
    const should = inOrder([...(wanted[part]?.(ground) ?? []), ...ssh]);
    const others = part === 'lb' ? IpPermissions.filter(isForService) : [];
    const is = inOrder(
      waysIn(
        IpPermissions.filter((one) => !others.includes(one)),
        roles,
      ),
    );
    const missing = should.filter((way) => !is.includes(way));
    const more = is.filter((way) => !should.includes(way));
    if (missing.length + more.length > 0)
      return `${part} of ${name} has excess rules ${more.join(', ') || '(none)'} and lacks ${missing.join(', ') || '(none)'}`;
  }
  return undefined;
};

export const securityGroups: Rule = ({ world, wanted: clusters }, broken) => ({
  atEnd: async () => {
    for (const { name } of clusters()) {
      const wrong = await wronglyOpened(world, name);
      if (wrong) throw broken(wrong);
    }
  },
});
