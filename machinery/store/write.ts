import { alreadyExists, conflict, unavailable } from '../api/errors.ts';
import { equalBut } from '../api/merge.ts';
import type { KubeObject, ObjectKey } from '../api/object.ts';
import { type Condition, type Item, mostWrites, sleep, type Write } from '../ports.ts';
import { itemOf, keepBefore, outdateBody, storeBody } from './body.ts';
import type { StoreContext, StoredAs } from './context.ts';
import { indexWrites, type Put } from './indexes.ts';
import { expiry, isGone, isOver, markKey, objectKey, slotKey } from './items.ts';
import { lazy } from './lazy.ts';
import { readObject, unlessUnreadable } from './readable.ts';
import { noteFilled } from './recent.ts';
import { resourceParts } from './resource.ts';
import { logEntryOf, routingAttributes, sizeOfRouting } from './routing.ts';
import { times } from './rules.ts';
import { send } from './send.ts';
import { settleBehindWriters } from './settle.ts';
import { backoff, steadily } from './steady.ts';
import type { Change, CommitOptions, Decision, Tombstone } from './store.ts';
import { takeTicket } from './ticket.ts';

const mostSealed = 3;
const mostLost = 10;

/** One attempt of a write: the state that was read, and the state that replaces it. */
interface Attempt {
  type: string;
  key: ObjectKey;
  item: Item | undefined;
  before: KubeObject | undefined;
  after: KubeObject;
  event: Change['type'];
  writer: string | undefined;
  settled: boolean;
  /** Whether all that is stored is written again, although the object is the same. */
  isAnew: boolean;
}

type Outcome = { is: 'done'; object: KubeObject } | { is: 'lost' } | { is: 'sealed' };

const readItem = (context: StoreContext, type: string, key: ObjectKey): Promise<Item | undefined> =>
  steadily(context, () => context.table.get(objectKey(type, key), { consistent: true }));

const stateOf = (context: StoreContext, type: string, item: Item | undefined) =>
  item && !isOver(item, context.clock.now()) ? readObject(context, type, item) : undefined;

export const get = async (context: StoreContext, type: string, key: ObjectKey): Promise<KubeObject | undefined> =>
  stateOf(context, type, await readItem(context, type, key));

/** Reads no body, which may be encrypted. */
export const uid = async (context: StoreContext, type: string, key: ObjectKey): Promise<string | undefined> => {
  const item = await readItem(context, type, key);
  return item && !isOver(item, context.clock.now()) ? (item.uid as string) : undefined;
};

/** Whether the state would be encrypted for another purpose now, or for one at all. */
export const isOutdated = async ({ codec, storedAs }: StoreContext, type: string, object: KubeObject) => {
  const stored = storedAs.get(object);
  return stored !== undefined && stored.purpose !== (await codec.purposeFor(type, object));
};

export const tombstone = async (
  context: StoreContext,
  type: string,
  key: ObjectKey,
): Promise<Tombstone | undefined> => {
  const item = await readItem(context, type, key);
  return item?.gone === true
    ? { uid: item.uid as string, at: (item.ttl as number) * 1000 - times.tombstoneRetention }
    : undefined;
};

const at = (object: KubeObject, n: number): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, resourceVersion: String(n) },
});
const onlyMetadata = new Set(['metadata']);
const onlyVersion = new Set(['resourceVersion']);
const isUnchanged = (before: KubeObject, after: KubeObject): boolean =>
  equalBut(before, after, onlyMetadata) && equalBut(before.metadata, after.metadata, onlyVersion);

/**
 * The object must be unchanged since the read. A creation may also replace a tombstone older than
 * its ticket, and an expired item: a table may keep one long after reads hide it.
 */
