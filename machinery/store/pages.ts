/**
 * Lists in pages that all show one position. The server keeps no state between pages: later changes
 * are in the log, whose slots record where the previous states are stored.
 */
import { badRequest, ContinueExpired, expired } from '../api/errors.ts';
import { type KubeObject, keyOf } from '../api/object.ts';
import type { Item } from '../ports.ts';
import type { Before } from './body.ts';
import type { StoreContext } from './context.ts';
import type { HeadRead } from './head.ts';
import { isSeal, objectKey, prefixRange, versionOf } from './items.ts';
import { objectsOf } from './readable.ts';
import { listStart, tailAfter, withBody } from './recent.ts';
import { highestOf, keyIn, replay } from './replay.ts';
import { times } from './rules.ts';
import { awakeHead, settle } from './settle.ts';
import { readSlot } from './slot.ts';
import { steadily } from './steady.ts';
import type { Listing, ListOptions } from './store.ts';
import type { Tail } from './tail.ts';

/** A list may span this many changes of its type. */
const mostChanges = 10_000;
/** The most items of one query. */
const largestQuery = 10_000;
/** The approximate size of a large body's chunk in bytes. */
const chunkSize = 300_000;

interface Token {
  /** Identifies the list, so that another list's token is refused. */
  list: string;
  /** The key of the last object that was read. */
  after: string;
  /** The position of all pages and the time of the first one; absent = the current state. */
  of?: { position: number; at: number };
  /** How many objects follow `after` at that position. */
  left?: number;
}

const encodeToken = (token: Token): string => Buffer.from(JSON.stringify(token)).toString('base64url');
const isToken = (value: unknown): value is Token => {
  const { list, after, of, left } = (value ?? {}) as Partial<Token>;
  const isMoment =
    of === undefined || (Number.isSafeInteger(of?.position) && of.position >= 0 && Number.isFinite(of.at));
  const isCount = left === undefined || (Number.isSafeInteger(left) && left >= 0);
  return typeof list === 'string' && typeof after === 'string' && isMoment && isCount;
};
const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const tooOld = 'The provided continue parameter is too old to display a consistent list result.';

const decodeToken = (text: string, list: string, prefix: string): Token => {
  const value = parse(Buffer.from(text, 'base64url').toString());
  if (!isToken(value)) throw badRequest('invalid continue token: continue key is not valid');
  if (value.list !== list) throw expired(`${tooOld} Start a new list without it.`);
  if (!value.after.startsWith(prefix)) throw badRequest('invalid continue token: continue key is not valid');
  return value;
};
const lost = ({ list, after }: Token) =>
  new ContinueExpired(
    `${tooOld} Start a new list without it, or go on with the continue token of this answer: what was created, changed or deleted since the first page may then be shown as it is now.`,
    encodeToken({ list, after }),
  );

const sizeOf = ({ body, chunks }: Item): number =>
  body instanceof Uint8Array ? body.length : ((chunks as number | undefined) ?? 0) * chunkSize;

/** The part of the log that one page reads. */
const logFrom = (context: StoreContext, type: string, head: HeadRead, from: number) => {
  let log: Tail = { run: [], end: from, blocked: false };
  /** Reads on up to `to`, and at least to `least`. */
  const reach = async (least: number, to = least): Promise<Tail> => {
    if (to <= log.end) return log;
    const more = await tailAfter(context, type, log.end, { ...head, n: to }, least);
    log = { ...more, run: [...log.run, ...more.run] };
    return log;
  };
  return { reach };
};

/** The state that a change replaced; undefined when it has expired. */
const stateBefore = async (context: StoreContext, type: string, change: Item): Promise<Item | undefined> => {
  const { rvBefore, chunksBefore } = change as Item & Partial<Before>;
  if (rvBefore === undefined) return undefined;
  if (chunksBefore === undefined) return readSlot(context, type, rvBefore);
  const { namespace, name, uid } = change;
  return { pk: change.pk, sk: rvBefore, namespace, name, uid, chunks: chunksBefore };
};

/**
 * Items in their state at the position, without those that the log up to it restores and those that
 * a later entry creates; undefined when a state has expired.
 */
const asOf = async (
  context: StoreContext,
  type: string,
  items: Item[],
  run: Item[],
  position: number,
): Promise<Item[] | undefined> => {
  const first = new Map<string, Item>();
  for (const slot of run) if (!isSeal(slot) && !first.has(keyIn(slot))) first.set(keyIn(slot), slot);
  const states = items.map(async (item) => {
    if (versionOf(item) <= position) return [item];
    const change = first.get(keyIn(item));
    if (change && (versionOf(change) <= position || change.event === 'ADDED')) return [];
    const before = change && (await stateBefore(context, type, change));
    return before && [before];
  });
  const all = await Promise.all(states);
  return all.includes(undefined) ? undefined : (all as Item[][]).flat();
};

