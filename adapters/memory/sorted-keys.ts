/** Keys in order, in blocks: an insertion among a hundred thousand moves hundreds of them. */
export type SortKey = string | number;

/** The first index whose key is not below `key`. */
const indexOf = (keys: readonly SortKey[], key: SortKey): number => {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (keys[middle]! < key) low = middle + 1;
    else high = middle;
  }
  return low;
};

const largestBlock = 512;

export class SortedKeys {
  /** None of them is empty, but for the only one. */
  readonly #blocks: SortKey[][] = [[]];

  get isEmpty(): boolean {
    return this.#blocks[0]!.length === 0;
  }

  /** One that is not among them. */
  add(key: SortKey): void {
    const index = this.#blockOf(key);
    const block = this.#blocks[index]!;
    const last = block.at(-1);
    if (last === undefined || last < key) block.push(key);
    else block.splice(indexOf(block, key), 0, key);
    if (block.length > largestBlock) this.#blocks.splice(index + 1, 0, block.splice(largestBlock >>> 1));
  }

  /** One that is among them. */
  delete(key: SortKey): void {
    const index = this.#blockOf(key);
    const block = this.#blocks[index]!;
    block.splice(indexOf(block, key), 1);
    if (block.length === 0 && this.#blocks.length > 1) this.#blocks.splice(index, 1);
  }

  /** From `key` on; all without one. None may be added or deleted meanwhile. */
  *ascending(key?: SortKey): Generator<SortKey> {
    let index = key === undefined ? 0 : this.#blockOf(key);
    let at = key === undefined ? 0 : indexOf(this.#blocks[index]!, key);
    for (; index < this.#blocks.length; index++, at = 0) {
      const block = this.#blocks[index]!;
      for (; at < block.length; at++) yield block[at]!;
    }
  }

  /** Down from `key`; all without one. None may be added or deleted meanwhile. */
  *descending(key?: SortKey): Generator<SortKey> {
    let index = key === undefined ? this.#blocks.length - 1 : this.#blockOf(key);
    let block = this.#blocks[index]!;
    let at = block.length - 1;
    if (key !== undefined) {
      at = indexOf(block, key);
      if (block[at] !== key) at--;
    }
    for (;;) {
      for (; at >= 0; at--) yield block[at]!;
      index--;
      if (index < 0) return;
      block = this.#blocks[index]!;
      at = block.length - 1;
    }
  }

  /** The block that holds the key, or that it belongs to. */
  #blockOf(key: SortKey): number {
    let low = 0;
    let high = this.#blocks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (this.#blocks[middle]![0]! <= key) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
