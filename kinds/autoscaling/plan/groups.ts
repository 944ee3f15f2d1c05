/** Pools that differ in their zone only, which grow as one. Pure. */
import { digestOf } from '../../common/digest.ts';
import type { Availability } from './availability.ts';
import { priorityOf } from './expander.ts';
import { placeLabels } from './labels.ts';
import type { NodeTemplate, Pool } from './types.ts';

export type Member = { pool: Pool; availability: Availability };
export type Group = {
  /** The smallest id of its pools. */
  id: string;
  members: Member[];
  /** Its nodes have accelerators, such as GPUs. */
  accelerated: boolean;
};

/** Resources of accelerators: nvidia.com/gpu, amd.com/gpu, aws.amazon.com/neuron and the like. */
export const isAccelerator = (name: string): boolean => /\/(gpu|neuron|neuroncore|neurondevice)$/.test(name);
export const hasAccelerator = (resources: Record<string, number>): boolean =>
  Object.entries(resources).some(([name, amount]) => amount > 0 && isAccelerator(name));

/** Equal for pools whose nodes are alike. Memory of one instance type varies a little by host. */
const kindOf = ({ instanceType, market = 'on-demand' }: Pool, { capacity, labels, taints = [] }: NodeTemplate) => {
  const own = Object.fromEntries(Object.entries(labels).filter(([key]) => !placeLabels.has(key)));
  const sorted = taints.map(({ key, value = '', effect }) => `${key}=${value}:${effect}`).sort();
  return digestOf([instanceType ?? capacity, market, own, sorted]);
};

const byId = (a: Member, b: Member) => (a.pool.id < b.pool.id ? -1 : 1);

/** Groups of the pools that have a template. Pools of different priorities never grow as one. */
export const groupsOf = (
  members: readonly Member[],
  balance: boolean,
  priorities: Record<string, string[]> = {},
): Group[] => {
  const known = members.filter(({ pool }) => pool.template);
  const keyOf = (pool: Pool) => `${kindOf(pool, pool.template!)} ${priorityOf(pool.id, priorities)}`;
  const groups = Map.groupBy(known, ({ pool }) => (balance ? keyOf(pool) : pool.id));
  return [...groups.values()]
    .map((group) => group.toSorted(byId))
    .map((sorted) => ({
      id: sorted[0]!.pool.id,
      members: sorted,
      accelerated: hasAccelerator(sorted[0]!.pool.template!.capacity),
    }))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
};
