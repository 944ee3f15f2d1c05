/**
 * What became of the nodes that pools bought: whether pods of the shape for which they were bought ran
 * there. What was bought in vain is bought again after a growing pause only, one node at a time, or
 * once a node of the pool takes such pods. Pure.
 */
import type { PodClass } from '../classes.ts';
import { isHeadroom } from '../headroom.ts';
import { isCreatedSince, type PoolMachines } from '../machines.ts';
import { isYoung } from '../progress.ts';
import type { Simulation } from '../simulation.ts';
import type { History, Inputs, Machine, Pool, Purchase } from '../types.ts';
import { shapeKey } from './shape.ts';
import {
  differenceOf,
  nodesOf,
  type OwnNodes,
  refusalOf,
  type Standing,
  type StartedNode,
  type StartingNode,
  standingOf,
} from './standing.ts';

const minute = 60_000;

/** A quarter of an hour, doubling to a day. */
export const pauseAfter = (failures: number): number =>
  Math.min(24 * 60 * minute, 15 * minute * 2 ** Math.min(30, failures - 1));

export type Purchases = Record<string, Purchase>;

/** When more is bought of what is withheld. */
export const pausesOf = (purchases: Readonly<Record<string, Purchases>>): (number | undefined)[] =>
  Object.values(purchases).flatMap((of) => Object.values(of).map(({ until }) => until));

type Judged = {
  pool: Pool;
  machines: PoolMachines;
  nodes: OwnNodes;
  isKnown(node: string): boolean;
  /** The shapes of the pods on a node. */
  hosted(node: string): ReadonlySet<string>;
  standing(pod: PodClass, node: StartedNode): Standing;
  refusal(pod: PodClass, node: StartingNode): string | undefined;
  /** Pods that wait for a node, by shape. */
  wanted: ReadonlyMap<string, PodClass>;
  now: number;
};

const takersOf = ({ nodes, standing }: Judged, pod: PodClass): number =>
  nodes.started.filter((node) => typeof standing(pod, node) === 'string').length;

const inVain = (
  judged: Judged,
  { until: _, ...purchase }: Purchase,
  outcome: 'Refused' | 'Lost',
  message: string,
  pod: PodClass | undefined,
  pause = pauseAfter,
): Purchase => {
  const failures = purchase.failures + 1;
  const { now } = judged;
  const takers = pod ? takersOf(judged, pod) : 0;
  return { ...purchase, outcome, message, since: now, failures, takers, until: now + pause(failures) };
};

/** A host that joined and was lost worked: only the next one tells whether they all are lost. */
const pauseAfterJoined = (failures: number): number => (failures === 1 ? 0 : pauseAfter(failures - 1));
const lost = (judged: Judged, purchase: Purchase, pod: PodClass | undefined, hadJoined: boolean): Purchase =>
  hadJoined
    ? inVain(judged, purchase, 'Lost', 'its hosts were lost after they had joined', pod, pauseAfterJoined)
    : inVain(judged, purchase, 'Lost', 'its Machines failed before such a pod ran there', pod);

const ended = (
  { until: _, ...purchase }: Purchase,
  outcome: 'Used' | 'Unused' | 'Withdrawn',
  now: number,
): Purchase => ({
  ...purchase,
  outcome,
  since: now,
});

const ran = ({ until: _, message: __, takers: ___, ...purchase }: Purchase, now: number): Purchase => ({
  ...purchase,
  outcome: 'Ran',
  since: now,
  failures: 0,
});

/** The pods are gone: their nodes count by whether they are what the pool declares. */
const judgeUnwanted = (judged: Judged, purchase: Purchase, came: readonly StartedNode[]): Purchase => {
  const differences = came.map((node) => differenceOf(node, judged.pool));
  const [first] = differences;
  if (first !== undefined && !differences.includes(undefined))
    return inVain(judged, purchase, 'Refused', first, undefined);
  return ended(purchase, 'Unused', judged.now);
};