const asRead = (context: StoreContext, { type, item }: Attempt, n: number): Condition => {
  if (item && !isGone(item)) return { attribute: 'rv', is: '=', value: item.rv as number };
  const tombstone: Condition[] = [{ attribute: 'gone', is: 'present' }];
  if (context.rules.olderTombstoneOnly) tombstone.push({ attribute: 'rv', is: '<', value: n });
  if (context.kindOf(type)?.endsAfter === undefined) return { any: [{ exists: false }, { all: tombstone }] };
  const ended: Condition[] = [
    { attribute: 'ends', is: '<=', value: Math.floor(context.clock.now() / 1000) },
    { attribute: 'rv', is: '<', value: n },
  ];
  return { any: [{ exists: false }, { all: tombstone }, { all: ended }] };
};

const objectWrite = (context: StoreContext, attempt: Attempt, n: number, stored: Item): Write => {
  const { type, key, event } = attempt;
  const when = asRead(context, attempt, n);
  const at = objectKey(type, key);
  if (event !== 'DELETED') return { put: { ...stored, ...at }, when };
  if (!context.rules.tombstones) return { delete: at, when };
  const ttl = expiry(context.clock.now(), times.tombstoneRetention);
  return { put: { ...at, rv: n, uid: stored.uid, gone: true, ttl }, when };
};

interface Writes {
  /** All or none: the object, its slot, and as many index writes as fit. */
  transaction: Write[];
  /** Index entries to add before the change: harmless if the change never happens. */
  early: Put[];
  /** Index entries to remove after the change. */
  deferred: Write[];
}

/** Everything that one change writes. */
const writesOf = async (
  context: StoreContext,
  attempt: Attempt,
  bytes: Uint8Array,
  n: number,
  token: string,
): Promise<Writes> => {
  const { type, key, item, before, after, event, writer, settled } = attempt;
  const uid = after.metadata.uid;
  if (!uid) throw new Error(`${type} ${key.namespace}/${key.name} has no uid`);
  const now = context.clock.now();
  const kind = context.kindOf(type);
  const ends = event === 'DELETED' || kind?.endsAfter === undefined ? undefined : expiry(now, kind.endsAfter * 1000);
  /** An expired item is kept as long as a tombstone, for the same reason. */
  const ttl = ends && ends + times.tombstoneRetention / 1000;
  const routing = routingAttributes(event, before, after, { kind, writer, settled });
  const body = await storeBody(context, uid, n, bytes, { beside: sizeOfRouting(routing), until: ttl });
  const stored: Item = {
    ...objectKey(type, key),
    rv: n,
    uid,
    namespace: key.namespace,
    name: key.name,
    labels: after.metadata.labels ?? {},
    ...body.attributes,
    at: now,
    ...(ends && { ends, ttl }),
  };
  const slot: Item = {
    ...slotKey(type, n),
    ...routing,
    ...body.attributes,
    ...(item && before && (await keepBefore(context, type, item, before))),
    token,
    at: now,
    ...(ends && { ends }),
    ttl: expiry(now, times.logRetention),
  };
  const { members, added, removed } = indexWrites(
    kind,
    type,
    key,
    before,
    event === 'DELETED' ? undefined : after,
    attempt.isAnew,
  );
  const whole = [
    objectWrite(context, attempt, n, stored),
    { put: slot, when: { exists: false } },
    ...members,
    ...(event === 'DELETED' ? [] : body.keep),
    ...outdateBody(context, item),
    ...(kind?.mark ? [{ update: markKey(kind.mark), set: { [type]: n } }] : []),
  ];
  const room = mostWrites - whole.length;
  const left = Math.max(0, room - added.length);
  return {
    transaction: [...whole, ...added.slice(0, room), ...removed.slice(0, left)],
    early: added.slice(room),
    deferred: removed.slice(left),
  };
};

