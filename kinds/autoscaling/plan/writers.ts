/**
 * Replicas that other clients set. A user's change is the pool's new size. A client that soon lowers
 * again what the autoscaler raised, or that writes again and again, is another autoscaler, to which the pool
 * is left for a while. Pure.
 */
import type { Pool, PoolHistory, Settings } from './types.ts';

const minute = 60_000;
/** One change more within the conflict time, or to the same replicas in six times as long, is a controller's. */
const mostChanges = 2;
const memory = 6;
/** A conflict leaves the pool alone for twice as long as the one before, if that is so many times as long ago. */
const day = 144;
const longestPause = 64;
const pauseOf = (times: number, conflictTime: number): number =>
  conflictTime * Math.min(longestPause, 2 ** (times - 1));

type Writes = Pick<PoolHistory, 'own' | 'others' | 'conflict' | 'fights' | 'scaledUpAt'>;

const sortOut = (writes: Writes): Writes => ({
  ...(writes.scaledUpAt !== undefined && { scaledUpAt: writes.scaledUpAt }),
  ...(writes.own && { own: writes.own }),
  ...(writes.others?.length && { others: writes.others }),
  ...(writes.conflict && { conflict: writes.conflict }),
  ...(writes.fights && { fights: writes.fights }),
});

/** What the replicas show that others wrote since the last decision. */
export const writesAfter = (before: PoolHistory, pool: Pool, settings: Settings, now: number): Writes => {
  const { conflictTime = 10 * minute } = settings;
  const isWithin =
    (time: number) =>
    ({ at }: { at: number }) =>
      at > now - time;
  const isRecent = isWithin(conflictTime);
  const { replicas: known = pool.replicas, scaledUpAt } = before;
  const own = before.own && isRecent(before.own) ? before.own : undefined;
  const others = (before.others ?? []).filter(isWithin(memory * conflictTime));
  const conflict = before.conflict && before.conflict.until > now ? before.conflict : undefined;
  const { fights } = before;
  const isAgain = fights !== undefined && fights.at > now - day * conflictTime;
  const by = pool.replicas - known;
  // What counts no more stays until the next change: an idle pool causes no write.
  if (by === 0) return sortOut({ scaledUpAt, own: before.own, others: before.others, conflict, fights });
  // A decision whose status was not stored left replicas of the autoscaler's own.
  if (pool.writer === undefined) return sortOut({ scaledUpAt, own: { at: now, by }, others, conflict, fights });
  const changes = [...others, { at: now, to: pool.replicas }];
  // A person lowers a pool once, a loop again and again.
  const isLowered = own !== undefined && own.by > 0 && by < 0 && (isAgain || others.some(isRecent));
  const isRepeated = [changes.filter(isRecent), changes.filter(({ to }) => to === pool.replicas)].some(
    ({ length }) => length > mostChanges,
  );
  const isFight = conflict !== undefined || isLowered || isRepeated;
  const times = (isAgain ? fights.times : 0) + (conflict ? 0 : 1);
  const until = Math.max(conflict?.until ?? 0, now + pauseOf(times, conflictTime));
  return sortOut({
    // Nodes that a user adds are kept as long as those that the autoscaler adds.
    scaledUpAt: by > 0 ? now : scaledUpAt,
    own,
    others: changes,
    ...(isFight ? { conflict: { writer: pool.writer, until }, fights: { times, at: now } } : fights && { fights }),
  });
};

/** The pool, held while another client sets its replicas. */
export const heldFor = (pool: Pool, history: PoolHistory | undefined): Pool =>
  history?.conflict && !pool.held ? { ...pool, held: `${history.conflict.writer} sets its replicas` } : pool;

/** Remembers the replicas that the decision leaves. */
export const withReplicas = (history: PoolHistory, from: number, to: number, now: number): PoolHistory => ({
  ...history,
  replicas: to,
  ...(to !== from && { own: { at: now, by: to - from } }),
});
