/**
 * A cluster under the autoscaler's decisions in virtual time: a scheduler that spreads pods over its
 * nodes, machines that take a minute and a half, drains that take one, and a decision a minute.
 */
import { seededRandom } from '../../adapters/memory/random.ts';
import {
  type Decision,
  type History,
  type Inputs,
  type Machine,
  type Node,
  type Pod,
  type Pool,
  type Prices,
  plan,
  type Resources,
} from '../../kinds/autoscaling/plan/index.ts';
import { type Workload, workloads } from './load.ts';

const GiB = 2 ** 30;
const minute = 60_000;
const step = minute;
const boot = 1.5 * minute;
const drain = minute;
const start = Date.parse('2026-11-27T00:00:00Z');

export const prices: Prices = {
  'c7i.large/on-demand': 0.0893,
  'm7i.large/on-demand': 0.1008,
  'c7i.xlarge/on-demand': 0.1785,
  'm7i.xlarge/on-demand': 0.2016,
  'm7i.2xlarge/on-demand': 0.4032,
  'r7i.xlarge/on-demand': 0.2646,
};
const sizes: Record<string, [cpu: number, memory: number]> = {
  'c7i.large': [1.9, 3.3],
  'm7i.large': [1.9, 7.2],
  'c7i.xlarge': [3.9, 7.2],
  'm7i.xlarge': [3.9, 15],
  'm7i.2xlarge': [7.9, 30.5],
  'r7i.xlarge': [3.9, 30.5],
};

type RunningPod = Pod & { workload: string };
type RunningMachine = Machine & { pool: string; type: string; gone?: number };

export interface Options {
  seed: number;
  hours: number;
  /** The share of pods that moves may evict in an hour; undefined: the pools do not opt in. */
  evictions: number | undefined;
  workloads: number;
}

/** What a pod went through as it was moved to be cheaper. */
export interface Eviction {
  at: number;
  node: string;
  /** When the node came to be. */
  age: number;
  /** The last such eviction of the same pod of its workload. */
  before?: number;
}
export interface Result {
  dollars: number;
  /** Hours of pods that waited for a node. */
  pending: number;
  /** The number of pods, on average. */
  pods: number;
  nodes: number;
  evictions: Eviction[];
  /** Evictions by ordinary removals. */
  removals: number;
  moves: number;
  withdrawn: number;
  bought: number;
  decisions: Decision[];
}

const allocatableOf = (type: string): Resources => {
  const [cpu, memory] = sizes[type]!;
  return { cpu: cpu * 1000, memory: memory * GiB, pods: 58 };
};
const idOf = (type: string): string => `MachineDeployment/default/${type}`;
const conditions = { saving: 0.1, payback: 60 * minute, age: 10 * minute };

class Day {
  readonly #loads: Workload[];
  readonly #random;
  readonly #options: Options;
  readonly #replicas = new Map(Object.keys(sizes).map((type) => [type, 0]));
  readonly #machines: RunningMachine[] = [];
  #pods: RunningPod[] = [];
  #history: History = {};
  #made = 0;
  now = start;
  /** When a pod of a workload was last moved, which its successor inherits. */
  readonly #movedAt = new Map<string, number>();
  readonly result: Result = {
    dollars: 0,
    pending: 0,
    pods: 0,
    nodes: 0,
    evictions: [],
    removals: 0,
    moves: 0,
    withdrawn: 0,
    bought: 0,
    decisions: [],
  };

  constructor(options: Options) {
    this.#options = options;
    const random = seededRandom(options.seed);
    this.#loads = workloads(random, options.workloads);
    this.#random = seededRandom(options.seed + 1);
  }

