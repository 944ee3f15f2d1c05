/** The prices of a decision, as the providers report them on the pools' templates. Pure. */
import { parseDollars } from '../../common/dollars.ts';
import type { Pool, Prices } from '../plan/types.ts';
import { type PoolObjects, poolId } from './pools.ts';

const zonesUnder = (key: string, zones: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(zones).map(([zone, price]) => [`${key}/${zone}`, price]));

export const pricesOf = (objects: readonly PoolObjects[], pools: readonly Pool[]): Prices =>
  Object.fromEntries(
    pools.flatMap(({ id, instanceType, market = 'on-demand' }) => {
      const { view } = objects.find(({ deployment }) => poolId(deployment) === id)!;
      const { dollarsPerHour = '', zones = {}, onDemand = '' } = view?.price ?? {};
      const key = `${instanceType}/${market}`;
      const all = { [`${instanceType}/on-demand`]: onDemand, [key]: dollarsPerHour, ...zonesUnder(key, zones) };
      return Object.entries(all).flatMap(([name, text]) => {
        const price = parseDollars(text);
        return price === undefined ? [] : [[name, price] as const];
      });
    }),
  );
