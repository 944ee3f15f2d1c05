/** The cluster as a decision begins: nodes that exist and come, and the pods that run on them. */
import { mapInSteps, type Steps } from '../../../machinery/api/steps.ts';
import { type Availability, nextZone } from './availability.ts';
import { type Classes, classify, type PodClass, requestsOf } from './classes.ts';
import { Cluster, type SimNode } from './cluster.ts';
import type { Demand } from './demand.ts';
import { StaticFits } from './fit.ts';
import type { PoolMachines } from './machines.ts';
import { type NodeMaker, nodeMaker } from './nodes.ts';
import type { Wanted } from './pack.ts';
import type { Placing } from './place.ts';
import { staysBehind } from './scale-down/blockers.ts';
import { compileRules } from './topology.ts';
import type { Inputs, Pod, Pool, Resources, Snapshot } from './types.ts';
import { type Axes, axesOf } from './vector.ts';

export type Simulation = {
  axes: Axes;
  classes: Classes;
  placing: Placing;
  maker: NodeMaker;
  simulated: Map<string, SimNode>;
  /** Bound pods by node. */
  pods: Map<string, Pod[]>;
  wanted: Wanted[];
};

const poolsByNode = (pools: readonly Pool[]): Map<string, Pool> =>
  new Map(pools.flatMap((pool) => pool.machines.flatMap(({ node }) => (node ? [[node, pool] as const] : []))));

const leavingNodes = (machines: ReadonlyMap<Pool, PoolMachines>): Set<string> =>
  new Set(
    [...machines.values()].flatMap(({ states }) =>
      [...states].flatMap(([{ node }, state]) => (state === 'leaving' && node !== undefined ? [node] : [])),
    ),
  );

const allRequests = (snapshot: Snapshot, { wanted }: Demand): Set<Resources> =>
  new Set([
    ...snapshot.pods.map((pod) => requestsOf(pod, snapshot)),
    ...snapshot.daemonSets.map(({ shape }) => shape.requests),
    ...wanted.map(({ shape }) => shape.requests),
  ]);

export function* countByClass(pods: readonly Pod[], classes: Classes): Steps<Map<PodClass, number>> {
  const counts = new Map<PodClass, number>();
  for (const pod of pods) {
    const of = classes.of(pod);
    counts.set(of, (counts.get(of) ?? 0) + 1);
    yield;
  }
  return counts;
}

export function* simulate(
  inputs: Inputs,
  machines: Map<Pool, PoolMachines>,
  availability: ReadonlyMap<Pool, Availability>,
  demand: Demand,
): Steps<Simulation> {
  const { snapshot, pools, now } = inputs;
  const axes = axesOf(allRequests(snapshot, demand));
  const classes = classify(snapshot, axes);
  const running = snapshot.pods.filter(({ node, terminal }) => node !== undefined && !terminal);
  const leaving = leavingNodes(machines);
  // Pods of nodes in deletion lose their place, so that they need another.
  const evicted = running.filter((pod) => leaving.has(pod.node!) && !staysBehind(pod));
  const all = yield* countByClass([...demand.wanted, ...evicted], classes);
  const wanted: Wanted[] = [...all].map(([pod, left]) => ({ pod, left }));
  yield* mapInSteps([...running, ...demand.nominated], classes.of);
  const placing: Placing = {
    cluster: new Cluster(compileRules(classes.all, snapshot.namespaces)),
    fits: new StaticFits(),
  };
  const maker = nodeMaker(snapshot, axes, now);
  const owners = poolsByNode(pools);
  const opened = yield* mapInSteps(snapshot.nodes, (node) =>
    placing.cluster.open(maker.existing(node, owners.get(node.name), leaving.has(node.name))),
  );
  const simulated = new Map(opened.map((node) => [node.name, node]));
  for (const pool of pools) {
    const zone = nextZone(availability.get(pool)!, pool);
    for (const facts of maker.upcoming(pool, machines.get(pool)!, zone)) placing.cluster.open(facts);
  }
  const pods = Map.groupBy(running, ({ node }) => node!);
  for (const [name, bound] of pods) {
    const node = simulated.get(name);
    if (node) for (const [pod, count] of yield* countByClass(bound, classes)) placing.cluster.place(pod, node, count);
  }
  for (const pod of demand.nominated) placing.cluster.place(classes.of(pod), simulated.get(pod.nominatedNode!)!, 1);
  return { axes, classes, placing, maker, simulated, pods, wanted };
}
