/** IPAM pools, which allocate disjoint blocks to VPCs. */
import { createHash } from 'node:crypto';
import type { CloudOutput, Filter } from '../../kinds/ports/cloud/index.ts';
import { type Block, formatBlock, overlaps, parseBlock } from './cidr.ts';
import { formatBlock6, overlaps6, parseBlock6 } from './cidr6.ts';
import { invalidParameter, refuse } from './errors.ts';
import { isRemoved } from './removed.ts';
import type { Call, Handlers } from './state.ts';

type Pool = CloudOutput<'DescribeIpamPools'>['IpamPools'][number];

const defaultBlock = '10.128.0.0/9';

const defaultBlock6 = '2001:db8::/32';

const viewAs =
  (AddressFamily: Pool['AddressFamily']) =>
  (IpamPoolId: string): Pool => ({ IpamPoolId, AddressFamily, State: 'create-complete' });

/** Any named pool exists until it is removed. */
const idOfName = (name: string): string => `ipam-pool-${createHash('sha256').update(name).digest('hex').slice(0, 17)}`;

const valuesOf = (filters: Filter[] | undefined, name: string): string[] | undefined =>
  filters?.find(({ Name }) => Name === name)?.Values;

const checkPool = ({ account }: Call, poolId: string): void => {
  if (!/^ipam-pool-[0-9a-f]+$/.test(poolId) || isRemoved(account, 'ipam-pool', poolId))
    refuse('InvalidIpamPoolId.NotFound', `The ipam-pool ID '${poolId}' does not exist`);
};

/** A block of this length that no VPC of the pool uses. Throws the service's errors. */
export const allocateBlock = (call: Call, poolId: string, length: number): string => {
  const { account, region } = call;
  checkPool(call, poolId);
  const whole = parseBlock(account.behaviour.ipamPools[poolId] ?? defaultBlock)!;
  if (length < 16 || length > 28) invalidParameter(`Invalid netmask length ${length}: must be from 16 to 28`);
  const taken = account.vpcs.by('region', region).flatMap(({ blocks }) => blocks.map(({ cidr }) => parseBlock(cidr)!));
  const size = 2 ** (32 - length);
  for (let base = whole.base; base + size <= whole.base + whole.size; base += size) {
    const candidate: Block = { base, prefix: length, size };
    if (!taken.some((block) => overlaps(block, candidate))) return formatBlock(candidate);
  }
  return refuse('InsufficientCidrBlocks', `The IPAM pool '${poolId}' has no block of length ${length} left.`);
};

/** The same for IPv6. */
export const allocateBlock6 = (call: Call, poolId: string, length: number): string => {
  const { account, region } = call;
  checkPool(call, poolId);
  const whole = parseBlock6(defaultBlock6)!;
  if (length < 44 || length > 60 || length % 4 !== 0)
    invalidParameter(`Invalid netmask length ${length}: must be from 44 to 60, by 4`);
  const taken = account.vpcs.by('region', region).flatMap(({ ipv6 }) => (ipv6 ? [parseBlock6(ipv6.cidr)!] : []));
  const size = 1n << BigInt(128 - length);
  let base = whole.base;
  while (taken.some((block) => overlaps6(block, { base, prefix: length, size }))) base += size;
  return formatBlock6({ base, prefix: length, size });
};

export const ipamActions = {
  DescribeIpamPools: ({ account }, { IpamPoolIds, Filters }) => {
    const there = (name: string) => !isRemoved(account, 'ipam-pool', name);
    const ids = IpamPoolIds ?? (valuesOf(Filters, 'tag:Name') ?? []).filter(there).map(idOfName);
    const [family = 'ipv4'] = valuesOf(Filters, 'address-family') ?? [];
    return { IpamPools: ids.filter(there).map(viewAs(family === 'ipv6' ? 'ipv6' : 'ipv4')) };
  },
} satisfies Handlers;
