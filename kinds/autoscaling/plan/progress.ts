/** How far a node has come towards what its pool declares, and what it counts as until then. Pure. */
import { ownValue } from '../../../machinery/api/labels.ts';
import { isDerived } from './labels.ts';
import { defaultStartupTime } from './machines.ts';
import { isStartupTaint } from './taints.ts';
import type { Node, NodeTemplate, Pool, Resources, Taint } from './types.ts';

export type Progress =
  /** The Machine has no node. */
  | 'absent'
  /** It may still get what it lacks. */
  | 'starting'
  | 'whole'
  /** It lacks something for good, or a user gave it another value: it counts as it is. */
  | 'changed';

/** Resources of device plugins, which no kubelet has by itself. */
export const isExtended = (name: string): boolean => name.includes('/') && !/^([^/]*\.)?kubernetes\.io\//.test(name);

const lacksDevice = ({ allocatable }: Node, declared: Resources): boolean =>
  Object.entries(declared).some(([name, amount]) => isExtended(name) && (allocatable[name] ?? 0) < amount);

type Lack = 'nothing' | 'something' | 'another value';

const lackOf = (node: Node, { labels, allocatable }: NodeTemplate): Lack => {
  const declared = Object.entries(labels).filter(([key]) => !isDerived(key));
  if (declared.some(([key, value]) => (ownValue(node.labels, key) ?? value) !== value)) return 'another value';
  const isLabelled = declared.every(([key]) => Object.hasOwn(node.labels, key));
  return isLabelled && !lacksDevice(node, allocatable) ? 'nothing' : 'something';
};

/** The time in which a node becomes what its pool declares. */
export const isYoung = ({ createdAt }: Pick<Node, 'createdAt'>, pool: Pool | undefined, now: number): boolean =>
  now < createdAt + (pool?.options?.startupTime ?? defaultStartupTime);

export const progressOf = (node: Node | undefined, pool: Pool | undefined, now: number): Progress => {
  if (!node) return 'absent';
  const young = isYoung(node, pool, now);
  if (!node.ready) return young ? 'starting' : 'changed';
  if (young && node.taints?.some((taint) => isStartupTaint(taint, pool))) return 'starting';
  const lack = pool?.template ? lackOf(node, pool.template) : 'nothing';
  if (lack === 'nothing') return 'whole';
  return lack === 'something' && young ? 'starting' : 'changed';
};

/** A kubelet knows its own amounts from the start; those of device plugins come later. */
const amountsOf = ({ allocatable }: Node, declared: Resources): Resources => {
  const amounts = { ...allocatable };
  for (const [name, amount] of Object.entries(declared)) {
    const own = allocatable[name] ?? 0;
    amounts[name] = isExtended(name) ? Math.max(own, amount) : own || amount;
  }
  return amounts;
};

const withTaints = (own: readonly Taint[], declared: readonly Taint[]): Taint[] => [
  ...own,
  ...declared.filter(({ key, effect }) => !own.some((one) => one.key === key && one.effect === effect)),
];

/** A starting node as its pool declares it. */
export const asDeclared = (node: Node, { labels, allocatable, taints = [] }: NodeTemplate): Node => ({
  ...node,
  labels: { ...labels, ...node.labels },
  taints: withTaints(node.taints ?? [], taints),
  allocatable: amountsOf(node, allocatable),
});
