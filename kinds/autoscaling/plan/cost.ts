/** What pools cost. Pure. */
import type { Scale } from './decision.ts';
import type { Inputs, Pool, Prices } from './types.ts';

/** Dollars an hour of one machine; undefined if unknown. */
export const priceOf = (prices: Prices | undefined, pool: Pool, zone?: string): number | undefined => {
  const key = `${pool.instanceType ?? ''}/${pool.market ?? 'on-demand'}`;
  return prices?.[`${key}/${zone ?? pool.zones?.[0] ?? ''}`] ?? prices?.[key];
};

/** The same at most: a pool that falls back from the spot market may buy on demand. */
export const highestPriceOf = (prices: Prices | undefined, pool: Pool): number | undefined => {
  const price = priceOf(prices, pool);
  if (!pool.fallback) return price;
  const onDemand = priceOf(prices, { ...pool, market: 'on-demand' });
  return onDemand === undefined || price === undefined ? undefined : Math.max(price, onDemand);
};

/** Dollars an hour of all pools after the decision, without those of unknown price. */
export const costAfter = ({ pools, prices }: Pick<Inputs, 'pools' | 'prices'>, scale: readonly Scale[]): number =>
  pools.reduce((sum, pool) => {
    const replicas = scale.find((one) => one.pool === pool.id)?.to ?? pool.replicas;
    return sum + replicas * (priceOf(prices, pool) ?? 0);
  }, 0);
