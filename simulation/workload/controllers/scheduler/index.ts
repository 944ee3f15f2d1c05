/**
 * Binds pending pods to nodes, the most important first: of the nodes that can take a pod, the one
 * with the fewest pods. Where none can, less important pods make room.
 */
import { timestamp } from '../../../../machinery/api/lifecycle.ts';
import {
  type ClaimObject,
  conditionOf,
  controllerOf,
  type NodeObject,
  type PodObject,
  withCondition,
} from '../../objects.ts';
import { podRequests, Usage } from '../../resources.ts';
import { type ClusterController, type Plan, terminating, type World } from '../../world.ts';
import { eventAbout } from '../events.ts';
import { type Storage, selectedNode, storageOf } from '../storage/objects.ts';
import { filterFor, type Lack, type Occupied, refusalText } from './filters.ts';
import { preemptionFor, priorityOf } from './preemption.ts';

const component = 'default-scheduler';

const isPending = ({ spec, metadata }: PodObject): boolean =>
  !spec?.nodeName &&
  !metadata.deletionTimestamp &&
  spec?.schedulerName === component &&
  !((spec.schedulingGates as unknown[] | undefined) ?? []).length;

const urgentFirst = (a: PodObject, b: PodObject): number =>
  priorityOf(b) - priorityOf(a) ||
  ((a.metadata.creationTimestamp ?? '') < (b.metadata.creationTimestamp ?? '') ? -1 : 1);

const scheduledCondition = (pod: PodObject, status: 'True' | 'False', now: number, reason?: string, message?: string) =>
  withCondition(
    pod.status?.conditions,
    { type: 'PodScheduled', status, lastProbeTime: null, ...(reason && { reason }), ...(message && { message }) },
    now,
  );

const ownerKey = (pod: PodObject): string | undefined => {
  const { spec } = pod;
  const isSpecial = (spec?.volumes ?? []).some((one) => one.persistentVolumeClaim || one.ephemeral);
  const owner = controllerOf(pod)?.uid;
  return owner === undefined || isSpecial || spec?.affinity ? undefined : `${owner} ${priorityOf(pod)}`;
};

const kindOfMessage = (message: string | undefined): string => message?.replaceAll(/\d+/g, 'N') ?? '';

/** One round over the pending pods: what is placed and reserved counts for those that follow. */
class Round {
  readonly #world: World;
  readonly #plan: Plan;
  readonly #storage: Storage;
  readonly #nodes: NodeObject[];
  readonly #load = new Map<string, number>();
  /** Pods of one owner are alike: what was said of the first holds for the others. */
  readonly #refused = new Map<string, string>();
  #placed: PodObject[];
  #usage: Usage;

  constructor(world: World, plan: Plan, pods: readonly PodObject[]) {
    this.#world = world;
    this.#plan = plan;
    this.#storage = storageOf(world);
    this.#nodes = world.list<NodeObject>('nodes').filter(({ metadata }) => !metadata.deletionTimestamp);
    this.#placed = pods.filter(({ spec }) => spec?.nodeName);
    this.#usage = new Usage(this.#placed);
    for (const { spec } of this.#placed) this.#load.set(spec!.nodeName!, (this.#load.get(spec!.nodeName!) ?? 0) + 1);
  }

  schedule(pod: PodObject): void {
    const key = ownerKey(pod);
    const known = key === undefined ? undefined : this.#refused.get(key);
    if (known !== undefined) {
      this.#refuse(pod, known);
      return;
    }
    const occupied = this.#occupied();
    const { volumes, lacks } = filterFor(pod, occupied, this.#world, this.#storage);
    const lacking = new Map<NodeObject, Lack[]>();
    if (volumes.refusal === undefined) for (const node of this.#nodes) lacking.set(node, lacks(node));
    const best = this.#best(
      [...lacking].flatMap(([node, lack]) => (lack.length === 0 ? [node] : [])),
      volumes.unbound,
    );
    if (best && volumes.unbound.length > 0) this.#selectNode(pod, best, volumes.unbound);
    else if (best) this.#bind(pod, best);
    else {
      const message = refusalText(this.#nodes.length, [...lacking.values()], volumes.refusal);
      const nominated = this.#nominate(pod, lacking);
      if (nominated === undefined && key !== undefined) this.#refused.set(key, message);
      this.#refuse(pod, message, nominated);
    }
  }

  #occupied(): Occupied {
    return { nodes: this.#nodes, placed: this.#placed, usage: this.#usage };
  }

  #loadOf(node: NodeObject): number {
    return this.#load.get(node.metadata.name) ?? 0;
  }

  /** The node that was selected for its claims before, else the one with the fewest pods. */
  #best(fitting: readonly NodeObject[], claims: readonly ClaimObject[]): NodeObject | undefined {
    const selected = claims.map(({ metadata }) => metadata.annotations?.[selectedNode]);
    return fitting.toSorted(
      (a, b) =>
        Number(selected.includes(b.metadata.name)) - Number(selected.includes(a.metadata.name)) ||
        this.#loadOf(a) - this.#loadOf(b) ||
        (a.metadata.name < b.metadata.name ? -1 : 1),
    )[0];
  }

  #reserve(pod: PodObject, node: string): PodObject {
    const placed: PodObject = { ...pod, spec: { ...pod.spec, nodeName: node } };
    this.#placed.push(placed);
    this.#usage.add(node, podRequests(pod));
    this.#load.set(node, (this.#load.get(node) ?? 0) + 1);
    return placed;
  }

