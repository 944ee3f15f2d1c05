/** Buys nodes for the pods that fit on none that exists or comes. */

import type { Steps } from '../../../machinery/api/steps.ts';
import type { PodClass } from './classes.ts';
import type { SimNode } from './cluster.ts';
import { choose, type Option } from './expander.ts';
import { staticFault } from './fit.ts';
import { type Group, hasAccelerator, type Member } from './groups.ts';
import { type Packed, type Packer, pack, tryPack, type Wanted } from './pack.ts';
import { placeOn } from './place.ts';
import type { Domain } from './topology.ts';
import type { Pool, Prices, Settings } from './types.ts';
import { lacking, type Vector } from './vector.ts';

/** A choice takes at least one pod further; what more choices would achieve comes with the next decision. */
const mostChoices = 200;

export type ScaleUp = {
  /** The nodes to buy, with their pods. */
  added: SimNode[];
  /** Choices are left to make. */
  isIncomplete: boolean;
};

/** Larger pods first, by their share of the largest node; higher priorities before them. */
export const bySize = (nodes: readonly SimNode[], templates: readonly Vector[]) => {
  const vectors = [...templates, ...nodes.map(({ allocatable }) => allocatable)];
  const largest = (axis: number) => vectors.reduce((most, vector) => Math.max(most, vector[axis] ?? 0), 0);
  const most = new Map<number, number>();
  const weight = ({ request }: PodClass): number =>
    request.reduce((sum, amount, axis) => {
      if (amount === 0) return sum;
      if (!most.has(axis)) most.set(axis, largest(axis));
      return sum + amount / (most.get(axis) || amount);
    }, 0);
  const weights = new Map<PodClass, number>();
  const weightOf = (pod: PodClass): number => {
    const known = weights.get(pod) ?? weight(pod);
    weights.set(pod, known);
    return known;
  };
  return (a: Wanted, b: Wanted): number =>
    b.pod.priority - a.pod.priority || weightOf(b.pod) - weightOf(a.pod) || a.pod.index - b.pod.index;
};

/** Places what fits, repeatedly while pods with rules between them make room for each other. */
export function* placeAll(packer: Packer, wanted: readonly Wanted[], nodes: readonly SimNode[]): Steps<void> {
  for (let moved = true; moved; ) {
    moved = false;
    for (const one of wanted) {
      if (one.left === 0) continue;
      yield;
      const placed = placeOn(packer.placing, one.pod, nodes, one.left);
      one.left -= placed;
      moved ||= placed > 0 && packer.placing.cluster.isTopological(one.pod);
    }
  }
}

/** Why an empty node of a pool could never run the pod. */
export const emptyFault = (
  packer: Packer,
  pod: PodClass,
  node: Domain & { allocatable: Vector },
): string | undefined => {
  const never = staticFault(pod, node);
  if (never) return never;
  const short = lacking(packer.axes, node.allocatable, pod.request);
  return short.length > 0 ? short.map((name) => `Insufficient ${name}`).join(', ') : undefined;
};

const isOpen = ({ limits, bought }: Packer, { pool, availability }: Member): boolean =>
  availability.room > (bought.get(pool) ?? 0) && limits.exceeded(pool) === undefined;

/** Domains that open pools could add, by spread constraint, so that new nodes are spread over them. */
const offerDomains = (
  packer: Packer,
  open: readonly Member[],
  wanted: readonly Wanted[],
  domains: Map<Pool, Domain>,
) => {
  for (const { pod } of wanted)
    for (const spread of packer.placing.cluster.rulesOf(pod).spreads) {
      spread.potential.clear();
      const { topologyKey } = spread.constraint;
      // Each new node is a hostname of its own.
      if (topologyKey === 'kubernetes.io/hostname') continue;
      for (const { pool } of open) {
        const node = domains.get(pool)!;
        const domain = node.labels[topologyKey];
        if (domain !== undefined && packer.canEver(pod, pool) && spread.isEligible(node)) spread.potential.add(domain);
      }
    }
};

/** Pods without accelerators get a node with some only if no other open group could run them. */
const allowedIn = (packer: Packer, groups: readonly Group[]) => {
  const plain = groups.filter(({ accelerated }) => !accelerated);
  const canRun = (pod: PodClass, group: Group) => group.members.some(({ pool }) => packer.canEver(pod, pool));
  return (group: Group, { pod }: Wanted): boolean =>
    !group.accelerated || hasAccelerator(pod.shape.requests) || !plain.some((other) => canRun(pod, other));
};

function* bestOf(
  packer: Packer,
  groups: readonly Group[],
  wanted: readonly Wanted[],
  { settings, prices }: { settings: Settings; prices: Prices | undefined },
): Steps<Packed | undefined> {
  const isAllowed = allowedIn(packer, groups);
  const allowed = (group: Group) => wanted.filter((one) => isAllowed(group, one));
  const options: Option[] = [];
  for (const group of groups) options.push((yield* tryPack(packer, group, allowed(group))).option);
  const best = choose(
    options.filter(({ pods }) => pods > 0),
    settings,
    prices,
  );
  return best && (yield* pack(packer, best.group, allowed(best.group)));
}

export function* scaleUp(
  packer: Packer,
  groups: readonly Group[],
  wanted: readonly Wanted[],
  choice: { settings: Settings; prices: Prices | undefined; domains: Map<Pool, Domain> },
): Steps<ScaleUp> {
  const added: SimNode[] = [];
  for (let choices = 0; choices < mostChoices; choices++) {
    yield* placeAll(packer, wanted, added);
    const left = wanted.filter((one) => one.left > 0);
    if (left.length === 0) return { added, isIncomplete: false };
    const open = groups.filter(({ members }) => members.some((member) => isOpen(packer, member)));
    const members = open.flatMap((group) => group.members).filter((member) => isOpen(packer, member));
    offerDomains(packer, members, left, choice.domains);
    const best = yield* bestOf(packer, open, left, choice);
    if (!best) return { added, isIncomplete: false };
    for (const [pool, nodes] of best.option.nodes) packer.bought.set(pool, (packer.bought.get(pool) ?? 0) + nodes);
    for (const one of left) one.left -= best.placed.get(one.pod) ?? 0;
    added.push(...best.opened);
  }
  return { added, isIncomplete: true };
}
