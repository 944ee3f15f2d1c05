interface Entry<V> {
  value: V;
  weight: number;
}

/**
 * A cache by name that keeps the most recently used values, up to weight `most`; never more than
 * twice that, unless one value alone weighs more. When the newer half is full, it replaces the
 * older one: a map whose first entries are deleted one by one becomes slow to iterate.
 */
export class Generations<V> {
  #newer = new Map<string, Entry<V>>();
  #older = new Map<string, Entry<V>>();
  #weight = 0;
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  find(name: string): { value: V } | undefined {
    const newer = this.#newer.get(name);
    if (newer) return newer;
    const older = this.#older.get(name);
    if (older) this.#add(name, older);
    return older;
  }

  keep(name: string, value: V, weight = 1): void {
    this.forget(name);
    this.#add(name, { value, weight });
  }

  forget(name: string): void {
    this.#weight -= this.#newer.get(name)?.weight ?? 0;
    this.#newer.delete(name);
    this.#older.delete(name);
  }

  #add(name: string, entry: Entry<V>): void {
    if (this.#newer.size > 0 && this.#weight + entry.weight > this.#most) {
      this.#older = this.#newer;
      this.#newer = new Map();
      this.#weight = 0;
    }
    this.#newer.set(name, entry);
    this.#weight += entry.weight;
  }
}
