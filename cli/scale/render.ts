/** Decisions as text. Pure. */
import { costAfter, pricedReplicas, priceOf } from '../../kinds/autoscaling/plan/cost.ts';
import type {
  Decision,
  Inputs,
  NodeState,
  PodGroup,
  Pool,
  Purchase,
  Removal,
} from '../../kinds/autoscaling/plan/index.ts';
import { dollarText } from '../../kinds/common/dollars.ts';
import { renderTable } from '../table.ts';

const shortName = (pool: string): string => pool.slice(pool.lastIndexOf('/') + 1);

const reasonLines = (reasons: Record<string, string>): string[] =>
  Object.entries(reasons).map(([pool, reason]) => `  ${pool === '' ? 'all pools' : shortName(pool)}: ${reason}`);

export const groupLines = ({
  namespace,
  owner,
  count,
  onExisting,
  onUpcoming,
  onNew,
  left,
  reasons,
}: PodGroup): string =>
  [
    `${namespace}/${owner}: ${count} pending`,
    ...(onExisting > 0 ? [`  ${onExisting} fit on nodes that exist`] : []),
    ...(onUpcoming > 0 ? [`  ${onUpcoming} fit on nodes that are coming`] : []),
    ...Object.entries(onNew).map(([pool, pods]) => `  ${pods} on new nodes of ${shortName(pool)}`),
    ...(left > 0 ? [`  ${left} get no node:`, ...reasonLines(reasons).map((line) => `  ${line}`)] : []),
  ].join('\n');

const timeOf = (time: number): string => new Date(time).toISOString().replace(/\.\d+/, '');

/** What a decision says of the cost needs the prices. */
export type Priced = Pick<Inputs, 'prices'>;
const hasPrices = ({ prices = {} }: Priced): boolean => Object.keys(prices).length > 0;

const costOf = (pool: Pool, replicas: number, { prices }: Priced): string => {
  const price = priceOf(prices, pool);
  return price === undefined ? 'unknown' : dollarText(price * pricedReplicas(pool, replicas));
};

const poolRow = (pool: Pool, { pools, scale }: Decision, priced: Priced): string[] => {
  const { id, min, max, replicas } = pool;
  const { blocked, until } = pools.find(({ pool }) => pool === id) ?? {};
  const time = until === undefined ? '' : ` until ${timeOf(until)}`;
  const decided = scale.find(({ pool }) => pool === id)?.to ?? replicas;
  return [
    shortName(id),
    `${min}-${max}`,
    String(replicas),
    String(decided),
    ...(hasPrices(priced) ? [costOf(pool, decided, priced)] : []),
    blocked === undefined ? '' : `${blocked}${time}`,
  ];
};

const poolTable = (decision: Decision, pools: readonly Pool[], priced: Priced): string =>
  renderTable([
    ['POOL', 'SIZES', 'REPLICAS', 'DECIDED', ...(hasPrices(priced) ? ['$/H'] : []), 'NOT SCALED UP BECAUSE'],
    ...pools.map((pool) => poolRow(pool, decision, priced)),
  ]);

const priceLines = (pool: Pool, { prices }: Priced): string[] => {
  const { priceSource } = pool;
  const price = priceOf(prices, pool);
  if (price === undefined) return priceSource === undefined ? [] : [`Price unknown: ${priceSource}.`];
  return [`Price: $${dollarText(price)} an hour each${priceSource === undefined ? '' : ` (${priceSource})`}.`];
};

/** What the decision costs; pools of unknown price are not counted. */
const costLine = (decision: Decision, { pools, prices }: Pick<Inputs, 'pools' | 'prices'>): string => {
  const [now, after] = [[], decision.scale].map((scale) => costAfter({ pools, prices }, scale)) as [number, number];
  const change = after - now;
  const than = `${dollarText(Math.abs(change))} ${change > 0 ? 'more' : 'less'} than now`;
  return `The pools cost $${dollarText(after)} an hour${Math.abs(change) < 1e-6 ? '' : `, $${than}`}.`;
};

