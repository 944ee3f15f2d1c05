import { type Item, Refused } from '../ports.ts';
import type { StoreContext } from './context.ts';
import { type Head, type HeadRead, readHead } from './head.ts';
import { headKey } from './items.ts';
import { listStart, roundAfter } from './recent.ts';
import { times } from './rules.ts';
import { seal } from './slot.ts';
import { isOfTable, steadily } from './steady.ts';
import { readSlots } from './tail.ts';

/** A writer that finds the settled position this many slots behind advances it, if no reader does. */
const longestTail = 200;

/** Changes the head if it is unchanged since the read; another process's change is equally good. */
const advance = async (context: StoreContext, type: string, head: Head, next: Partial<Head>): Promise<boolean> => {
  const asRead = (['settled', 'candidate', 'seenAt'] as const).map((attribute) => ({
    attribute,
    is: '=' as const,
    value: head[attribute],
  }));
  try {
    await steadily(context, () =>
      context.table.write({ update: headKey(type), set: { ...next }, when: { all: asRead } }),
    );
    return true;
  } catch (error) {
    if (error instanceof Refused) return false;
    throw error;
  }
};

const nextOf = (context: StoreContext, head: Head, end: number, run: Item[]): Partial<Head> | undefined => {
  const { rules } = context;
  const now = context.clock.now();
  const jump = (to: number) => (to > head.settled ? { settled: to, candidate: to, seenAt: now } : undefined);
  if (!rules.settleWindow) return jump(end);
  if (!rules.settleBySight) {
    const old = run.findLast((slot) => now - (slot.at as number) >= times.settleWindow);
    return jump((old?.sk as number | undefined) ?? head.settled);
  }
  if (head.candidate <= head.settled) return end > head.settled ? { candidate: end, seenAt: now } : undefined;
  if (now - head.seenAt < times.settleWindow) return undefined;
  return { settled: head.candidate, candidate: Math.max(end, head.candidate), seenAt: now };
};

/**
 * Advances `settled`, given that every slot up to `end` is filled. Its new value is a position that
 * was seen complete ten seconds ago: no query shows half of a transaction at or below it.
 */
export const settle = async (
  context: StoreContext,
  type: string,
  head: Head,
  end: number,
  run: Item[],
): Promise<void> => {
  const next = nextOf(context, head, end, run);
  if (next) await advance(context, type, head, next);
};

/**
 * A type that is written and never read would grow an endless tail. Never waits, and never fails
 * the write that it follows.
 */
export const settleBehindWriters = async (context: StoreContext, type: string, ticket: HeadRead): Promise<void> => {
  if (ticket.n - ticket.settled <= longestTail) return;
  if (ticket.candidate > ticket.settled && context.clock.now() - ticket.seenAt < times.settleWindow) return;
  // One writer of a process suffices.
  if (context.settling.has(type)) return;
  context.settling.add(type);
  try {
    const from = Math.max(ticket.candidate, listStart(context, type, ticket));
    const { run, end } = await roundAfter(context, type, from, ticket);
    await settle(context, type, ticket, end, run);
  } catch (error) {
    if (!isOfTable(error)) throw error;
  } finally {
    context.settling.delete(type);
  }
};

/**
 * Reads the head. When the last tickets are over an hour old and not settled, expired slots may
 * look like holes: absent slots are filled with expired seals, which also stops a writer that
 * resumes, and then the whole log is settled.
 */
export const awakeHead = async (context: StoreContext, type: string): Promise<HeadRead> => {
  const { clock, rules } = context;
  for (;;) {
    const head = await readHead(context, type);
    const old = clock.now() - times.asleep;
    if (!rules.expiredSeals || head.settled >= head.n || (head.at >= old && head.seenAt >= old)) return head;
    const slots = await readSlots(context, type, head.settled + 1, head.n);
    const upTo =
      head.at < old ? head.n : (slots.findLast((slot) => (slot.at as number) < old)?.sk as number | undefined);
    if (upTo === undefined) return head;
    const present = new Set(slots.map(({ sk }) => sk));
    for (let n = head.settled + 1; n <= upTo; n++) {
      if (!present.has(n)) await seal(context, type, n, { expired: true });
    }
    await advance(context, type, head, { settled: upTo, candidate: upTo, seenAt: clock.now() });
  }
};
