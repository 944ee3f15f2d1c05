/** Whether nodes that a pool has take the pods for which it buys. Pure. */
import { ownValue } from '../../../../machinery/api/labels.ts';
import type { PodClass } from '../classes.ts';
import type { SimNode } from '../cluster.ts';
import { fault } from '../fit.ts';
import { isDerived } from '../labels.ts';
import { progressOf } from '../progress.ts';
import type { Simulation } from '../simulation.ts';
import type { Inputs, Machine, Node, NodeTemplate, Pod, Pool } from '../types.ts';
import { lacking, subtract } from '../vector.ts';

/** `used`: it would take the pod if others had not taken its room. */
export type Standing = 'takes' | 'used' | { refuses: string };

export type OwnNode = { machine: Machine; node: Node; simulated: SimNode };

/** Nodes of the pool that have become what they will be. */
export const startedNodes = (
  { snapshot, now }: Pick<Inputs, 'snapshot' | 'now'>,
  { simulated }: Simulation,
  pool: Pool,
): OwnNode[] => {
  const nodes = new Map(snapshot.nodes.map((node) => [node.name, node]));
  return pool.machines.flatMap((machine) => {
    const node = nodes.get(machine.node ?? '');
    if (!node || progressOf(node, pool, now) === 'starting') return [];
    return [{ machine, node, simulated: simulated.get(node.name)! }];
  });
};

const isFixed = ({ mirror, owner }: Pod): boolean => mirror === true || owner?.kind === 'DaemonSet';

/** What the node lacks when no pod but those of the node itself run there. */
const shortWhenEmpty = ({ axes, classes, pods }: Simulation, pod: PodClass, node: SimNode): string[] => {
  const free = node.allocatable.slice();
  for (const one of pods.get(node.name) ?? []) if (isFixed(one)) subtract(free, classes.of(one).request, 1);
  return lacking(axes, free, pod.request);
};

/** Amounts of nodes of one type vary a little. */
const similar = 0.9;

/** `name`: of the label, taint or resource. */
type Difference = { name: string; says: string };
type Differences = { labels: Difference[]; taints: Difference[]; amounts: Difference[] };

const differencesOf = (node: Node, template: NodeTemplate | undefined): Differences => {
  const { labels = {}, taints = [], allocatable = {} } = template ?? {};
  const own = template ? (node.taints ?? []) : [];
  return {
    labels: Object.entries(labels)
      .filter(([key, value]) => !isDerived(key) && ownValue(node.labels, key) !== value)
      .map(([key, value]) => ({ name: key, says: `it lacks the declared label ${key}=${value}` })),
    taints: own
      .filter(({ key, effect }) => !taints.some((one) => one.key === key && one.effect === effect))
      .map(({ key }) => ({ name: key, says: `nothing declares its taint ${key}` })),
    amounts: Object.entries(allocatable)
      .filter(([name, amount]) => (node.allocatable[name] ?? 0) < amount * similar)
      .map(([name]) => ({ name, says: `it has less ${name} than is declared` })),
  };
};

/** What a node has not that its pool declares, or has besides. */
export const differenceOf = ({ node }: OwnNode, { template }: Pool): string | undefined => {
  const { labels, taints, amounts } = differencesOf(node, template);
  return node.ready ? [...labels, ...taints, ...amounts][0]?.says : 'it is not ready';
};

const causeOf = (found: string, node: Node, { template }: Pool): string | undefined => {
  const { labels, taints, amounts } = differencesOf(node, template);
  const named = (differences: Difference[]) => differences.find(({ name }) => found.includes(name));
  if (found.includes('taint')) return named(taints)?.says;
  if (found.includes('Insufficient')) return named(amounts)?.says;
  return labels[0]?.says;
};

export const standingOf = (sim: Simulation, pod: PodClass, { node, simulated }: OwnNode, pool: Pool): Standing => {
  const explained = (found: string): Standing => {
    const cause = causeOf(found, node, pool);
    return { refuses: cause ? `${found}: ${cause}` : found };
  };
  if (!node.ready) return { refuses: 'node(s) were not ready' };
  const found = fault(sim.placing.cluster, sim.axes, pod, simulated);
  if (found === undefined) return 'takes';
  const short = shortWhenEmpty(sim, pod, simulated);
  if (short.length > 0) return explained(short.map((name) => `Insufficient ${name}`).join(', '));
  const isShared = /^(Insufficient|Too many pods|node\(s\) didn't (have free ports|match pod anti-affinity))/.test(
    found,
  );
  return isShared ? 'used' : explained(found);
};

/** Whether a node of the pool would take such a pod. */
export const isTakenNow = (inputs: Inputs, sim: Simulation, pod: PodClass, pool: Pool): boolean =>
  startedNodes(inputs, sim, pool).some((node) => typeof standingOf(sim, pod, node, pool) === 'string');
