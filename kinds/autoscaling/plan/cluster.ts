/** The simulated cluster of a decision: nodes, the pods on them, and a journal to undo trials. */
import type { Labels } from '../../../machinery/api/labels.ts';
import type { PodClass } from './classes.ts';
import { hostnameLabel, ownLabels } from './labels.ts';
import type { Domains } from './tally.ts';
import { type Domain, type EligibleDomains, isTopological, type Rules } from './topology.ts';
import type { HostPort, Taint } from './types.ts';
import { subtract, type Vector } from './vector.ts';

/** `upcoming`: a Machine that becomes a node. `new`: a node that this decision may buy. */
export type Origin = 'existing' | 'upcoming' | 'new';

export type SimNode = Domain & {
  index: number;
  origin: Origin;
  pool: string | undefined;
  allocatable: Vector;
  free: Vector;
  ports: HostPort[];
  /** Pods by class. */
  hosted: Map<PodClass, number>;
  /** False for a node that takes no more pods. */
  isTarget: boolean;
};

export type NodeFacts = {
  name: string;
  labels: Labels;
  taints: readonly Taint[];
  origin: Origin;
  pool?: string;
  allocatable: Vector;
  isTarget: boolean;
};

type Entry =
  | { did: 'place'; pod: PodClass; node: SimNode; count: number }
  | { did: 'open'; node: SimNode; opened: Domains[] };

export class Cluster {
  readonly nodes: SimNode[] = [];
  readonly rules: readonly Rules[];
  /** Domains are known before pods run in them. */
  readonly #domains: readonly EligibleDomains[];
  readonly #journal: Entry[] = [];
  #made = 0;

  constructor({ rules, domains }: { rules: readonly Rules[]; domains: readonly EligibleDomains[] }) {
    this.rules = rules;
    this.#domains = domains;
  }

  rulesOf(pod: PodClass): Rules {
    return this.rules[pod.index]!;
  }
  isTopological(pod: PodClass): boolean {
    return isTopological(this.rulesOf(pod));
  }

  open(facts: NodeFacts): SimNode {
    const node: SimNode = {
      ...facts,
      index: this.#made++,
      pool: facts.pool,
      labels: ownLabels({ [hostnameLabel]: facts.name, ...facts.labels }),
      free: facts.allocatable.slice(),
      ports: [],
      hosted: new Map(),
    };
    this.nodes.push(node);
    const opened: Domains[] = [];
    for (const { domains, isEligible } of this.#domains) {
      const domain = node.labels[domains.topologyKey];
      if (domain === undefined || !isEligible(node)) continue;
      domains.open(domain);
      opened.push(domains);
    }
    this.#journal.push({ did: 'open', node, opened });
    return node;
  }

  /** Places pods without asking whether they fit. */
  place(pod: PodClass, node: SimNode, count = 1): void {
    this.#shift(pod, node, count);
    this.#journal.push({ did: 'place', pod, node, count });
  }
  remove(pod: PodClass, node: SimNode, count: number): void {
    this.place(pod, node, -count);
  }

  mark(): number {
    return this.#journal.length;
  }
  rollback(mark: number): void {
    while (this.#journal.length > mark) {
      const entry = this.#journal.pop()!;
      if (entry.did === 'place') this.#shift(entry.pod, entry.node, -entry.count);
      else this.#close(entry);
    }
  }

  #close({ node, opened }: Entry & { did: 'open' }): void {
    for (const domains of opened) domains.close(node.labels[domains.topologyKey]!);
    this.nodes.pop();
    this.#made = node.index;
  }

  #shift(pod: PodClass, node: SimNode, count: number): void {
    subtract(node.free, pod.request, count);
    const hosted = (node.hosted.get(pod) ?? 0) + count;
    if (hosted === 0) node.hosted.delete(pod);
    else node.hosted.set(pod, hosted);
    const { hostPorts } = pod.shape;
    if (hostPorts) node.ports = portsAfter(node.ports, hostPorts, count);
    for (const { tally, isEligible } of this.rulesOf(pod).raises) {
      const domain = node.labels[tally.topologyKey];
      if (domain !== undefined && (!isEligible || isEligible(node))) tally.add(domain, count);
    }
  }
}

const portsAfter = (used: HostPort[], ports: readonly HostPort[], count: number): HostPort[] => {
  if (count > 0) return [...used, ...ports];
  const remaining = [...used];
  for (const port of ports) {
    const at = remaining.indexOf(port);
    if (at >= 0) remaining.splice(at, 1);
  }
  return remaining;
};
