/** Which of the possible scale-ups is chosen. Pure. */
import { priceOf } from './cost.ts';
import type { Group } from './groups.ts';
import type { Expander, Pool, Prices, Resources, Settings } from './types.ts';

export type Option = {
  group: Group;
  /** New nodes by pool. */
  nodes: Map<Pool, number>;
  pods: number;
  /** Sums over the placed pods. */
  requests: { cpu: number; memory: number };
};

const nodeCount = ({ nodes }: Option): number => nodes.values().reduce((sum, count) => sum + count, 0);
const capacityOf = ({ nodes }: Option, name: keyof Resources): number =>
  nodes.entries().reduce((sum, [{ template }, count]) => sum + (template?.capacity[name] ?? 0) * count, 0);
const share = (part: number, whole: number): number => (whole > 0 ? part / whole : 0);

/** The unused shares of cpu and memory, added. */
const waste = (option: Option): number =>
  2 -
  share(option.requests.cpu, capacityOf(option, 'cpu')) -
  share(option.requests.memory, capacityOf(option, 'memory'));

const costOf = ({ nodes }: Option, prices: Prices | undefined): number =>
  nodes.entries().reduce((sum, [pool, count]) => sum + count * (priceOf(prices, pool) ?? Number.POSITIVE_INFINITY), 0);

/** Memory of which an hour costs about as much as an hour of one core. */
const bytesPerCore = 8 * 2 ** 30;

/** Dollars an hour for each requested core, memory included. */
const pricePerCore = (option: Option, prices: Prices | undefined): number => {
  const cores = option.requests.cpu / 1000 + option.requests.memory / bytesPerCore;
  return costOf(option, prices) / Math.max(cores, 1e-3);
};

/** The highest priority with a pattern that the id of a pool matches. */
export const priorityOf = (id: string, priorities: Record<string, string[]>): number | undefined => {
  const matching = Object.entries(priorities)
    .filter(([, patterns]) => patterns.some((pattern) => new RegExp(pattern).test(id)))
    .map(([priority]) => Number(priority));
  return matching.length > 0 ? Math.max(...matching) : undefined;
};

/** The smaller, the better; undefined for an option that must not be chosen. */
type Score = (option: Option) => number | undefined;

const scores = (settings: Settings, prices: Prices | undefined): Record<Expander, Score> => ({
  'least-waste': waste,
  price: (option) => pricePerCore(option, prices),
  'most-pods': ({ pods }) => -pods,
  'least-nodes': nodeCount,
  priority: ({ group }) => {
    const { priorities } = settings;
    // Without a list the expander filters nothing.
    if (!priorities) return 0;
    const priority = priorityOf(group.id, priorities);
    return priority === undefined ? undefined : -priority;
  },
});

const isNear = (a: number, b: number): boolean => a === b || Math.abs(a - b) < 1e-9;

/** As cluster-autoscaler does it, an expander that would leave nothing leaves all. */
const narrow = (options: readonly Option[], score: Score): readonly Option[] => {
  const scored = options.flatMap((option) => {
    const value = score(option);
    return value === undefined ? [] : [{ option, value }];
  });
  if (scored.length === 0) return options;
  const best = Math.min(...scored.map(({ value }) => value));
  return scored.filter(({ value }) => isNear(value, best)).map(({ option }) => option);
};

/** The best option; what the expanders leave equal goes by price, then nodes, then id. */
export const choose = (
  options: readonly Option[],
  settings: Settings,
  prices: Prices | undefined,
): Option | undefined => {
  const known = scores(settings, prices);
  const chain = [...(settings.expanders ?? ['least-waste']), 'price', 'least-nodes'] as Expander[];
  const left = chain.reduce<readonly Option[]>((rest, name) => narrow(rest, known[name]), options);
  return left.toSorted((a, b) => (a.group.id < b.group.id ? -1 : 1))[0];
};
