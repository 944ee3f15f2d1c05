/**
 * The newest slots of one type, as far as this process has read or written them. Its lists replay
 * them from memory and read only later ones, so that the cost of a list does not grow with the
 * writes of the settle window. A table that shows transactions whole needs no window: a list starts
 * at the last position that this process saw complete.
 */
import { expired } from '../api/errors.ts';
import type { Item } from '../ports.ts';
import type { StoreContext } from './context.ts';
import type { HeadRead } from './head.ts';
import { times } from './rules.ts';
import { readSlot } from './slot.ts';
import { type Tail, tailReader } from './tail.ts';

/** Without bodies some 300 bytes each. With more, a list starts at the settled position again. */
const mostSlots = 20_000;
/** Milliseconds between positions for which the time of their sight is kept. */
const sightInterval = 250;

const positionOf = (slot: Item): number => slot.sk as number;

/** The slots after a position, of slots in order. */
const slotsAfter = (slots: Item[], position: number): Item[] =>
  slots.slice(slots.findLastIndex((slot) => positionOf(slot) <= position) + 1);

/** A list needs a state only if no query showed it, which is rare. */
const withoutBody = ({ body, labels, labelsBefore, owners, ownersBefore, ...facts }: Item): Item =>
  body === undefined ? facts : { ...facts, isWithoutBody: true };

/** The slot with its body. Throws 410 when it has expired. */
export const withBody = async (context: StoreContext, type: string, item: Item): Promise<Item> => {
  if (item.isWithoutBody !== true) return item;
  const slot = await readSlot(context, type, positionOf(item));
  if (!slot) throw expired('the log is older than it is kept');
  return slot;
};

export interface RecentLog {
  /** The newest position whose changes each later query shows whole; undefined if none is known. */
  proven(): number | undefined;
  /** The slots after a position, without a hole; undefined when it lies outside of what is kept. */
  after(position: number): Item[] | undefined;
  /** Adds what follows `from`, a position up to which the log is complete. */
  read(from: number, tail: Tail): void;
  /** Adds a slot that this process filled. */
  filled(slot: Item): void;
}

export const createRecentLog = ({
  clock,
  table,
  rules,
}: Pick<StoreContext, 'clock' | 'table' | 'rules'>): RecentLog => {
  const window = table.showsTransactionsWhole || !rules.keptWindow ? 0 : times.settleWindow;
  /** Every slot after `begin` up to `end` is filled, and in `slots`; -1 while nothing is known. */
  let [begin, end] = [-1, -1];
  let slots: Item[] = [];
  /** Slots that this process filled behind a hole. */
  const ahead = new Map<number, Item>();
  /** Positions that were seen complete, with the time. */
  let sights: { position: number; at: number }[] = [];

  const startAt = (position: number) => {
    [begin, end] = [position, position];
    slots = [];
    sights = [];
    ahead.clear();
  };
  const proven = (): number | undefined => {
    if (end < 0) return undefined;
    if (window === 0) return end;
    return sights.findLast(({ at }) => at <= clock.now() - window)?.position;
  };
  const forgetProven = () => {
    const position = proven();
    if (position === undefined || position <= begin) return;
    begin = position;
    slots = slotsAfter(slots, position);
    sights = sights.filter((sight) => sight.position >= position);
  };
  /** Appends slots without a hole, and those behind them that this process filled. */
  const append = (more: Item[], to: number) => {
    for (const slot of more) slots.push(withoutBody(slot));
    end = to;
    for (const n of ahead.keys()) if (n <= end) ahead.delete(n);
    for (let next = ahead.get(end + 1); next; next = ahead.get(end + 1)) {
      ahead.delete(end + 1);
      slots.push(next);
      end++;
    }
    const now = clock.now();
    const last = sights.at(-1);
    if (!last || now - last.at >= sightInterval) sights.push({ position: end, at: now });
    forgetProven();
    if (slots.length > mostSlots) startAt(-1);
  };

  return {
    proven,
    after: (position) => (position < begin || position > end ? undefined : slotsAfter(slots, position)),
    read: (from, tail) => {
      if (end < 0 || from > end) startAt(from);
      if (tail.end > end) append(slotsAfter(tail.run, end), tail.end);
    },
    filled: (slot) => {
      const n = positionOf(slot);
      if (end < 0 || n <= end) return;
      if (n === end + 1) append([slot], n);
      else if (ahead.size < mostSlots) ahead.set(n, withoutBody(slot));
    },
  };
};

const recentOf = (context: StoreContext, type: string): RecentLog => {
  const known = context.recents.get(type) ?? createRecentLog(context);
  context.recents.set(type, known);
  return known;
};

/** Notes what was read after `from`, a position up to which the log is complete. */
export const noteRead = (context: StoreContext, type: string, from: number, tail: Tail): void =>
  recentOf(context, type).read(from, tail);

/** Notes a slot that this process filled. */
export const noteFilled = (context: StoreContext, type: string, slot: Item): void =>
  context.recents.get(type)?.filled(slot);

/**
 * Where a list starts whose query follows: the position that the head proves, or a later one that
 * this process proves.
 */
export const listStart = (context: StoreContext, type: string, { settled, n }: HeadRead): number => {
  const proven = context.recents.get(type)?.proven() ?? settled;
  return proven > n ? settled : Math.max(settled, proven);
};

const knownAfter = (context: StoreContext, type: string, from: number): { run: Item[]; end: number } => {
  const run = context.recents.get(type)?.after(from) ?? [];
  return { run, end: run.length === 0 ? from : positionOf(run.at(-1)!) };
};

type ReadTail = ReturnType<typeof tailReader>['whole'];

const readAfter = async (
  context: StoreContext,
  type: string,
  from: number,
  { to, least, settled, readAt }: Parameters<ReadTail>[1],
  read: ReadTail,
): Promise<Tail> => {
  const known = knownAfter(context, type, from);
  const nothing = { run: [], end: known.end, blocked: false };
  const more = to > known.end ? await read(known.end, { to, least, settled, readAt }) : nothing;
  noteRead(context, type, known.end, more);
  return { ...more, run: [...known.run, ...more.run] };
};

/**
 * The log after a position up to which it is complete, as of the call and at least up to `least`.
 */
export const tailAfter = (context: StoreContext, type: string, from: number, head: HeadRead, least: number) =>
  readAfter(context, type, from, { ...head, to: Math.max(head.n, least), least }, tailReader(context, type).whole);

/** The same up to the first hole, without waiting; `ticket` is the head after a slot was filled. */
export const roundAfter = (context: StoreContext, type: string, from: number, ticket: HeadRead) =>
  readAfter(context, type, from, { ...ticket, to: ticket.n, least: ticket.n }, tailReader(context, type).round);
