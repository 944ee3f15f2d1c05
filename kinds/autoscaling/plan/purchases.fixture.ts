/**
 * A cluster in which time passes: Machines become nodes, a scheduler binds pods by the labels, taints
 * and amounts that nodes really have, and decisions follow each other.
 */
import { type Decision, type History, plan } from './index.ts';
import { isDerived } from './labels.ts';
import { idOf, inputs, minute, node, now, pool } from './plan.fixture.ts';
import type { Machine, Node, Pod, PodShape, Pool } from './types.ts';

/** What nodes of a pool become. */
export type Real = {
  labels?: Record<string, string>;
  taint?: string;
  cpu?: number;
  /** Where launches go that were to go to az-a. */
  zone?: string;
  never?: 'joins' | 'ready' | 'stays';
};
export type Given = { name: string; declared?: Partial<Pool>; real?: Real };

/** Until the cloud accepts a launch, which decides the zone. */
const launch = minute / 2;
const boot = 2 * minute;

type Own = Given & { replicas: number; machines: Machine[] };

const lifeOf = (own: Own, machine: Machine, at: number): Node | undefined => {
  const { real = {} } = own;
  const born = machine.createdAt + boot;
  if (at < born || real.never === 'joins') return undefined;
  const { template } = pool(own.name, own.declared);
  const cpu = (real.cpu ?? 4) * 1000;
  const kubelet = Object.entries(template!.labels).filter(([key]) => isDerived(key));
  return node(machine.name, {
    labels: { ...Object.fromEntries(kubelet), 'topology.kubernetes.io/zone': machine.zone!, ...real.labels },
    ...(real.taint && { taints: [{ key: real.taint, effect: 'NoSchedule' }] }),
    allocatable: { ...template!.allocatable, cpu },
    capacity: { ...template!.capacity, cpu },
    ready: real.never === undefined,
    readySince: born,
    createdAt: born,
  });
};

const isRunnable = ({ shape }: Pod, to: Node, on: readonly Pod[]): boolean =>
  to.ready &&
  !to.taints?.length &&
  Object.entries(shape.nodeSelector ?? {}).every(([key, value]) => to.labels[key] === value) &&
  on.reduce((sum, one) => sum + one.shape.requests.cpu!, 0) + shape.requests.cpu! <= to.allocatable.cpu!;

export type Wanted = { name: string; count: number; shape: PodShape; from?: number; to?: number };
export type Purchased = { at: number; pool: string; nodes: number };

export class PassingCluster {
  at = now;
  history: History = {};
  last: Decision | undefined;
  step = minute;
  readonly purchases: Purchased[] = [];
  readonly pools: Own[];
  readonly #bound = new Map<string, string>();
  #made = 0;

  constructor(pools: readonly Given[]) {
    this.pools = pools.map((one) => ({ ...one, replicas: 0, machines: [] }));
  }

  nodes(): Node[] {
    return this.pools.flatMap((own) => own.machines.flatMap((machine) => lifeOf(own, machine, this.at) ?? []));
  }

  /** Binds what the scheduler can. */
  #pods(wanted: readonly Wanted[], nodes: readonly Node[]): Pod[] {
    const all = wanted.flatMap(({ name, count, shape }) =>
      Array.from({ length: count }, (_, index): Pod => {
        const owner = { kind: 'ReplicaSet', name };
        return { namespace: 'default', name: `${name}-${index}`, owner, shape, createdAt: now - minute };
      }),
    );
    const names = new Set(nodes.map(({ name }) => name));
    const on = (to: string) => all.filter((pod) => this.#bound.get(pod.name) === to);
    for (const pod of all) {
      if (names.has(this.#bound.get(pod.name) ?? '')) continue;
      this.#bound.delete(pod.name);
      const to = nodes.find((one) => isRunnable(pod, one, on(one.name)));
      if (to) this.#bound.set(pod.name, to.name);
    }
    return all.map((pod) => {
      const to = this.#bound.get(pod.name);
      return to === undefined ? { ...pod, unschedulable: true } : { ...pod, node: to };
    });
  }

  #poolOf(own: Own): Pool {
    const names = new Set(this.nodes().map(({ name }) => name));
    const isLost = ({ createdAt }: Machine) => own.real?.never === 'stays' && this.at > createdAt + boot;
    const launchedOf = ({ zone, launchedAt, ...unlaunched }: Machine): Machine =>
      this.at < launchedAt! ? unlaunched : { ...unlaunched, zone: zone!, launchedAt: launchedAt! };
    const machines = own.machines.map((machine) => ({
      ...launchedOf(machine),
      ...(names.has(machine.name) && { node: machine.name }),
      ...(isLost(machine) && { failedAt: machine.createdAt + boot }),
    }));
    return pool(own.name, { max: 10, ...own.declared, replicas: own.replicas, machines });
  }

  /** One decision, and what controllers make of it within a minute; answers the pods that wait. */
  tick(wanted: readonly Wanted[]): number {
    const nodes = this.nodes();
    const pods = this.#pods(wanted, nodes);
    const decision = plan(
      inputs(
        { nodes, pods, pools: this.pools.map((own) => this.#poolOf(own)) },
        { history: this.history, now: this.at },
      ),
    );
    this.last = decision;
    this.history = decision.history;
    for (const own of this.pools) {
      const change = decision.scale.find((one) => one.pool === idOf(own.name));
      const gone = new Set(decision.remove.filter((one) => one.pool === idOf(own.name)).map(({ machine }) => machine));
      own.machines = own.machines.filter(({ name }) => !gone.has(name));
      if (!change) continue;
      own.replicas = change.to;
      if (change.to > change.from) this.purchases.push({ at: this.at, pool: own.name, nodes: change.to - change.from });
    }
    for (const own of this.pools)
      while (own.machines.length < own.replicas)
        own.machines.push({
          name: `m${this.#made++}`,
          createdAt: this.at,
          zone: own.real?.zone ?? 'az-a',
          launchedAt: this.at + launch,
        });
    this.at += this.step;
    return pods.filter(({ unschedulable }) => unschedulable).length;
  }

  /** Answers the pods that wait in the end. */
  pass(minutes: number, wanted: readonly Wanted[]): number {
    let waiting = 0;
    for (const end = this.at + minutes * minute; this.at < end; ) {
      const isWanted = ({ from = 0, to = Number.POSITIVE_INFINITY }: Wanted) =>
        this.at >= now + from * minute && this.at < now + to * minute;
      waiting = this.tick(wanted.filter(isWanted));
    }
    return waiting;
  }

  bought(): number {
    return this.purchases.reduce((sum, { nodes }) => sum + nodes, 0);
  }
  reasons(): string[] {
    return (this.last?.pods ?? []).flatMap(({ reasons }) => Object.values(reasons));
  }
}
