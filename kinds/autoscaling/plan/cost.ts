/** What pools cost. Pure. */
import type { Scale } from './decision.ts';
import { offeringBlockedUntil, offeringOf } from './history.ts';
import type { History, Inputs, Pool, Prices } from './types.ts';

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

const isBought = (key: string, { instanceType = '' }: Pool): boolean =>
  key === `${instanceType}/spot` || key.startsWith(`${instanceType}/spot/`);

/**
 * The prices of new nodes: those of the on-demand market for a pool that falls back to it while its
 * spot offerings fail. Other pools of these offerings do not grow meanwhile.
 */
export const pricesNow = (
  { pools, prices, now }: Pick<Inputs, 'pools' | 'prices' | 'now'>,
  { offerings = {} }: History,
): Prices | undefined => {
  const isLacking = (pool: Pool) => (zone: string) => offeringBlockedUntil(offerings, offeringOf(pool, zone)) > now;
  const lacking = pools.filter(
    (pool) => pool.fallback && (pool.zones?.length ? pool.zones : ['']).every(isLacking(pool)),
  );
  if (!prices || lacking.length === 0) return prices;
  const dearer = Object.keys(prices).flatMap((key) => {
    const pool = lacking.find((one) => isBought(key, one));
    const price = pool && priceOf(prices, { ...pool, market: 'on-demand' });
    return price === undefined ? [] : [[key, price] as const];
  });
  return { ...prices, ...Object.fromEntries(dearer) };
};

/** Replicas that a host stands for, or will. */
export const pricedReplicas = ({ cannotCreate, machines }: Pool, replicas: number): number =>
  cannotCreate === undefined ? replicas : Math.min(replicas, machines.filter(({ deleting }) => !deleting).length);

/** Dollars an hour of all pools after the decision, without those of unknown price. */
export const costAfter = ({ pools, prices }: Pick<Inputs, 'pools' | 'prices'>, scale: readonly Scale[]): number =>
  pools.reduce((sum, pool) => {
    const replicas = pricedReplicas(pool, scale.find((one) => one.pool === pool.id)?.to ?? pool.replicas);
    const price = priceOf(prices, pool) ?? 0;
    const onDemand = priceOf(prices, { ...pool, market: 'on-demand' }) ?? price;
    const dearer = pool.machines.filter(({ fallback, deleting }) => fallback && !deleting).length;
    return sum + replicas * price + Math.min(dearer, replicas) * (onDemand - price);
  }, 0);
