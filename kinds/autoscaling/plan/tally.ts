/** Counts of pods by topology domain. */
import type { Labels } from '../../../machinery/api/labels.ts';

export class Tally {
  readonly topologyKey: string;
  readonly #counts = new Map<string, number>();
  /** How many domains have a count, by count: the lowest count is then known without a scan. */
  readonly #domainsAt: number[] = [];
  #lowest = 0;
  #total = 0;

  constructor(topologyKey: string) {
    this.topologyKey = topologyKey;
  }

  get total(): number {
    return this.#total;
  }
  get size(): number {
    return this.#counts.size;
  }
  has(domain: string): boolean {
    return this.#counts.has(domain);
  }
  at(domain: string): number {
    return this.#counts.get(domain) ?? 0;
  }
  on(labels: Labels): number {
    const domain = labels[this.topologyKey];
    return domain === undefined ? 0 : this.at(domain);
  }

  /** Makes the domain known, with a count of zero. False if it is known already. */
  open(domain: string): boolean {
    if (this.#counts.has(domain)) return false;
    this.#counts.set(domain, 0);
    this.#move(undefined, 0);
    return true;
  }
  close(domain: string): void {
    const count = this.#counts.get(domain);
    if (count === undefined) return;
    this.#counts.delete(domain);
    this.#total -= count;
    this.#domainsAt[count]!--;
  }
  add(domain: string, pods: number): void {
    const before = this.#counts.get(domain);
    const after = (before ?? 0) + pods;
    this.#counts.set(domain, after);
    this.#total += pods;
    this.#move(before, after);
  }

  /** The smallest count of a known domain; 0 without any. */
  lowest(): number {
    if (this.#counts.size === 0) return 0;
    while (!this.#domainsAt[this.#lowest]) this.#lowest++;
    return this.#lowest;
  }

  #move(before: number | undefined, after: number): void {
    if (before !== undefined) this.#domainsAt[before]!--;
    this.#domainsAt[after] = (this.#domainsAt[after] ?? 0) + 1;
    if (after < this.#lowest) this.#lowest = after;
  }
}
