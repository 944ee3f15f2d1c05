/** Limits beyond which no pool is scaled up: of the cluster, and shared with other clusters. Pure. */
import { highestPriceOf } from './cost.ts';
import type { LimitName, LimitReached } from './decision.ts';
import type { PoolMachines } from './machines.ts';
import type { Inputs, Pool, Prices } from './types.ts';

type Usage = Record<LimitName, number>;

const usageOf = (pool: Pool, prices: Prices | undefined): Usage => ({
  machines: 1,
  nodes: 1,
  vCPU: (pool.template?.capacity.cpu ?? 0) / 1000,
  dollarsPerHour: highestPriceOf(prices, pool) ?? 0,
});

const clusterMessages = {
  nodes: 'max total nodes in cluster reached',
  vCPU: 'max cluster cpu limit reached',
  dollarsPerHour: 'max cluster cost per hour reached',
};

/** Its nodes could cost anything. */
const unpriced = 'the price is unknown, and a limit of the cost per hour applies';

type Bound = { limit: LimitName; message: string; most: number; used: number };

/** Nodes, vCPUs and dollars of the cluster. Pools count their replicas, with or without a Machine. */
const clusterUsage = ({ prices, pools, snapshot }: Inputs): Usage => {
  const used: Usage = { machines: 0, nodes: 0, vCPU: 0, dollarsPerHour: 0 };
  for (const pool of pools) {
    const one = usageOf(pool, prices);
    const nodes = pool.replicas + pool.machines.filter(({ replaced }) => replaced).length;
    for (const name of ['nodes', 'vCPU', 'dollarsPerHour'] as const) used[name] += one[name] * nodes;
  }
  const pooled = new Set(pools.flatMap(({ machines }) => machines.map(({ node }) => node)));
  for (const { name, capacity, allocatable } of snapshot.nodes) {
    if (pooled.has(name)) continue;
    used.nodes++;
    used.vCPU += (capacity?.cpu ?? allocatable.cpu ?? 0) / 1000;
  }
  return used;
};

export class Limits {
  /** What the cluster uses, with what this decision adds. */
  readonly used: Usage;
  readonly #bounds: Bound[];
  readonly #prices: Prices | undefined;
  readonly #reached = new Set<Bound>();
  /** In place of a limit of the cost, for pools of unknown price. */
  readonly #unpriced: Bound | undefined;

  constructor(inputs: Inputs, machines: ReadonlyMap<Pool, PoolMachines>) {
    const { settings, prices, quotas = [] } = inputs;
    this.#prices = prices;
    this.used = clusterUsage(inputs);
    // The quota of Machines counts those that exist.
    for (const { uncreated } of machines.values()) this.used.machines += uncreated;
    const own = (['nodes', 'vCPU', 'dollarsPerHour'] as const).flatMap((limit): Bound[] => {
      const most = settings?.limits?.[limit];
      return most === undefined ? [] : [{ limit, message: clusterMessages[limit], most, used: 0 }];
    });
    const shared = quotas.map(({ limit, source, most, used }) => ({ limit, message: source, most, used }));
    this.#bounds = [...own, ...shared];
    const costs = this.#bounds.filter(({ limit }) => limit === 'dollarsPerHour');
    const [least] = costs.toSorted((a, b) => a.most - b.most);
    this.#unpriced = least && { ...least, message: unpriced };
  }

  /** The limit that one more node of the pool would exceed. */
  exceeded(pool: Pool): Bound | undefined {
    if (this.#bounds.length === 0) return undefined;
    const more = usageOf(pool, this.#prices);
    // Sums of prices are inexact.
    const bound = this.#bounds.find(
      ({ limit, most, used }) => used + this.used[limit] + more[limit] > most + 1e-9 && more[limit] > 0,
    );
    return bound ?? (highestPriceOf(this.#prices, pool) === undefined ? this.#unpriced : undefined);
  }
  take(pool: Pool, nodes: number): void {
    const more = usageOf(pool, this.#prices);
    for (const name of ['machines', 'nodes', 'vCPU', 'dollarsPerHour'] as const) this.used[name] += more[name] * nodes;
  }

  /** Remembers that the limit kept pods waiting, or a pool below its minimum. */
  reach(bound: Bound): void {
    this.#reached.add(bound);
  }
  reached(): LimitReached[] {
    return [...this.#reached].map(({ limit, message, most }) => ({ limit, value: most, message }));
  }
}
