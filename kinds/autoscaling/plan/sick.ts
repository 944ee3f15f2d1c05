/** Whether so many nodes are not ready that the fault is more likely the cluster's than theirs. Pure. */
import { progressOf } from './progress.ts';
import type { Inputs, Pool } from './types.ts';

export type Sick = { unready: string[]; nodes: number };

/** Fewer nodes say nothing about the cluster. */
const least = 3;
const share = 0.2;

/** Nodes that start are not ready, either. */
export const sickOf = ({ snapshot: { nodes }, pools, now }: Inputs): Sick | undefined => {
  const owners = new Map(
    pools.flatMap((pool: Pool) => pool.machines.flatMap(({ node }) => (node ? [[node, pool] as const] : []))),
  );
  const unready = nodes.filter((node) => !node.ready && progressOf(node, owners.get(node.name), now) !== 'starting');
  if (unready.length < least || unready.length <= nodes.length * share) return undefined;
  return { unready: unready.map(({ name }) => name).sort(), nodes: nodes.length };
};

export const sickMessage = ({ unready, nodes }: Sick): string => `${unready.length} of ${nodes} nodes are not ready`;
