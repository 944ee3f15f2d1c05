/** Where public addresses come from: a bring-your-own-IP pool of the account, or Amazon's pool. */
import type { Asking } from '../engine/ask.ts';

interface AddressPool {
  publicIpv4Pool?: string | undefined;
  publicIpv4PoolFallbackOrder?: 'amazon-pool' | 'none' | undefined;
}

const fallsBack = (pool: AddressPool | undefined): boolean => pool?.publicIpv4PoolFallbackOrder === 'amazon-pool';

/** Whether a pool is exhausted that Amazon's pool may replace. */
export const isUsedUp = (cloud: Asking, pool: AddressPool | undefined): boolean => {
  if (!pool?.publicIpv4Pool || !fallsBack(pool)) return false;
  const answer = cloud.ask('DescribePublicIpv4Pools', { PoolIds: [pool.publicIpv4Pool] });
  return answer?.PublicIpv4Pools.every(({ TotalAvailableAddressCount }) => TotalAvailableAddressCount === 0) ?? false;
};

/** The pool parameter of AllocateAddress. */
export const allocateFrom = (pool: AddressPool | undefined, usedUp: boolean): { PublicIpv4Pool?: string } =>
  pool?.publicIpv4Pool && !(usedUp && fallsBack(pool)) ? { PublicIpv4Pool: pool.publicIpv4Pool } : {};
