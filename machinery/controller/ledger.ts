/**
 * The ledger of dispatched changes. A DynamoDB stream can lose records silently, so the dispatcher
 * records the positions that it has handled, and the sweep looks for positions of the log that the
 * ledger lacks.
 */
import type { Clock, Item, ItemKey, Table } from '../ports.ts';
import type { LogEntry } from '../store/index.ts';

/** No controller reconciles these types, so the dispatcher does not record their many changes. */
const unnoted: readonly string[] = ['events'];
export const isNoted = ({ type }: Pick<LogEntry, 'type'>): boolean => !unnoted.includes(type);

/** Positions in one item: a batch of the stream takes one write or two. */
const together = 100;
/**
 * Milliseconds: longer than the log keeps its slots, after which a missing change can no longer be
 * found.
 */
const kept = 36 * 3_600_000;

/**
 * A sweep's progress in a type: everything up to `checked` was dispatched, except the positions
 * `failed`, which each sweep tries again; `seen` was the end of its log.
 */
export interface Cursor {
  checked: number;
  seen: number;
  failed?: number[];
}

/**
 * The positions to check in a sweep that finds the log's end at `end`: those that an earlier sweep
 * has seen, so that the stream had at least one sweep interval to deliver them.
 */
export const windowOf = (
  cursor: Cursor | undefined,
  end: number,
): { after: number; to: number; next: Cursor | undefined } => {
  const { checked, seen } = cursor ?? { checked: end, seen: end };
  const isSame = cursor !== undefined && checked === seen && seen === end;
  return { after: checked, to: seen, next: isSame ? undefined : { checked: seen, seen: end } };
};

/** The positions after `after`, up to `to`, that the ledger lacks. */
export const missingIn = (after: number, to: number, noted: ReadonlySet<number>): number[] => {
  const missing: number[] = [];
  for (let position = after + 1; position <= to; position++) if (!noted.has(position)) missing.push(position);
  return missing;
};

const partition = (type: string): string => `dispatched#${type}`;
const sortKey = (position: number): string => String(Math.floor(position / together)).padStart(16, '0');
const cursorKey = (type: string): ItemKey => ({ pk: 'dispatched', sk: type });

const positionsOf = ({ sk, ...attributes }: Item): number[] =>
  Object.keys(attributes).flatMap((name) =>
    /^p\d+$/.test(name) ? [Number(sk) * together + Number(name.slice(1))] : [],
  );

export interface Ledger {
  /** Records that all work of these changes was requested. */
  note(entries: readonly Pick<LogEntry, 'type' | 'position'>[]): Promise<void>;
  /** The positions after `after`, up to `to`, that the ledger lacks. */
  missing(type: string, after: number, to: number): Promise<number[]>;
  cursor(type: string): Promise<Cursor | undefined>;
  move(type: string, cursor: Cursor): Promise<void>;
}

export const createLedger = ({ table, clock }: { table: Table; clock: Pick<Clock, 'now'> }): Ledger => ({
  note: async (entries) => {
    const items = new Map<string, { update: ItemKey; set: Record<string, true | number> }>();
    for (const { type, position } of entries.filter(isNoted)) {
      const update = { pk: partition(type), sk: sortKey(position) };
      const id = `${update.pk}/${update.sk}`;
      const item = items.get(id) ?? { update, set: { ttl: Math.ceil((clock.now() + kept) / 1000) } };
      item.set[`p${position % together}`] = true;
      items.set(id, item);
    }
    await Promise.all([...items.values()].map((item) => table.write(item)));
  },
  missing: async (type, after, to) => {
    if (after >= to) return [];
    const noted = new Set<number>();
    const pages = { pk: partition(type), from: sortKey(after + 1), to: sortKey(to), consistent: true };
    for (let page = await table.query(pages); ; page = await table.query({ ...pages, after: page.next })) {
      for (const position of page.items.flatMap(positionsOf)) noted.add(position);
      if (!page.next) return missingIn(after, to, noted);
    }
  },
  cursor: async (type) => (await table.get(cursorKey(type), { consistent: true })) as Cursor | undefined,
  move: async (type, { checked, seen, failed = [] }) =>
    void (await table.write({ update: cursorKey(type), set: { checked, seen, failed } })),
});