/** One page of a list; with a token and no limit, the rest of it. */
export const page = async (
  context: StoreContext,
  type: string,
  { namespace, limit = 0, continue: text, selects = () => true, counts = false, skip }: ListOptions,
): Promise<Listing> => {
  const { clock, table } = context;
  const { pk } = objectKey(type, { namespace: '', name: '' });
  const list = `${type}/${namespace}`;
  const prefix = namespace === undefined ? '' : `${namespace}/`;
  const range = prefix ? prefixRange(prefix) : {};
  const token: Token = text === undefined ? { list, after: '' } : decodeToken(text, list, prefix);
  const head = await awakeHead(context, type);
  let { of, after } = token;
  if (of && of.position > head.n) throw lost(token);
  const start = listStart(context, type, head);
  const from = Math.min(start, of?.position ?? start);
  const log = logFrom(context, type, head, from);
  const objects: KubeObject[] = [];
  const most = limit || Number.POSITIVE_INFINITY;
  let read = 0;

  /** The states at the position of the objects behind `after` and up to `upTo`. */
  const statesIn = async (items: Item[], upTo: string | undefined): Promise<Item[] | undefined> => {
    const seen = highestOf(items);
    if (!of) {
      const { run, end } = await log.reach(Math.max(from, seen), Math.max(head.n, seen));
      await settle(context, type, head, end, run);
      of = { position: end, at: head.readAt };
    }
    const { position } = of;
    const least = Math.max(position, seen);
    if (least - position > mostChanges) return undefined;
    const { run } = await log.reach(least);
    const known = await asOf(context, type, items, run, position);
    if (!known) return undefined;
    const isMeant = (key: string) => key.startsWith(prefix) && key > after && (upTo === undefined || key <= upTo);
    const shown = run.filter((slot) => versionOf(slot) <= position);
    return replay(known, shown, isMeant, clock.now());
  };
  const objectsIn = async (items: Item[], upTo: string | undefined): Promise<KubeObject[] | undefined> => {
    const states = await statesIn(items, upTo);
    if (!states) return undefined;
    const whole = await Promise.all(states.map((state) => withBody(context, type, state)));
    return (await objectsOf(context, type, whole, skip)).filter((object) => object !== undefined);
  };
  /**
   * Checked before and after reading: a process that was frozen meanwhile may have read expired
   * data.
   */
  const checkAge = () => {
    if (token.of && clock.now() - token.of.at > times.pages) throw lost(token);
  };
  const queried = async (limited: { limit?: number }) => {
    const behind = after ? { after: { pk, sk: after } } : {};
    const { items, next } = await steadily(context, () =>
      table.query({ pk, ...range, ...behind, ...limited, consistent: true }),
    );
    return { items, upTo: next?.sk as string | undefined };
  };
  /** How many objects follow this page; undefined where counting would read too much. */
  const countRest = async (): Promise<number | undefined> => {
    if (!counts) return undefined;
    if (token.of) return token.left === undefined ? undefined : Math.max(0, token.left - objects.length);
    const last = after;
    let count = 0;
    for (let bytes = 0; bytes <= context.pageBytes; ) {
      const { items, upTo } = await queried({});
      const states = await statesIn(items, upTo);
      if (!states) break;
      count += states.length;
      if (upTo !== undefined) {
        after = upTo;
        bytes += items.reduce((sum, item) => sum + sizeOf(item), 0);
        continue;
      }
      after = last;
      return count;
    }
    after = last;
    return undefined;
  };
  const answer = async (isMore: boolean): Promise<Listing> => {
    const left = isMore ? await countRest() : undefined;
    checkAge();
    const counted = left !== undefined && { remaining: left };
    const next = { list, after, of: of!, ...(left !== undefined && { left }) };
    return { objects, position: of!.position, ...(isMore && { continue: encodeToken(next) }), ...counted };
  };

  checkAge();
  // One more than the limit shows whether this is the last page. Then doubles, because the selector
  // may match few objects.
  for (let size = most + 1; ; size *= 2) {
    const { items, upTo } = await queried(limit > 0 ? { limit: Math.min(size, largestQuery) } : {});
    const found = await objectsIn(items, upTo);
    if (!found && read === 0) throw lost(token);
    // Return the objects found so far; the next page reports the loss.
    if (!found) return answer(true);
    for (const object of found) {
      if (objects.length === most) return answer(true);
      if (selects(object)) objects.push(object);
      after = keyOf(object.metadata);
    }
    if (upTo === undefined) return answer(false);
    after = upTo;
    read += items.reduce((sum, item) => sum + sizeOf(item), 0);
    // A selector that matches few objects gets a shorter page.
    if (limit > 0 && read > context.pageBytes) return answer(true);
  }
};
