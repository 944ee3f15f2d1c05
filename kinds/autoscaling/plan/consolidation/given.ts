/** What a decision about moves begins with: the cluster after scale-up and the removals of unneeded nodes. */
import type { Availability } from '../availability.ts';
import type { SimNode } from '../cluster.ts';
import type { PoolMachines } from '../machines.ts';
import type { Packer } from '../pack.ts';
import type { Empty } from '../reasons.ts';
import type { ScaleDown } from '../scale-down/index.ts';
import type { Simulation } from '../simulation.ts';
import type { History, Inputs, MoveHistory, Pool } from '../types.ts';

export type Given = {
  inputs: Inputs;
  history: History;
  machines: ReadonlyMap<Pool, PoolMachines>;
  availability: ReadonlyMap<Pool, Availability>;
  empties: ReadonlyMap<Pool, Empty>;
  sim: Simulation;
  packer: Packer;
  down: ScaleDown;
  /** Why no move may begin. */
  unrest: string | undefined;
  /** Why no node is removed at all. */
  sick: string | undefined;
};

const hour = 3_600_000;
export const intervalOf = ({ inputs }: Given): number => inputs.settings?.moveInterval ?? hour;
export const pastOf = ({ history }: Given): MoveHistory => history.consolidation ?? {};

/** The nodes that stay and take pods. */
export const staying = ({ sim }: Given, leaving: ReadonlySet<SimNode>): SimNode[] =>
  [...sim.simulated.values()].filter((node) => node.isTarget && node.origin === 'existing' && !leaving.has(node));
