/** Packs pods on new nodes of a group of pools: what a scale-up of the group would achieve. */
import type { Steps } from '../../../machinery/api/steps.ts';
import type { PodClass } from './classes.ts';
import type { SimNode } from './cluster.ts';
import type { Option } from './expander.ts';
import type { Group, Member } from './groups.ts';
import type { Limits } from './limits.ts';
import type { NodeMaker } from './nodes.ts';
import { type Placing, placeOn } from './place.ts';
import { type Gate, shapeKey } from './purchases/index.ts';
import type { Pool } from './types.ts';
import type { Axes } from './vector.ts';

export type Wanted = { pod: PodClass; left: number };

export type Packer = {
  axes: Axes;
  placing: Placing;
  maker: NodeMaker;
  limits: Limits;
  /** New nodes by pool, of the choices made so far. */
  bought: Map<Pool, number>;
  /** Whether an empty node of the pool could ever run the pod. */
  canEver(pod: PodClass, pool: Pool): boolean;
  /** What earlier purchases have shown. */
  gate: Gate;
};

/** Pods placed by class, with the option for the expander. */
export type Packed = { option: Option; placed: Map<PodClass, number>; opened: SimNode[] };

type Trial = { packer: Packer; added: Map<Pool, number>; opened: SimNode[] };

const countOf = ({ packer, added }: Trial, pool: Pool): number =>
  (packer.bought.get(pool) ?? 0) + (added.get(pool) ?? 0);

const hasRoom = (trial: Trial, { pool, availability }: Member): boolean =>
  countOf(trial, pool) < availability.room && trial.packer.limits.exceeded(pool) === undefined;

/** Whether the decision buys the node that finds out if such pods run in the pool. */
const isProbed = ({ packer }: Trial, pod: PodClass, pool: Pool): boolean => {
  if (!packer.gate.isProbe(pod, pool)) return false;
  const isOne = ({ origin, pool: id, hosted }: SimNode) =>
    origin === 'new' && id === pool.id && hosted.keys().some((other) => shapeKey(other) === shapeKey(pod));
  return packer.placing.cluster.nodes.some(isOne);
};

/** Opens a node of the smallest pool that takes the pod; undefined if none does. */
const openFor = (
  trial: Trial,
  group: Group,
  pod: PodClass,
  left: number,
): { node: SimNode; placed: number } | undefined => {
  const { placing, maker, limits, canEver } = trial.packer;
  const size = ({ pool }: Member) => pool.replicas + countOf(trial, pool);
  for (const member of group.members.toSorted((a, b) => size(a) - size(b))) {
    const { pool, availability } = member;
    if (!canEver(pod, pool) || !hasRoom(trial, member) || isProbed(trial, pod, pool)) continue;
    const facts = maker.added(pool, `${pool.id}#${countOf(trial, pool)}`, availability.zone)!;
    const mark = placing.cluster.mark();
    const node = placing.cluster.open(facts);
    const placed = placeOn(placing, pod, [node], left);
    if (placed > 0) {
      limits.take(pool, 1);
      trial.added.set(pool, (trial.added.get(pool) ?? 0) + 1);
      trial.opened.push(node);
      return { node, placed };
    }
    placing.cluster.rollback(mark);
  }
  return undefined;
};

/** Places the pods of a class on the group's new nodes, opening more while they take pods. */
function* grow(trial: Trial, group: Group, { pod, left }: Wanted): Steps<number> {
  const { placing } = trial.packer;
  let rest = left - placeOn(placing, pod, trial.opened, left);
  while (rest > 0) {
    yield;
    const grown = openFor(trial, group, pod, rest);
    if (!grown) break;
    rest -= grown.placed;
    // A pod on a new node may admit more on the others.
    if (placing.cluster.isTopological(pod)) rest -= placeOn(placing, pod, trial.opened, rest);
  }
  return left - rest;
}

/** Packs for good; the caller rolls a trial back. */
export function* pack(packer: Packer, group: Group, wanted: readonly Wanted[]): Steps<Packed> {
  const trial: Trial = { packer, added: new Map(), opened: [] };
  const [cpu, memory] = [packer.axes.indexOf('cpu'), packer.axes.indexOf('memory')];
  const placed = new Map<PodClass, number>();
  const requests = { cpu: 0, memory: 0 };
  for (const one of wanted) {
    if (!group.members.some(({ pool }) => packer.canEver(one.pod, pool))) continue;
    const count = yield* grow(trial, group, one);
    if (count === 0) continue;
    placed.set(one.pod, count);
    requests.cpu += one.pod.request[cpu]! * count;
    requests.memory += one.pod.request[memory]! * count;
  }
  const pods = placed.values().reduce((sum, count) => sum + count, 0);
  return { option: { group, nodes: trial.added, pods, requests }, placed, opened: trial.opened };
}

/** What a scale-up of the group would achieve, without doing it. */
export function* tryPack(packer: Packer, group: Group, wanted: readonly Wanted[]): Steps<Packed> {
  const mark = packer.placing.cluster.mark();
  const packed = yield* pack(packer, group, wanted);
  packer.placing.cluster.rollback(mark);
  for (const [pool, nodes] of packed.option.nodes) packer.limits.take(pool, -nodes);
  return packed;
}