const scheduleLines = ({ schedule }: Pool): string[] => {
  if (!schedule) return [];
  const { entries, changesAt } = schedule;
  return [
    entries.length > 0 ? `Sizes by schedule: ${entries.join(' and ')}` : 'No entry of its schedule is active.',
    ...(changesAt === undefined ? [] : [`Its schedule changes next at ${timeOf(changesAt)}.`]),
  ];
};

const headroomLines = ({ headroom }: Decision, { id }: Pool): string[] =>
  headroom
    .filter(({ pool }) => pool === id)
    .map(({ pods, left, reason }) =>
      left === 0 ? `Headroom: room for ${pods} pods.` : `Headroom: room for ${pods - left} of ${pods} pods: ${reason}`,
    );

const moveLines = ({ move }: Decision, { id }: Pool): string[] => {
  if (!move || (move.pool !== undefined && move.pool !== id)) return [];
  const { state, nodes, saving, message } = move;
  const what = `${nodes.join(', ')} for $${dollarText(saving)} less an hour`;
  return [`Consolidation: ${state}: replaces ${what}${message && `: ${message}`}`];
};

const purchaseLine = ({ namespace, owner, at, nodes, outcome, message, failures }: Purchase): string => {
  const many = nodes === 1 ? '1 node' : `${nodes} nodes`;
  const vain = failures > 0 ? ` (in vain ${failures === 1 ? 'once' : `${failures} times`}: ${message})` : '';
  return `  ${timeOf(at)}: ${many} for ${namespace}/${owner}: ${outcome ?? 'Open'}${vain}`;
};

const purchaseLines = ({ history }: Decision, { id }: Pool): string[] => {
  const purchases = Object.values(history.pools?.[id]?.purchases ?? {}).sort((a, b) => a.at - b.at);
  return purchases.length > 0 ? ['Bought:', ...purchases.map(purchaseLine)] : [];
};

const nodeLine = ({ node, reason, message, note }: NodeState): string =>
  `  ${node}: ${reason}: ${message}${note === undefined ? '' : `; not consolidated: ${note}`}`;

/** Why each node of the pool stays or leaves. */
export const poolText = (decision: Decision, pool: Pool, priced: Priced): string => {
  const own = (removals: readonly Removal[]) =>
    removals
      .filter((one) => one.pool === pool.id)
      .map(({ node, machine, reason }) => `  ${node ?? machine}: ${reason}`);
  const [removed, replaced] = [own(decision.remove), own(decision.replace)];
  const nodes = decision.nodes.filter((one) => one.pool === pool.id);
  return [
    poolTable(decision, [pool], priced),
    ...priceLines(pool, priced),
    ...scheduleLines(pool),
    ...headroomLines(decision, pool),
    ...moveLines(decision, pool),
    ...purchaseLines(decision, pool),
    ...(removed.length > 0 ? ['Removed:', ...removed] : []),
    ...(replaced.length > 0 ? ['Replaced:', ...replaced] : []),
    ...(nodes.length > 0 ? ['Nodes that stay:', ...nodes.map(nodeLine)] : []),
  ].join('\n');
};

const displacedLines = ({ displaced = {} }: Decision): string[] =>
  Object.entries(displaced).map(
    ([pool, count]) => `${shortName(pool)}: new nodes for ${count} pods of nodes in deletion`,
  );

export const decisionText = (decision: Decision, inputs: Pick<Inputs, 'pools' | 'prices'>): string =>
  [
    ...(decision.pods.length > 0 ? [decision.pods.map(groupLines).join('\n')] : []),
    ...displacedLines(decision),
    ...(decision.pods.length + displacedLines(decision).length === 0 ? ['No pod needs a node.'] : []),
    poolTable(decision, inputs.pools, inputs),
    ...(hasPrices(inputs) ? [costLine(decision, inputs)] : []),
    ...decision.limits.map(({ message, value }) => `Limit reached: ${message} (${value})`),
  ].join('\n\n');
