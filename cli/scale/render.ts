/** Decisions as text. Pure. */
import type { Decision, NodeState, PodGroup } from '../../kinds/autoscaling/plan/index.ts';
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

const poolRows = ({ pools, scale }: Decision, replicas: ReadonlyMap<string, number>): string[][] =>
  pools.map(({ pool, blocked, until }) => {
    const change = scale.find((one) => one.pool === pool);
    const time = until === undefined ? '' : ` until ${new Date(until).toISOString().replace(/\.\d+/, '')}`;
    return [
      shortName(pool),
      String(replicas.get(pool) ?? 0),
      String(change?.to ?? replicas.get(pool) ?? 0),
      blocked === undefined ? '' : `${blocked}${time}`,
    ];
  });

export const poolTable = (decision: Decision, replicas: ReadonlyMap<string, number>): string =>
  renderTable([['POOL', 'REPLICAS', 'DECIDED', 'NOT SCALED UP BECAUSE'], ...poolRows(decision, replicas)]);

const nodeLine = ({ node, reason, message }: NodeState): string => `  ${node}: ${reason}: ${message}`;

/** Why each node of the pool stays or leaves. */
export const poolText = (decision: Decision, pool: string, replicas: ReadonlyMap<string, number>): string => {
  const only = { ...decision, pools: decision.pools.filter((one) => one.pool === pool) };
  const removed = decision.remove.filter((one) => one.pool === pool);
  const nodes = decision.nodes.filter((one) => one.pool === pool);
  return [
    poolTable(only, replicas),
    ...(removed.length > 0
      ? ['Removed:', ...removed.map(({ node, machine, reason }) => `  ${node ?? machine}: ${reason}`)]
      : []),
    ...(nodes.length > 0 ? ['Nodes that stay:', ...nodes.map(nodeLine)] : []),
  ].join('\n');
};

export const decisionText = (decision: Decision, replicas: ReadonlyMap<string, number>): string =>
  [
    ...(decision.pods.length > 0 ? [decision.pods.map(groupLines).join('\n')] : ['No pod needs a node.']),
    poolTable(decision, replicas),
    ...decision.limits.map(({ limit, value }) => `Limit reached: ${limit} ${value}`),
  ].join('\n\n');