  #bind(pod: PodObject, { metadata: { name } }: NodeObject): void {
    const { now } = this.#world;
    const { nominatedNodeName: _, ...status } = pod.status ?? {};
    const conditions = scheduledCondition(pod, 'True', now);
    const bound = this.#reserve(pod, name);
    this.#plan.update('pods', {
      ...bound,
      status: { ...status, phase: 'Pending', conditions, startTime: timestamp(now) },
    });
  }

  /** The driver makes the volumes where the pod will run; the pod follows once they are bound. */
  #selectNode(pod: PodObject, { metadata: { name } }: NodeObject, claims: readonly ClaimObject[]): void {
    this.#reserve(pod, name);
    for (const claim of claims) {
      const { metadata } = claim;
      if (metadata.annotations?.[selectedNode] === name) continue;
      const annotations = { ...metadata.annotations, [selectedNode]: name };
      this.#plan.update('persistentvolumeclaims', { ...claim, metadata: { ...metadata, annotations } });
    }
  }

  /** The node on which less important pods end for this one. */
  #nominate(pod: PodObject, lacking: ReadonlyMap<NodeObject, readonly Lack[]>): string | undefined {
    if (pod.spec?.preemptionPolicy === 'Never') return undefined;
    const { nominatedNodeName } = pod.status ?? {};
    const isLeaving = ({ spec, metadata }: PodObject) =>
      spec?.nodeName === nominatedNodeName && metadata.deletionTimestamp !== undefined;
    if (nominatedNodeName && this.#placed.some((one) => isLeaving(one) && priorityOf(one) < priorityOf(pod))) {
      this.#reserve(pod, nominatedNodeName);
      return nominatedNodeName;
    }
    const candidates = [...lacking].filter(([, lack]) => lack.every(({ isResolvable }) => isResolvable));
    const found = preemptionFor(
      pod,
      candidates.map(([node]) => node),
      this.#occupied(),
      this.#world,
      this.#storage,
    );
    if (!found) return undefined;
    const { node, victims } = found;
    for (const victim of victims) this.#preempt(victim, pod, node);
    this.#placed = this.#placed.filter((one) => !victims.includes(one));
    this.#usage = new Usage(this.#placed);
    this.#reserve(pod, node.metadata.name);
    return node.metadata.name;
  }

  #preempt(victim: PodObject, pod: PodObject, node: NodeObject): void {
    if (victim.metadata.deletionTimestamp) return;
    const { now } = this.#world;
    const target = {
      type: 'DisruptionTarget',
      status: 'True' as const,
      reason: 'PreemptionByScheduler',
      message: `${component}: preempting to accommodate a higher priority pod`,
    };
    const conditions = withCondition(victim.status?.conditions, target, now);
    this.#plan.update('pods', terminating({ ...victim, status: { ...victim.status, conditions } }, now));
    const message = `Preempted by pod ${pod.metadata.uid} on node ${node.metadata.name}`;
    this.#plan.create('events', eventAbout(victim, { type: 'Normal', reason: 'Preempted', message, component }, now));
  }

  #refuse(pod: PodObject, message: string, nominated?: string): void {
    const { now } = this.#world;
    const before = conditionOf(pod, 'PodScheduled')?.message;
    const { nominatedNodeName, ...status } = pod.status ?? {};
    if (before === message && nominatedNodeName === nominated) return;
    this.#plan.update('pods', {
      ...pod,
      status: {
        ...status,
        phase: 'Pending',
        conditions: scheduledCondition(pod, 'False', now, 'Unschedulable', message),
        ...(nominated !== undefined && { nominatedNodeName: nominated }),
      },
    });
    // Other numbers of nodes are no news.
    if (kindOfMessage(before) === kindOfMessage(message)) return;
    const event = eventAbout(pod, { type: 'Warning', reason: 'FailedScheduling', message, component }, now);
    this.#plan.create('events', event);
  }
}

export const scheduler: ClusterController = async (world, plan) => {
  const pods = world.list<PodObject>('pods');
  const pending = pods.filter(isPending);
  if (pending.length === 0) return;
  const round = new Round(world, plan, pods);
  for (const pod of pending.sort(urgentFirst)) {
    round.schedule(pod);
    const pause = world.pause?.();
    if (pause) await pause;
  }
};
