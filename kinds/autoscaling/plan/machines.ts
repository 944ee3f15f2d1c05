/** What the Machines of a pool stand for. Pure. */
import type { Machine, Pool } from './types.ts';

const minute = 60_000;
export const defaultProvisionTime = 15 * minute;
export const defaultStartupTime = 15 * minute;

export type MachineState =
  /** A Machine that becomes a node. */
  | 'upcoming'
  /** No node in time. */
  | 'expired'
  /** The cloud has no capacity for it. */
  | 'refused'
  /** It lost its host, or never gets one. */
  | 'failed'
  /** In deletion, or chosen for it. */
  | 'leaving'
  | 'node';

/**
 * The marked Machines for which replicas are lowered already. A decision that ended after the mark
 * and before the scale leaves a Machine marked that stays.
 */
const leavingMarks = ({ machines, replicas }: Pool): Set<Machine> => {
  const kept = machines.filter(({ deleting }) => !deleting);
  const marked = kept.filter(({ marked: isMarked }) => isMarked).sort((a, b) => (a.name < b.name ? -1 : 1));
  return new Set(marked.slice(0, Math.max(0, kept.length - replicas)));
};

/** The calls that were refused: what one machine reports holds for all whose hosts it was to launch. */
const refusedCalls = ({ machines }: Pool): ReadonlySet<string> =>
  new Set(
    machines.flatMap(({ together, capacityError }) => (together !== undefined && capacityError ? [together] : [])),
  );

type Seen = { leaving: ReadonlySet<Machine>; refused: ReadonlySet<string> };

const stateOf = (machine: Machine, pool: Pool, { leaving, refused }: Seen, now: number): MachineState => {
  if (machine.deleting || leaving.has(machine)) return 'leaving';
  if (machine.failedAt !== undefined) return 'failed';
  if (machine.node !== undefined) return 'node';
  const { capacityError, launchedAt, together = '' } = machine;
  if (capacityError || (launchedAt === undefined && refused.has(together))) return 'refused';
  const { provisionTime = defaultProvisionTime } = pool.options ?? {};
  return now < machine.createdAt + provisionTime ? 'upcoming' : 'expired';
};

export type PoolMachines = {
  states: Map<Machine, MachineState>;
  /** Replicas for which no Machine exists yet. */
  uncreated: number;
};

/** Replicas that become no node, and cost nothing, until a user acts. */
export const withoutMachine = ({ cannotCreate }: Pool, { uncreated }: PoolMachines): number =>
  cannotCreate === undefined ? 0 : uncreated;

export const machinesOf = (pool: Pool, now: number): PoolMachines => {
  const seen = { leaving: leavingMarks(pool), refused: refusedCalls(pool) };
  const states = new Map(pool.machines.map((machine) => [machine, stateOf(machine, pool, seen, now)]));
  const kept = [...states.values()].filter((state) => state !== 'leaving').length;
  return { states, uncreated: Math.max(0, pool.replicas - kept) };
};

/** Creation times are whole seconds, and fast controllers create Machines in the second of the decision. */
export const isCreatedSince = ({ createdAt }: Machine, at: number): boolean => createdAt > at - 1000;

export const inState = ({ states }: PoolMachines, state: MachineState): Machine[] =>
  [...states].flatMap(([machine, of]) => (of === state ? [machine] : []));
