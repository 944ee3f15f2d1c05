/** Reads a bbolt database file: every entry of every bucket that its root reaches. Throws on the first fault. */

export interface Pages {
  size: number;
  read(offset: number, length: number): Buffer;
}

const header = 16;
const element = 16;
const flags = { branch: 0x01, leaf: 0x02, meta: 0x04 };
const bucketElement = 0x01;
const magic = 0xed0cdaed;
const version = 2;
const metaBytes = 64;
/** A tree of this depth has more pages than a file of petabytes. */
const deepest = 32;

export class BrokenDatabase extends Error {
  override readonly name = 'BrokenDatabase';
}
const broken = (why: string) => new BrokenDatabase(`the database is damaged: ${why}`);

interface Meta {
  pageSize: number;
  root: number;
  /** The number of pages. */
  end: number;
  transaction: bigint;
}

const fnv64 = (bytes: Uint8Array): bigint => {
  let hash = 0xcbf29ce484222325n;
  for (const byte of bytes) hash = ((hash ^ BigInt(byte)) * 0x100000001b3n) & 0xffffffffffffffffn;
  return hash;
};

const metaAt = (pages: Pages, offset: number): Meta | undefined => {
  if (offset + header + metaBytes > pages.size) return undefined;
  const page = pages.read(offset, header + metaBytes);
  const meta = page.subarray(header);
  const isMeta = (page.readUInt16LE(8) & flags.meta) !== 0;
  if (!isMeta || meta.readUInt32LE(0) !== magic || meta.readUInt32LE(4) !== version) return undefined;
  if (meta.readBigUInt64LE(56) !== fnv64(meta.subarray(0, 56))) return undefined;
  const number = (at: number) => Number(meta.readBigUInt64LE(at));
  return {
    pageSize: meta.readUInt32LE(8),
    root: number(16),
    end: number(40),
    transaction: meta.readBigUInt64LE(48),
  };
};

/** The newer of the two valid meta pages. The second one stands at the page size, which only the first one names. */
const newestMeta = (pages: Pages): Meta => {
  const first = metaAt(pages, 0);
  const sizes = first ? [first.pageSize] : [4096, 8192, 16384, 65536];
  const all = [first, ...sizes.map((size) => metaAt(pages, size))].filter((meta) => meta !== undefined);
  const [newest] = all.sort((a, b) => (a.transaction > b.transaction ? -1 : 1));
  if (!newest) throw broken('it has no valid meta page');
  return newest;
};

/** `at`: the offset of the value in the file. */
export type Visit = (bucket: string, key: Buffer, value: Buffer, at: number) => void;

/** Calls `visit` for each entry, in the order of buckets and keys. */
export const readDatabase = (pages: Pages, visit: Visit): void => {
  const { pageSize, root, end } = newestMeta(pages);
  if (pages.size !== end * pageSize) throw broken(`it has ${pages.size} bytes, not ${end} pages of ${pageSize}`);

  const pageAt = (number: number): Buffer => {
    if (number < 2 || number >= end) throw broken(`there is no page ${number}`);
    const first = pages.read(number * pageSize, pageSize);
    if (first.readBigUInt64LE(0) !== BigInt(number)) throw broken(`page ${number} is another one`);
    const overflow = first.readUInt32LE(12);
    if (number + overflow >= end) throw broken(`page ${number} is longer than the file`);
    return overflow === 0 ? first : pages.read(number * pageSize, (overflow + 1) * pageSize);
  };

  /** A page, and its offset in the file. */
  interface Placed {
    page: Buffer;
    base: number;
  }
  const placed = (number: number): Placed => ({ page: pageAt(number), base: number * pageSize });
  type Leaf = (key: Buffer, value: Buffer, at: number, isBucket: boolean) => void;
  const slice = (page: Buffer, from: number, length: number): Buffer => {
    if (from + length > page.length) throw broken('an entry is longer than its page');
    return page.subarray(from, from + length);
  };
  const walkPage = ({ page, base }: Placed, depth: number, leaf: Leaf): void => {
    if (depth > deepest) throw broken('its pages form a cycle');
    const [flag, count] = [page.readUInt16LE(8), page.readUInt16LE(10)];
    if (flag !== flags.branch && flag !== flags.leaf) throw broken('a page of the tree is neither branch nor leaf');
    if (header + count * element > page.length) throw broken('a page has more entries than fit into it');
    for (let i = 0; i < count; i++) {
      const at = header + i * element;
      if (flag === flags.branch) walkPage(placed(Number(page.readBigUInt64LE(at + 8))), depth + 1, leaf);
      else {
        const [kind, distance, keyLength, valueLength] = [0, 4, 8, 12].map((field) => page.readUInt32LE(at + field));
        const key = slice(page, at + distance!, keyLength!);
        const start = at + distance! + keyLength!;
        leaf(key, slice(page, start, valueLength!), base + start, (kind! & bucketElement) !== 0);
      }
    }
  };
  /** A small bucket has its only page inside its own entry. */
  const treeOf = (bucket: Buffer, at: number): Placed => {
    if (bucket.length < 16) throw broken('a bucket has no root');
    const rootPage = Number(bucket.readBigUInt64LE(0));
    return rootPage === 0 ? { page: slice(bucket, 16, bucket.length - 16), base: at + 16 } : placed(rootPage);
  };

  walkPage(placed(root), 0, (name, bucket, start, isBucket) => {
    if (!isBucket) throw broken('its root holds an entry that is no bucket');
    let last: Buffer | undefined;
    walkPage(treeOf(bucket, start), 0, (key, value, at) => {
      if (last && Buffer.compare(last, key) >= 0) throw broken(`bucket ${name} is not in order`);
      last = key;
      visit(name.toString('utf8'), key, value, at);
    });
  });
};
