/** Writes a bbolt database file, as etcd streams one. Keys and values are bytes; a bucket holds no other bucket. */

export const pageSize = 4096;
const pageHeader = 16;
const elementSize = 16;
const flags = { branch: 0x01, leaf: 0x02, meta: 0x04, freelist: 0x10 };
const bucketElement = 0x01;
const magic = 0xed0cdaed;
const version = 2;
/** Two meta pages and the list of free pages precede the data. */
const firstPage = 3;

export type Entry = readonly [key: Uint8Array, value: Uint8Array];

interface Element {
  key: Uint8Array;
  value: Uint8Array;
  flags: number;
}
/** A written page, by its first key. */
interface Child {
  key: Uint8Array;
  page: number;
}

const fnv64 = (bytes: Uint8Array): bigint => {
  let hash = 0xcbf29ce484222325n;
  for (const byte of bytes) hash = ((hash ^ BigInt(byte)) * 0x100000001b3n) & 0xffffffffffffffffn;
  return hash;
};

class Pages {
  readonly written: Buffer[] = [];
  private next = firstPage;

  get end(): number {
    return this.next;
  }

  /** A page with overflow pages for what does not fit; returns its number. */
  add(flag: number, count: number, content: Buffer): number {
    const pages = Math.max(1, Math.ceil((pageHeader + content.length) / pageSize));
    const page = Buffer.alloc(pages * pageSize);
    page.writeBigUInt64LE(BigInt(this.next), 0);
    page.writeUInt16LE(flag, 8);
    page.writeUInt16LE(count, 10);
    page.writeUInt32LE(pages - 1, 12);
    content.copy(page, pageHeader);
    this.written.push(page);
    const number = this.next;
    this.next += pages;
    return number;
  }
}

/** The header of each element holds the distance from itself to its key. */
const contentOf = (items: readonly { head: (distance: number) => Buffer; body: Buffer }[]): Buffer => {
  let at = items.length * elementSize;
  const heads = items.map(({ head, body }, i) => {
    const made = head(at - i * elementSize);
    at += body.length;
    return made;
  });
  return Buffer.concat([...heads, ...items.map(({ body }) => body)]);
};

const leafContent = (elements: readonly Element[]): Buffer =>
  contentOf(
    elements.map(({ key, value, flags: flag }) => ({
      head: (distance) => {
        const head = Buffer.alloc(elementSize);
        for (const [i, word] of [flag, distance, key.length, value.length].entries()) head.writeUInt32LE(word, i * 4);
        return head;
      },
      body: Buffer.concat([key, value]),
    })),
  );

const branchContent = (children: readonly Child[]): Buffer =>
  contentOf(
    children.map(({ key, page }) => ({
      head: (distance) => {
        const head = Buffer.alloc(elementSize);
        head.writeUInt32LE(distance, 0);
        head.writeUInt32LE(key.length, 4);
        head.writeBigUInt64LE(BigInt(page), 8);
        return head;
      },
      body: Buffer.from(key),
    })),
  );

/** Consecutive items that fit into one page; an item that does not fit stands alone. */
const pagefuls = <T>(items: readonly T[], sizeOf: (item: T) => number): T[][] => {
  const groups: T[][] = [];
  let room = 0;
  for (const item of items) {
    const size = elementSize + sizeOf(item);
    const group = groups.at(-1);
    if (group && size <= room) group.push(item);
    else {
      groups.push([item]);
      room = pageSize - pageHeader;
    }
    room -= size;
  }
  return groups;
};

/** Writes a B+tree from its leaves up; returns the page of its root. */
const treeOf = (pages: Pages, elements: readonly Element[]): number => {
  if (elements.length === 0) return pages.add(flags.leaf, 0, Buffer.alloc(0));
  let level: Child[] = pagefuls(elements, ({ key, value }) => key.length + value.length).map((group) => ({
    key: group[0]!.key,
    page: pages.add(flags.leaf, group.length, leafContent(group)),
  }));
  while (level.length > 1)
    level = pagefuls(level, ({ key }) => key.length).map((group) => ({
      key: group[0]!.key,
      page: pages.add(flags.branch, group.length, branchContent(group)),
    }));
  return level[0]!.page;
};

const metaPage = (transaction: number, root: number, end: number): Buffer => {
  const page = Buffer.alloc(pageSize);
  page.writeBigUInt64LE(BigInt(transaction), 0);
  page.writeUInt16LE(flags.meta, 8);
  const meta = page.subarray(pageHeader);
  for (const [i, word] of [magic, version, pageSize, 0].entries()) meta.writeUInt32LE(word, i * 4);
  const freelist = firstPage - 1;
  for (const [i, word] of [root, 0, freelist, end, transaction].entries())
    meta.writeBigUInt64LE(BigInt(word), 16 + i * 8);
  meta.writeBigUInt64LE(fnv64(meta.subarray(0, 56)), 56);
  return page;
};

const inOrder = (entries: readonly Entry[]): Entry[] => [...entries].sort(([a], [b]) => Buffer.compare(a, b));

export const boltFile = (buckets: Readonly<Record<string, readonly Entry[]>>): Buffer => {
  const pages = new Pages();
  const named = Object.entries(buckets).map(([name, entries]): Entry => {
    const root = treeOf(
      pages,
      inOrder(entries).map(([key, value]) => ({ key, value, flags: 0 })),
    );
    const bucket = Buffer.alloc(16);
    bucket.writeBigUInt64LE(BigInt(root), 0);
    return [Buffer.from(name), bucket];
  });
  const root = treeOf(
    pages,
    inOrder(named).map(([key, value]) => ({ key, value, flags: bucketElement })),
  );
  const freelist = Buffer.alloc(pageSize);
  freelist.writeBigUInt64LE(BigInt(firstPage - 1), 0);
  freelist.writeUInt16LE(flags.freelist, 8);
  return Buffer.concat([metaPage(0, root, pages.end), metaPage(1, root, pages.end), freelist, ...pages.written]);
};
