/** What pools cost. Pure. */
import type { Scale } from './decision.ts';
import type { Inputs, Pool, Prices } from './types.ts';

/** Dollars an hour of one machine; undefined if unknown. */
export const priceOf = (prices: Prices | undefined, pool: Pool, zone?: string): number | undefined => {
  const key = `${pool.instanceType ?? ''}/${pool.market ?? 'on-demand'}`;
  return prices?.[`${key}/${zone ?? pool.zones?.[0] ?? ''}`] ?? prices?.[key];
};

/** Dollars an hour of all pools after the decision, without those of unknown price. */
export const costAfter = ({ pools, prices }: Pick<Inputs, 'pools' | 'prices'>, scale: readonly Scale[]): number =>
  pools.reduce((sum, pool) => {
    const replicas = scale.find((one) => one.pool === pool.id)?.to ?? pool.replicas;
    return sum + replicas * (priceOf(prices, pool) ?? 0);
  }, 0);