  #alive(): RunningMachine[] {
    return this.#machines.filter(({ gone }) => gone === undefined || gone > this.now);
  }
  #nodes(): Node[] {
    return this.#alive()
      .filter(({ createdAt }) => createdAt + boot <= this.now)
      .map(({ name, type, createdAt, gone }) => ({
        name,
        labels: { 'kubernetes.io/hostname': name },
        allocatable: allocatableOf(type),
        capacity: allocatableOf(type),
        ready: true,
        createdAt: createdAt + boot,
        ...(gone !== undefined && { unschedulable: true }),
      }));
  }

  #load(): void {
    for (const { name, shape, replicas } of this.#loads) {
      const own = this.#pods.filter(({ workload }) => workload === name);
      const wanted = replicas(this.now - start);
      const surplus = new Set(own.slice(wanted));
      if (surplus.size > 0) this.#pods = this.#pods.filter((pod) => !surplus.has(pod));
      for (let missing = wanted - own.length; missing > 0; missing--) this.#create(name, shape);
    }
  }
  #create(workload: string, shape: Pod['shape']): RunningPod {
    const pod = {
      namespace: 'default',
      name: `${workload}-${this.#made++}`,
      owner: { kind: 'ReplicaSet', name: workload },
      shape,
      createdAt: Math.floor(this.now / 1000) * 1000,
      workload,
    };
    this.#pods.push(pod);
    return pod;
  }

  #free(node: Node): { cpu: number; memory: number; pods: RunningPod[] } {
    const pods = this.#pods.filter((pod) => pod.node === node.name);
    const sum = (name: string) => pods.reduce((total, { shape }) => total + shape.requests[name]!, 0);
    return { cpu: node.allocatable.cpu! - sum('cpu'), memory: node.allocatable.memory! - sum('memory'), pods };
  }
  /** As the scheduler does by default, the least used node of those that fit. */
  #schedule(): void {
    const nodes = this.#nodes().filter(({ unschedulable }) => !unschedulable);
    const free = new Map(nodes.map((node) => [node, this.#free(node)]));
    for (const pod of this.#pods.filter(({ node }) => node === undefined)) {
      const { cpu, memory } = pod.shape.requests;
      const fitting = nodes.filter((node) => {
        const room = free.get(node)!;
        const isApart = !pod.shape.antiAffinity || room.pods.every(({ workload }) => workload !== pod.workload);
        return room.cpu >= cpu! && room.memory >= memory! && isApart;
      });
      const share = (node: Node) => free.get(node)!.cpu / node.allocatable.cpu!;
      const best = Math.max(...fitting.map(share));
      const equal = fitting.filter((node) => share(node) === best);
      const node = equal[Math.floor(this.#random.next() * equal.length)];
      if (!node) {
        pod.unschedulable = true;
        continue;
      }
      const room = free.get(node)!;
      room.cpu -= cpu!;
      room.memory -= memory!;
      room.pods.push(pod);
      pod.node = node.name;
      delete pod.unschedulable;
    }
  }

  #pools(): Pool[] {
    const { evictions } = this.#options;
    return [...this.#replicas].map(([type, replicas]) => ({
      id: idOf(type),
      min: 0,
      max: 200,
      replicas,
      machines: this.#alive()
        .filter((one) => one.type === type)
        .map(({ name, createdAt, gone }) => ({
          name,
          createdAt,
          ...(createdAt + boot <= this.now && { node: name }),
          ...(gone !== undefined && { deleting: true }),
        })),
      instanceType: type,
      template: { capacity: allocatableOf(type), allocatable: allocatableOf(type), labels: {} },
      ...(evictions !== undefined && { consolidate: { ...conditions, evictions } }),
    }));
  }

  #apply({ scale, remove, move, history }: Decision): void {
    for (const { machine, reason } of remove) {
      const found = this.#machines.find(({ name }) => name === machine)!;
      found.gone = this.now + drain;
      for (const pod of this.#pods.filter(({ node }) => node === machine)) this.#evict(pod, reason === 'Consolidated');
    }
    for (const { pool, from, to } of scale) {
      const type = pool.slice(pool.lastIndexOf('/') + 1);
      this.#replicas.set(type, to);
      this.result.bought += Math.max(0, to - from);
      const own = this.#alive().filter((one) => one.type === type && one.gone === undefined).length;
      for (let missing = to - own; missing > 0; missing--) {
        const createdAt = Math.floor(this.now / 1000) * 1000 + 1000;
        this.#machines.push({ name: `${type}-${this.#made++}`, type, pool, createdAt });
      }
    }
    if (move?.state === 'Draining') this.result.moves++;
    if (move?.state === 'Withdrawn') this.result.withdrawn++;
    this.#history = JSON.parse(JSON.stringify(history)) as History;
  }
  #evict(pod: RunningPod, isMove: boolean): void {
    this.#pods = this.#pods.filter((one) => one !== pod);
    const { name } = this.#create(pod.workload, pod.shape);
    if (!isMove) {
      this.result.removals++;
      return;
    }
    const before = this.#movedAt.get(pod.name);
    const { createdAt } = this.#machines.find((machine) => machine.name === pod.node)!;
    const age = this.now - createdAt - boot;
    this.result.evictions.push({ at: this.now - start, node: pod.node!, age, ...(before !== undefined && { before }) });
    this.#movedAt.set(name, this.now - start);
  }

  step(): void {
    this.#load();
    this.#schedule();
    const snapshot: Inputs['snapshot'] = {
      nodes: this.#nodes(),
      pods: this.#pods.map(({ workload: _, ...pod }) => pod),
      daemonSets: [],
      budgets: [],
      claims: {},
      namespaces: { default: {} },
    };
    const decision = plan({
      snapshot,
      pools: this.#pools(),
      settings: { expanders: ['least-waste'] },
      prices,
      history: this.#history,
      now: this.now,
    });
    this.#apply(decision);
    this.result.decisions.push(decision);
    const share = step / (this.#options.hours * 60 * minute);
    const alive = this.#alive();
    const hourly = alive.reduce((sum, { type }) => sum + prices[`${type}/on-demand`]!, 0);
    this.result.dollars += (hourly * step) / 60 / minute;
    this.result.pending += (this.#pods.filter(({ node }) => node === undefined).length * step) / 60 / minute;
    this.result.pods += this.#pods.length * share;
    this.result.nodes += alive.length * share;
    this.now += step;
  }
}

export const runDay = (options: Options): Result => {
  const day = new Day(options);
  for (let steps = (options.hours * 60 * minute) / step; steps > 0; steps--) day.step();
  return day.result;
};
