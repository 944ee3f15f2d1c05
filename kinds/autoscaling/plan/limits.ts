/** Limits of the whole cluster: nodes, vCPUs and dollars an hour. Pure. */
import type { LimitReached } from './decision.ts';
import type { Inputs, Pool, Prices } from './types.ts';

type Name = LimitReached['limit'];
type Usage = Record<Name, number>;

/** Dollars an hour; undefined if unknown. */
export const priceOf = (prices: Prices | undefined, pool: Pool, zone?: string): number | undefined => {
  const key = `${pool.instanceType ?? ''}/${pool.market ?? 'on-demand'}`;
  return prices?.[`${key}/${zone ?? pool.zones?.[0] ?? ''}`] ?? prices?.[key];
};

const usageOf = (pool: Pool, prices: Prices | undefined): Usage => ({
  nodes: 1,
  vCPU: (pool.template?.capacity.cpu ?? 0) / 1000,
  dollarsPerHour: priceOf(prices, pool) ?? 0,
});

export class Limits {
  readonly #limits: Partial<Usage>;
  readonly #prices: Prices | undefined;
  readonly #used: Usage = { nodes: 0, vCPU: 0, dollarsPerHour: 0 };
  readonly #reached = new Set<Name>();

  constructor({ settings, prices, pools, snapshot }: Inputs) {
    this.#limits = settings?.limits ?? {};
    this.#prices = prices;
    const pooled = new Map(
      pools.flatMap((pool) => pool.machines.flatMap(({ node }) => (node ? [[node, pool] as const] : []))),
    );
    // Pools count their replicas, so that Machines without a node count as well.
    for (const pool of pools) this.take(pool, pool.replicas);
    for (const { name, capacity, allocatable } of snapshot.nodes) {
      if (pooled.has(name)) continue;
      this.#used.nodes++;
      this.#used.vCPU += (capacity?.cpu ?? allocatable.cpu ?? 0) / 1000;
    }
  }

  /** The limit that one more node of the pool would exceed. */
  exceeded(pool: Pool): Name | undefined {
    const more = usageOf(pool, this.#prices);
    for (const name of ['nodes', 'vCPU', 'dollarsPerHour'] as const) {
      const limit = this.#limits[name];
      // Sums of prices are inexact.
      if (limit !== undefined && this.#used[name] + more[name] > limit + 1e-9) return name;
    }
    return undefined;
  }
  take(pool: Pool, nodes: number): void {
    const more = usageOf(pool, this.#prices);
    for (const name of ['nodes', 'vCPU', 'dollarsPerHour'] as const) this.#used[name] += more[name] * nodes;
  }

  /** Remembers that the limit kept pods waiting. */
  reach(name: Name): void {
    this.#reached.add(name);
  }
  reached(): LimitReached[] {
    return [...this.#reached].map((limit) => ({ limit, value: this.#limits[limit]! }));
  }
}

export const limitMessages: Record<Name, string> = {
  nodes: 'max total nodes in cluster reached',
  vCPU: 'max cluster cpu limit reached',
  dollarsPerHour: 'max cluster cost per hour reached',
};
