/** Counts of pods by topology domain. */
import type { Labels } from '../../../machinery/api/labels.ts';

/** The domains that nodes make up. Rules for which the same nodes count share them. */
export class Domains {
  readonly topologyKey: string;
  readonly #nodes = new Map<string, number>();

  constructor(topologyKey: string) {
    this.topologyKey = topologyKey;
  }

  get size(): number {
    return this.#nodes.size;
  }
  has(domain: string): boolean {
    return this.#nodes.has(domain);
  }
  /** A node of the domain comes. */
  open(domain: string): void {
    this.#nodes.set(domain, (this.#nodes.get(domain) ?? 0) + 1);
  }
  close(domain: string): void {
    const left = (this.#nodes.get(domain) ?? 0) - 1;
    if (left > 0) this.#nodes.set(domain, left);
    else this.#nodes.delete(domain);
  }
}

export class Tally {
  readonly topologyKey: string;
  /** Only of domains with pods: most pods run in few of the many hostnames. */
  readonly #counts = new Map<string, number>();
  /** How many domains have a count, by count: the lowest count is then known without a scan. */
  readonly #domainsAt: number[] = [];
  #lowest = 1;
  #total = 0;

  constructor(topologyKey: string) {
    this.topologyKey = topologyKey;
  }

  get total(): number {
    return this.#total;
  }
  at(domain: string): number {
    return this.#counts.get(domain) ?? 0;
  }
  on(labels: Labels): number {
    const domain = labels[this.topologyKey];
    return domain === undefined ? 0 : this.at(domain);
  }

  add(domain: string, pods: number): void {
    const before = this.at(domain);
    const after = before + pods;
    this.#total += pods;
    if (after === 0) this.#counts.delete(domain);
    else this.#counts.set(domain, after);
    if (before !== 0) this.#domainsAt[before]!--;
    if (after !== 0) this.#domainsAt[after] = (this.#domainsAt[after] ?? 0) + 1;
    if (after !== 0 && after < this.#lowest) this.#lowest = after;
  }

  /** The smallest count of these domains, which all domains with pods are part of; 0 without any. */
  lowest({ size }: Domains): number {
    if (size === 0 || this.#counts.size < size) return 0;
    while (!this.#domainsAt[this.#lowest]) this.#lowest++;
    return this.#lowest;
  }
}
