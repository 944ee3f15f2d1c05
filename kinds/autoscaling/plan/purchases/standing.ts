/** Whether nodes that a pool has take the pods for which it buys. Pure. */
import { ownValue } from '../../../../machinery/api/labels.ts';
import type { PodClass } from '../classes.ts';
import type { SimNode } from '../cluster.ts';
import { fault, staticFault } from '../fit.ts';
import { isDerived, zoneLabel } from '../labels.ts';
import { progressOf } from '../progress.ts';
import type { Simulation } from '../simulation.ts';
import type { Inputs, Machine, Node, NodeTemplate, Pod, Pool } from '../types.ts';
import { lacking, subtract } from '../vector.ts';

/** `used`: it would take the pod if others had not taken its room. */
export type Standing = 'takes' | 'used' | { refuses: string };

export type StartedNode = { machine: Machine; node: Node; simulated: SimNode };
/** It counts as declared, and has no node at first. */
export type StartingNode = { machine: Machine; node?: Node; simulated: SimNode; isStarting: true };
export type OwnNodes = { started: StartedNode[]; starting: StartingNode[] };

/** Machines without a node whose zone is known. */
const launched = ({ placing }: Simulation, { id, machines }: Pool): StartingNode[] => {
  const known = new Map(machines.filter(({ node, zone }) => !node && zone).map((one) => [one.name, one]));
  return placing.cluster.nodes.flatMap((simulated) => {
    const machine = simulated.origin === 'upcoming' && simulated.pool === id ? known.get(simulated.name) : undefined;
    return machine ? [{ machine, simulated, isStarting: true }] : [];
  });
};

/** The nodes of the pool, by whether they have become what they will be. */
export const nodesOf = ({ snapshot, now }: Pick<Inputs, 'snapshot' | 'now'>, sim: Simulation, pool: Pool): OwnNodes => {
  const nodes = new Map(snapshot.nodes.map((node) => [node.name, node]));
  const own: OwnNodes = { started: [], starting: launched(sim, pool) };
  for (const machine of pool.machines) {
    const node = nodes.get(machine.node ?? '');
    if (!node) continue;
    const one = { machine, node, simulated: sim.simulated.get(node.name)! };
    if (progressOf(node, pool, now) === 'starting') own.starting.push({ ...one, isStarting: true });
    else own.started.push(one);
  }
  return own;
};

const isFixed = ({ mirror, owner }: Pod): boolean => mirror === true || owner?.kind === 'DaemonSet';

/** What the node lacks when no pod but those of the node itself run there. */
const shortWhenEmpty = ({ axes, classes, pods }: Simulation, pod: PodClass, node: SimNode): string | undefined => {
  const free = node.allocatable.slice();
  for (const one of pods.get(node.name) ?? []) if (isFixed(one)) subtract(free, classes.of(one).request, 1);
  const short = lacking(axes, free, pod.request);
  return short.length > 0 ? short.map((name) => `Insufficient ${name}`).join(', ') : undefined;
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
export const differenceOf = ({ node }: StartedNode, { template }: Pool): string | undefined => {
  const { labels, taints, amounts } = differencesOf(node, template);
  return node.ready ? [...labels, ...taints, ...amounts][0]?.says : 'it is not ready';
};

/** Launches go to another zone when the first has no capacity. */
const otherZoneOf = ({ labels }: SimNode, { zones = [] }: Pool): string | undefined => {
  const zone = labels[zoneLabel];
  return zone === undefined || zone === zones[0] ? undefined : `it stands in zone ${zone}`;
};

const isStarting = (own: StartedNode | StartingNode): boolean => 'isStarting' in own;

const causeOf = (found: string, own: StartedNode | StartingNode, pool: Pool): string | undefined => {
  const otherZone = otherZoneOf(own.simulated, pool);
  if (!own.node) return otherZone;
  const { labels, taints, amounts } = differencesOf(own.node, pool.template);
  const named = (differences: Difference[]) => differences.find(({ name }) => found.includes(name))?.says;
  if (found.includes('taint')) return named(taints);
  if (found.includes('Insufficient')) return named(amounts);
  // A label may still come.
  return isStarting(own) ? otherZone : (labels[0]?.says ?? otherZone);
};

const explained = (found: string, own: StartedNode | StartingNode, pool: Pool): string => {
  const cause = causeOf(found, own, pool);
  return cause ? `${found}: ${cause}` : found;
};

export const standingOf = (sim: Simulation, pod: PodClass, own: StartedNode, pool: Pool): Standing => {
  const { node, simulated } = own;
  if (!node.ready) return { refuses: 'node(s) were not ready' };
  const found = fault(sim.placing.cluster, sim.axes, pod, simulated);
  if (found === undefined) return 'takes';
  const short = shortWhenEmpty(sim, pod, simulated);
  if (short !== undefined) return { refuses: explained(short, own, pool) };
  const isShared = /^(Insufficient|Too many pods|node\(s\) didn't (have free ports|match pod anti-affinity))/.test(
    found,
  );
  return isShared ? 'used' : { refuses: explained(found, own, pool) };
};

/** Why a node that starts will never take the pod. Rules between pods may admit it later. */
export const refusalOf = (sim: Simulation, pod: PodClass, own: StartingNode, pool: Pool): string | undefined => {
  const found = staticFault(pod, own.simulated) ?? shortWhenEmpty(sim, pod, own.simulated);
  return found === undefined ? undefined : explained(found, own, pool);
};

/** Whether a node of the pool would take such a pod. */
export const isTakenNow = (inputs: Inputs, sim: Simulation, pod: PodClass, pool: Pool): boolean =>
  nodesOf(inputs, sim, pool).started.some((node) => typeof standingOf(sim, pod, node, pool) === 'string');
