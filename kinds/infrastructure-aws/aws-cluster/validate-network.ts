/** Faults of an AWSCluster's network that its schema cannot express. */
import ipaddr from 'ipaddr.js';
import { isCidr } from '../../../machinery/api/cidr.ts';
import type { FieldError } from '../../../machinery/api/kind.ts';
import { invalidValue } from '../../common/validate.ts';
import type { AWSClusterSpec } from './schema.ts';

type Network = NonNullable<AWSClusterSpec['network']>;
type Vpc = NonNullable<Network['vpc']>;
type Subnet = NonNullable<Network['subnets']>[number];
type IngressRule = NonNullable<Network['additionalNodeIngressRules']>[number];
type Pool = NonNullable<Vpc['elasticIpPool']>;

const validateBlock = (at: string, block: string | undefined): FieldError[] =>
  !block || isCidr(block) ? [] : [invalidValue(at, block, 'must be a valid CIDR block')];

export const validateBlocks = (at: string, blocks: string[] | undefined): FieldError[] =>
  (blocks ?? []).flatMap((block, index) =>
    isCidr(block) ? [] : [invalidValue(`${at}[${index}]`, block, 'must be a valid CIDR block')],
  );

export const validatePool = (at: string, pool: Pool | undefined): FieldError[] => {
  if (!pool) return [];
  const { publicIpv4Pool, publicIpv4PoolFallbackOrder } = pool;
  if (publicIpv4Pool === undefined && publicIpv4PoolFallbackOrder !== undefined)
    return [
      invalidValue(
        `${at}.publicIpv4Pool`,
        '',
        'publicIpv4Pool must be set when publicIpv4PoolFallbackOrder is defined.',
      ),
    ];
  if (publicIpv4Pool === undefined) return [];
  if (publicIpv4PoolFallbackOrder === undefined)
    return [
      invalidValue(
        `${at}.publicIpv4PoolFallbackOrder`,
        publicIpv4Pool,
        'publicIpv4PoolFallbackOrder must be set when publicIpv4Pool is defined.',
      ),
    ];
  if (!publicIpv4Pool.startsWith('ipv4pool-ec2-'))
    return [invalidValue(`${at}.publicIpv4Pool`, publicIpv4Pool, 'publicIpv4Pool must start with ipv4pool-ec2-.')];
  return [];
};

const sourcesFault = (rule: IngressRule): string | undefined => {
  const blocks = rule.cidrBlocks || rule.ipv6CidrBlocks;
  const groups = rule.sourceSecurityGroupIds || rule.sourceSecurityGroupRoles;
  if (rule.natGatewaysIPsSource)
    return blocks || groups
      ? 'natGatewaysIPsSource cannot be used together with CIDR blocks, security group IDs or security group roles'
      : undefined;
  return blocks && groups
    ? 'CIDR blocks and security group IDs or security group roles cannot be used together'
    : undefined;
};

export const validateIngressRules = (at: string, rules: IngressRule[] | undefined): FieldError[] =>
  (rules ?? []).flatMap((rule, index) => {
    const own = `${at}[${index}]`;
    const fault = sourcesFault(rule);
    return [
      ...(fault ? [invalidValue(own, rule, fault)] : []),
      ...validateBlocks(`${own}.cidrBlocks`, rule.cidrBlocks),
      ...validateBlocks(`${own}.ipv6CidrBlocks`, rule.ipv6CidrBlocks),
    ];
  });

/** Where the IPv6 block comes from, in the AWS provider's words. With an id, it is the network's own. */
const validateIpv6 = (at: string, { cidrBlock, poolId, ipamPool }: NonNullable<Vpc['ipv6']>): FieldError[] => [
  ...(cidrBlock && !poolId
    ? [invalidValue(`${at}.poolId`, poolId ?? '', 'poolId cannot be empty if cidrBlock is set')]
    : []),
  ...(poolId && ipamPool ? [invalidValue(`${at}.poolId`, poolId, 'poolId and ipamPool cannot be used together')] : []),
  ...(cidrBlock && ipamPool
    ? [invalidValue(`${at}.cidrBlock`, cidrBlock, 'cidrBlock and ipamPool cannot be used together')]
    : []),
  ...(ipamPool && !ipamPool.id && !ipamPool.name
    ? [invalidValue(`${at}.ipamPool`, ipamPool, 'ipamPool must have either id or name')]
    : []),
];

const validateVpc = (vpc: Vpc): FieldError[] => {
  const at = 'spec.network.vpc';
  const { cidrBlock, ipamPool, secondaryCidrBlocks = [] } = vpc;
  const primary = cidrBlock ?? '10.0.0.0/16';
  return [
    // With an id, the block is the one that the pool assigned.
    ...(cidrBlock && ipamPool && !vpc.id
      ? [invalidValue(`${at}.ipamPool`, ipamPool, 'ipamPool and cidrBlock can not be used together')]
      : []),
    ...(ipamPool && !ipamPool.id && !ipamPool.name
      ? [invalidValue(`${at}.ipamPool`, ipamPool, 'ipamPool must have either id or name')]
      : []),
    ...validateBlock(`${at}.cidrBlock`, cidrBlock),
    ...validateBlock(`${at}.ipv6.cidrBlock`, vpc.ipv6?.cidrBlock),
    ...(vpc.ipv6 && !vpc.id ? validateIpv6(`${at}.ipv6`, vpc.ipv6) : []),
    ...secondaryCidrBlocks.flatMap(({ ipv4CidrBlock }, index) => [
      ...(isCidr(ipv4CidrBlock) && ipaddr.IPv4.isValidCIDR(ipv4CidrBlock)
        ? []
        : [
            invalidValue(
              `${at}.secondaryCidrBlocks[${index}].ipv4CidrBlock`,
              ipv4CidrBlock,
              'must be a valid IPv4 CIDR block',
            ),
          ]),
      ...(ipv4CidrBlock === primary
        ? [
            invalidValue(
              `${at}.secondaryCidrBlocks`,
              ipv4CidrBlock,
              'AWSCluster.spec.network.vpc.secondaryCidrBlocks must not contain the primary AWSCluster.spec.network.vpc.cidrBlock',
            ),
          ]
        : []),
    ]),
    ...validatePool(`${at}.elasticIpPool`, vpc.elasticIpPool),
  ];
};

const validateSubnet = (subnet: Subnet, index: number): FieldError[] => {
  const at = `spec.network.subnets[${index}]`;
  const isEdge = subnet.zoneType && subnet.zoneType !== 'availability-zone';
  return [
    ...(isEdge && !subnet.parentZoneName
      ? [
          invalidValue(
            `${at}.parentZoneName`,
            subnet.parentZoneName ?? '',
            `ParentZoneName must be set when ZoneType is '${subnet.zoneType}'.`,
          ),
        ]
      : []),
    ...validateBlock(`${at}.cidrBlock`, subnet.cidrBlock),
    ...validateBlock(`${at}.ipv6CidrBlock`, subnet.ipv6CidrBlock),
  ];
};

export const validateNetwork = (network: Network): FieldError[] => [
  ...validateIngressRules(
    'spec.network.additionalControlPlaneIngressRules',
    network.additionalControlPlaneIngressRules,
  ),
  ...validateIngressRules('spec.network.additionalNodeIngressRules', network.additionalNodeIngressRules),
  ...validateBlocks('spec.network.nodePortIngressRuleCidrBlocks', network.nodePortIngressRuleCidrBlocks),
  ...validateVpc(network.vpc ?? {}),
  ...(network.subnets ?? []).flatMap(validateSubnet),
];
