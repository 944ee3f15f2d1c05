/** The nodes of a move that waits, which no other step of the decision may use or remove. Pure. */
import { inState, isCreatedSince, type PoolMachines } from '../machines.ts';
import type { Simulation } from '../simulation.ts';
import type { Machine, Move, Pool } from '../types.ts';

const nameOf = (pool: string): string => pool.slice(pool.lastIndexOf('/') + 1);

/** The machines of its pool that are nodes since the move began. */
export const arrived = (move: Move, machines: PoolMachines): Machine[] =>
  inState(machines, 'node').filter((machine) => isCreatedSince(machine, move.at));

/** Nodes with the reason why they stay. */
export const reservedBy = (
  move: Move | undefined,
  machines: ReadonlyMap<Pool, PoolMachines>,
): ReadonlyMap<string, string> => {
  if (!move) return new Map();
  const [, of] = [...machines].find(([{ id }]) => id === move.pool) ?? [];
  const added = of ? arrived(move, of) : [];
  return new Map([
    ...move.nodes.map(
      (node) => [node, `its pods move to a new node of ${nameOf(move.pool)} when that is ready`] as const,
    ),
    ...added.flatMap(({ node }) => (node ? [[node, `it replaces ${move.nodes.join(', ')}`] as const] : [])),
  ]);
};

/** Pods that other steps place must not count on nodes that leave. */
export const closeNodes = (move: Move | undefined, { simulated }: Simulation): void => {
  for (const name of move?.nodes ?? []) {
    const node = simulated.get(name);
    if (node) node.isTarget = false;
  }
};
