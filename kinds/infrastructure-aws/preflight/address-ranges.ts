/** Checks that the address ranges of pods, services, VPC and subnets do not overlap. */
import ipaddr from 'ipaddr.js';
import { found } from '../../../machinery/api/reconcile.ts';
import { defaultBlock } from '../network/fill.ts';
import type { PreflightFacts } from './facts.ts';
import { type Finding, nameOf, refused } from './finding.ts';

interface Range {
  block: string;
  /** A description of the range and its field. */
  what: string;
  field: string;
}

/** kubeadm's default service range. */
const defaultServices = '10.96.0.0/12';
// EC2's limits for the prefix length of IPv4 VPCs and subnets.
const [largest, smallest] = [16, 28];

type Parsed = [ipaddr.IPv4 | ipaddr.IPv6, number];
const parsed = (block: string): Parsed | undefined =>
  ipaddr.isValidCIDR(block) ? (ipaddr.parseCIDR(block) as Parsed) : undefined;

const matches = ([a]: Parsed, [b]: Parsed, length: number): boolean =>
  a.kind() === b.kind() && a.match([b, length] as never);

/** Whether two blocks share addresses; an invalid block shares none. */
export const overlap = (one: string, other: string): boolean => {
  const [a, b] = [parsed(one), parsed(other)];
  return a !== undefined && b !== undefined && matches(a, b, Math.min(a[1], b[1]));
};
/** Whether `inner` lies completely in `outer`. */
export const within = (inner: string, outer: string): boolean => {
  const [a, b] = [parsed(inner), parsed(outer)];
  return a !== undefined && b !== undefined && a[1] >= b[1] && matches(a, b, b[1]);
};

export const judgeAddressRanges = (facts: PreflightFacts): Finding[] => {
  const pods = podRanges(facts);
  const services = serviceRanges(facts);
  const { primary, secondary } = networkRanges(facts);
  return [
    ...clashes([...pods, ...services], primary),
    ...clashes(pods, services),
    ...clashes(services, secondary),
    // Secondary blocks may hold pods with VPC addresses.
    ...clashes(pods, secondary, (pod, { block }) => within(pod.block, block)),
    ...clashes(secondary, primary),
    ...secondary.flatMap((range, i) => clashes([range], secondary.slice(i + 1))),
    ...judgeSubnets(facts, [...primary, ...secondary]),
  ];
};

const clashes = (
  ranges: readonly Range[],
  others: readonly Range[],
  allowed: (one: Range, other: Range) => boolean = () => false,
): Finding[] =>
  ranges.flatMap((one) =>
    others
      .filter((other) => overlap(one.block, other.block) && !allowed(one, other))
      .map((other) =>
        refused(
          `${one.field}: ${one.what} ${one.block} overlap ${other.what} ${other.block} (${other.field}): change one`,
        ),
      ),
  );

const podRanges = ({ cluster }: PreflightFacts): Range[] =>
  (cluster.spec?.clusterNetwork?.pods?.cidrBlocks ?? []).map((block) => ({
    block,
    what: 'the pods’ addresses',
    field: `${nameOf(cluster)} spec.clusterNetwork.pods.cidrBlocks`,
  }));

const serviceRanges = ({ cluster }: PreflightFacts): Range[] => {
  const given = cluster.spec?.clusterNetwork?.services?.cidrBlocks ?? [];
  const field = `${nameOf(cluster)} spec.clusterNetwork.services.cidrBlocks`;
  return given.length > 0
    ? given.map((block) => ({ block, what: 'the services’ addresses', field }))
    : [{ block: defaultServices, what: 'the default of the services’ addresses', field }];
};

const networkRanges = ({ awsCluster, given, cloud }: PreflightFacts): { primary: Range[]; secondary: Range[] } => {
  if (awsCluster.state !== 'found') return { primary: [], secondary: [] };
  const me = nameOf(awsCluster.value);
  const vpc = given.network?.vpc;
  if (vpc?.id !== undefined) {
    const there = cloud?.unmanagedVpc && found(cloud.unmanagedVpc);
    if (!there) return { primary: [], secondary: [] };
    const range = (block: string) => ({ block, what: `VPC ${there.VpcId}`, field: `${me} spec.network.vpc.id` });
    const more = there.CidrBlockAssociationSet.filter(({ CidrBlock }) => CidrBlock !== there.CidrBlock);
    return { primary: [range(there.CidrBlock)], secondary: more.map(({ CidrBlock }) => range(CidrBlock)) };
  }
  const field = `${me} spec.network.vpc.cidrBlock`;
  return {
    // The pool's block is not known yet.
    primary: vpc?.ipamPool ? [] : [{ block: vpc?.cidrBlock ?? defaultBlock, what: 'the VPC', field }],
    secondary: (vpc?.secondaryCidrBlocks ?? []).map(({ ipv4CidrBlock }) => ({
      block: ipv4CidrBlock,
      what: 'the VPC’s secondary block',
      field: `${me} spec.network.vpc.secondaryCidrBlocks`,
    })),
  };
};

const sizeOf = (block: string): number | undefined => {
  const range = parsed(block);
  return range?.[0].kind() === 'ipv4' ? range[1] : undefined;
};
const fits = (block: string): boolean => {
  const size = sizeOf(block);
  return size === undefined || (size >= largest && size <= smallest);
};

/**
 * Checks subnets to be created: EC2's size limits, inside the VPC's blocks, and without overlap.
 */
const judgeSubnets = ({ awsCluster, given, network }: PreflightFacts, blocks: readonly Range[]): Finding[] => {
  if (awsCluster.state !== 'found' || given.network?.vpc?.id !== undefined) return [];
  const me = nameOf(awsCluster.value);
  const odd = blocks.filter(({ block }) => !fits(block));
  if (odd.length > 0)
    return odd.map(({ field, block }) =>
      refused(`${field}: ${block} must be between a /${largest} and a /${smallest}: choose such a block`),
    );
  const subnets = network.subnets ?? [];
  if (!given.network?.subnets?.length)
    return subnets.every(({ cidrBlock }) => !cidrBlock || fits(cidrBlock))
      ? []
      : [
          refused(
            `${me} spec.network.vpc.cidrBlock: ${network.vpc?.cidrBlock} has no room for subnets in every zone: choose a larger block, or lower spec.network.vpc.availabilityZoneUsageLimit`,
          ),
        ];
  const pooled = given.network.vpc?.ipamPool !== undefined;
  return subnets.flatMap(({ cidrBlock: block }, i) => {
    if (!block || !parsed(block)) return [];
    const field = `${me} spec.network.subnets[${i}].cidrBlock`;
    if (!fits(block))
      return [refused(`${field}: ${block} must be between a /${largest} and a /${smallest}: choose such a block`)];
    if (!pooled && !blocks.some((outer) => within(block, outer.block)))
      return [
        refused(
          `${field}: ${block} is not within the VPC, ${blocks.map((one) => one.block).join(', ')}: change it, or spec.network.vpc.cidrBlock`,
        ),
      ];
    const other = subnets.findIndex((one, j) => j < i && overlap(block, one.cidrBlock ?? ''));
    return other < 0
      ? []
      : [
          refused(
            `${field}: ${block} overlaps ${subnets[other]!.cidrBlock} of spec.network.subnets[${other}]: change one`,
          ),
        ];
  });
};