/** The outcome of nodes that are there, or none of which came. */
const judgeOpen = (judged: Judged, key: string, purchase: Purchase): Purchase => {
  const { pool, machines, nodes, isKnown, standing, refusal, wanted, now } = judged;
  const isBought = ({ machine }: { machine: Machine }) =>
    isCreatedSince(machine, purchase.at) && ['node', 'upcoming'].includes(machines.states.get(machine)!);
  const came = nodes.started.filter(isBought);
  const bought = [...machines.states].filter(
    ([machine, state]) => isCreatedSince(machine, purchase.at) && state !== 'leaving',
  );
  const isComing = ([machine, state]: (typeof bought)[number]) =>
    state === 'upcoming' || (state === 'node' && (isKnown(machine.node!) || isYoung(machine, pool, now)));
  const pod = wanted.get(key);
  if (came.length === 0) {
    const refusals = pod ? nodes.starting.filter(isBought).flatMap((node) => refusal(pod, node) ?? []) : [];
    if (refusals[0] !== undefined) return inVain(judged, purchase, 'Refused', refusals[0], pod);
    if (machines.uncreated > 0 || bought.some(isComing)) return purchase;
    if (bought.some(([, state]) => state !== 'refused'))
      return lost(
        judged,
        purchase,
        pod,
        bought.every(([{ node }, state]) => state === 'failed' && node !== undefined),
      );
    return bought.length > 0 || pool.held ? purchase : ended(purchase, 'Withdrawn', now);
  }
  if (!pod) return judgeUnwanted(judged, purchase, came);
  const standings = came.map((node) => standing(pod, node));
  if (standings.includes('takes')) return isHeadroom(pod) ? ran(purchase, now) : purchase;
  if (standings.includes('used')) return ended(purchase, 'Used', now);
  const [first] = standings as { refuses: string }[];
  return inVain(judged, purchase, 'Refused', first!.refuses, pod);
};

const judge = (judged: Judged, key: string, purchase: Purchase): Purchase => {
  const { pool, hosted, wanted, now } = judged;
  const { outcome } = purchase;
  if (outcome !== undefined && outcome !== 'Refused' && outcome !== 'Lost') return purchase;
  const isHost = pool.machines.some(
    (machine) => machine.node !== undefined && isCreatedSince(machine, purchase.at) && hosted(machine.node).has(key),
  );
  if (isHost) return ran(purchase, now);
  if (outcome === undefined) return judgeOpen(judged, key, purchase);
  const pod = wanted.get(key);
  const takers = pod ? takersOf(judged, pod) : 0;
  return takers > (purchase.takers ?? 0) ? { ...purchase, takers, until: now } : purchase;
};

/** By the id of the pool. A purchase counts for as long as the pool declares the same. */
export const outcomesOf = (
  inputs: Inputs,
  history: History = {},
  machines: ReadonlyMap<Pool, PoolMachines>,
  sim: Simulation,
): Record<string, Purchases> => {
  const { pools, now } = inputs;
  const shapes = new Map<string, ReadonlySet<string>>();
  const hosted = (node: string) => {
    const known = shapes.get(node) ?? new Set((sim.pods.get(node) ?? []).map((pod) => shapeKey(sim.classes.of(pod))));
    shapes.set(node, known);
    return known;
  };
  const isKnown = (node: string) => sim.simulated.has(node);
  const known = pools.filter(({ id }) => history.pools?.[id]?.purchases);
  const wanted = known.length > 0 ? new Map(sim.wanted.map(({ pod }) => [shapeKey(pod), pod])) : new Map();
  return Object.fromEntries(
    known.map((pool) => {
      const nodes = nodesOf(inputs, sim, pool);
      const standing: Judged['standing'] = (pod, node) => standingOf(sim, pod, node, pool);
      const refusal: Judged['refusal'] = (pod, node) => refusalOf(sim, pod, node, pool);
      const judged = { pool, machines: machines.get(pool)!, nodes, isKnown, hosted, standing, refusal, wanted, now };
      const purchases = Object.entries(history.pools![pool.id]!.purchases!)
        .filter(([, { declaration }]) => declaration === pool.declaration)
        .map(([key, purchase]) => [key, judge(judged, key, purchase)] as const);
      return [pool.id, Object.fromEntries(purchases)];
    }),
  );
};
