/** A partition's items ordered by sort key, in blocks, so that an insertion moves few of them. */
import type { Item } from '../../machinery/ports.ts';

export type SortKey = string | number;

export interface Entry {
  readonly item: Item;
  /** Bytes that count towards a page. */
  readonly size: number;
}

const keyOf = (entry: Entry): SortKey => entry.item.sk;

/** The first index whose key is not below `key`. */
const indexOf = (block: readonly Entry[], key: SortKey): number => {
  let low = 0;
  let high = block.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (keyOf(block[middle]!) < key) low = middle + 1;
    else high = middle;
  }
  return low;
};

const largestBlock = 512;

export class SortedEntries {
  /** No block is empty, except for a single one. */
  readonly #blocks: Entry[][];

  constructor(first: Entry) {
    this.#blocks = [[first]];
  }

  /** Undefined if empty. */
  get first(): Entry | undefined {
    return this.#blocks[0]![0];
  }

  get(key: SortKey): Entry | undefined {
    const block = this.#blocks[this.#blockOf(key)]!;
    const entry = block[indexOf(block, key)];
    return entry !== undefined && keyOf(entry) === key ? entry : undefined;
  }

  /** Replaces an entry with the same key. */
  set(entry: Entry): void {
    const key = keyOf(entry);
    const index = this.#blockOf(key);
    const block = this.#blocks[index]!;
    const at = indexOf(block, key);
    if (at < block.length && keyOf(block[at]!) === key) {
      block[at] = entry;
      return;
    }
    if (at === block.length) block.push(entry);
    else block.splice(at, 0, entry);
    if (block.length > largestBlock) this.#blocks.splice(index + 1, 0, block.splice(largestBlock >>> 1));
  }

  /** The entry must exist. */
  delete(key: SortKey): void {
    const index = this.#blockOf(key);
    const block = this.#blocks[index]!;
    block.splice(indexOf(block, key), 1);
    if (block.length === 0 && this.#blocks.length > 1) this.#blocks.splice(index, 1);
  }

  /** From `key`, or all. Must not be modified during the iteration. */
  *ascending(key?: SortKey): Generator<Entry> {
    let index = key === undefined ? 0 : this.#blockOf(key);
    let at = key === undefined ? 0 : indexOf(this.#blocks[index]!, key);
    for (; index < this.#blocks.length; index++, at = 0) {
      const block = this.#blocks[index]!;
      for (; at < block.length; at++) yield block[at]!;
    }
  }

  /** Down from `key`, or all. Must not be modified during the iteration. */
  *descending(key?: SortKey): Generator<Entry> {
    let index = key === undefined ? this.#blocks.length - 1 : this.#blockOf(key);
    let block = this.#blocks[index]!;
    let at = block.length - 1;
    if (key !== undefined) {
      at = indexOf(block, key);
      if (at === block.length || keyOf(block[at]!) !== key) at--;
    }
    for (;;) {
      for (; at >= 0; at--) yield block[at]!;
      index--;
      if (index < 0) return;
      block = this.#blocks[index]!;
      at = block.length - 1;
    }
  }

  /** The block that contains the key, or where it belongs. */
  #blockOf(key: SortKey): number {
    let low = 0;
    let high = this.#blocks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (keyOf(this.#blocks[middle]![0]!) <= key) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