const attemptOnce = async (
  context: StoreContext,
  attempt: Attempt,
  ticket: { n: number; at: number },
): Promise<Outcome> => {
  const { codec } = context;
  const { type, after, event } = attempt;
  const token = context.random.uuid();
  const body = await codec.encode(type, after);
  const { transaction, early, deferred } = await writesOf(context, attempt, body, ticket.n, token);
  if (early.length > 0) await (await lazy.overflow()).putEarly(context, early);
  const is = await send(context, type, ticket, token, transaction);
  if (is !== 'done') return { is };
  const slot = transaction[1] as { put: Item & StoredAs };
  noteFilled(context, type, slot.put);
  context.notifier.notify(type);
  context.onCommit?.(logEntryOf(slot.put)!);
  if (deferred.length > 0)
    await (await lazy.overflow()).removeDeferred(context, objectKey(type, attempt.key), ticket.n, deferred);
  if (event === 'DELETED') {
    codec.removed(after);
    return { is, object: at(after, ticket.n) };
  }
  const object = codec.written(type, ticket.n, body, after);
  const { chunks, at: writtenAt } = slot.put;
  context.storedAs.set(object, { chunks, at: writtenAt, purpose: codec.purposeOf(body) });
  return { is, object };
};

const eventOf = (decision: Decision, before: KubeObject | undefined): Change['type'] => {
  if (decision.do === 'remove') return 'DELETED';
  return before ? 'MODIFIED' : 'ADDED';
};

/**
 * A creation that lost a race fails with AlreadyExists if an object exists now; otherwise it may be
 * retried.
 */
const refuseLost = async (context: StoreContext, { type, key, before }: Attempt): Promise<void> => {
  if (before) throw conflict(resourceParts(type), key.name);
  const item = await readItem(context, type, key);
  if (item && !isOver(item, context.clock.now())) throw alreadyExists(resourceParts(type), key.name);
};

/** What the item of an unreadable state says about its object. */
const outlineOf = ({ kindOf }: StoreContext, type: string, { namespace, name, uid, labels }: Item): KubeObject => {
  const { group = '', kind = '' } = kindOf(type) ?? {};
  const metadata = { ...(namespace ? { namespace } : {}), name, uid, labels } as KubeObject['metadata'];
  return { apiVersion: group, kind, metadata };
};

export const commit = async (
  context: StoreContext,
  type: string,
  key: ObjectKey,
  decide: (current: KubeObject | undefined) => Decision | Promise<Decision>,
  { writer, retry, from, overUnreadable, evenUnchanged }: CommitOptions = {},
): Promise<KubeObject> => {
  let given = from && itemOf(context, type, key, from);
  let sealed = 0;
  let lost = 0;
  for (;;) {
    const early = context.rules.ticketAfterRead ? undefined : await takeTicket(context, type);
    const item = given ?? (await readItem(context, type, key));
    const read = given
      ? from
      : overUnreadable
        ? unlessUnreadable(stateOf(context, type, item))
        : stateOf(context, type, item);
    const state = await read;
    const before = state === 'unreadable' ? outlineOf(context, type, item!) : state;
    given = undefined;
    const decision = await decide(before);
    if (decision.do === 'nothing') return decision.object;
    if (decision.do === 'remove' && !before) return decision.object;
    if (decision.do === 'put' && before && !evenUnchanged && isUnchanged(before, decision.object)) return before;

    const after = decision.object;
    const settled = decision.do === 'put' && decision.settled === true;
    const event = eventOf(decision, before);
    const isAnew = evenUnchanged === true;
    const attempt: Attempt = { type, key, item, before, after, event, writer, settled, isAnew };
    const ticket = early ?? (await takeTicket(context, type));
    const outcome = await attemptOnce(context, attempt, ticket);
    switch (outcome.is) {
      case 'done':
        await settleBehindWriters(context, type, ticket);
        return outcome.object;
      case 'lost':
        if (!retry) await refuseLost(context, attempt);
        if (++lost === mostLost) throw conflict(resourceParts(type), key.name);
        // Backoff: writers that retry in step would keep colliding.
        if (lost > 1) await sleep(context.clock, backoff(context.random, lost));
        break;
      case 'sealed':
        if (++sealed === mostSealed) throw unavailable('the store is busy, please try again');
        break;
    }
  }
};
