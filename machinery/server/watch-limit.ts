/**
 * Limits the number and the duration of watches where the server does not learn that a client has
 * disconnected: there every watch occupies its process until its timeout.
 */
import { ApiError } from '../api/errors.ts';
import { once } from '../once.ts';
import type { Place, Places } from '../places.ts';
import type { Clock, Random } from '../ports.ts';
import type { Call } from './call.ts';
import { lazy } from './lazy.ts';

export interface WatchLimitOptions {
  places: Places;
  /** The number of places. */
  most: number;
  /** The longest watch, in milliseconds. */
  longest: number;
  clock: Clock;
  random: Random;
}

export interface WatchLimit {
  /** Throws 429 when all places are taken. */
  begin(): Promise<{ place: Place; seconds: number }>;
}

/** Milliseconds that a place is kept after the watch's end, for a clean shutdown. */
const grace = 10_000;
/** While most places are taken, watches are shorter, so that places of disconnected clients become free sooner. */
const crowded = { free: 0.5, lasts: 0.4 };
/** Jitter: watches that start together must not all end and restart together. */
const spread = 0.15;
/** Retry-After in seconds for a refused client. */
const [soonest, latest, apart] = [2, 30, 5];

const tooMany = (most: number, seconds: number): ApiError =>
  new ApiError(
    429,
    'TooManyRequests',
    `all ${most} watches that this installation serves at once are open, please try again later: close what watches, raise the setting watches, or deploy the front`,
    { retryAfterSeconds: seconds },
  );

export const createWatchLimit = ({ places, most, longest, clock, random }: WatchLimitOptions): WatchLimit => ({
  begin: async () => {
    const taken = await places.take(longest + grace);
    if (!taken.place) {
      const wait = Math.ceil((taken.until - clock.now()) / 1000);
      throw tooMany(most, Math.min(latest, Math.max(soonest, wait)) + Math.floor(random.next() * apart));
    }
    const share = taken.free < most * crowded.free ? crowded.lasts : 1;
    const seconds = Math.max(1, Math.floor((longest / 1000) * share * (1 - spread * random.next())));
    return { place: taken.place, seconds };
  },
});

/** The query with a timeout of at most `seconds`. The watch itself refuses an invalid timeout. */
const within = (query: URLSearchParams, seconds: number): URLSearchParams => {
  const asked = Number(query.get('timeoutSeconds') ?? '');
  if (Number.isNaN(asked)) return query;
  const bounded = new URLSearchParams(query);
  bounded.set('timeoutSeconds', String(asked > 0 ? Math.min(asked, seconds) : seconds));
  return bounded;
};

const withEnd = (response: Response, end: () => Promise<void>): Response => {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>({ flush: end, cancel: end });
  // The stream itself passes the body's error to the reader.
  response.body!.pipeTo(writable).catch(end);
  return new Response(readable, response);
};

/** Serves a watch, within the limit if there is one. */
export const watchWithin = async (call: Call, limit: WatchLimit | undefined): Promise<Response> => {
  const watch = await lazy.watch();
  if (!limit) return watch(call);
  const { place, seconds } = await limit.begin();
  const leave = async () => {
    try {
      await place.leave();
    } catch (error) {
      call.server.log?.error('A watch keeps its place until its time is over', { error });
    }
  };
  const end = once(leave);
  try {
    return withEnd(await watch({ ...call, query: within(call.query, seconds) }), end);
  } catch (error) {
    await end();
    throw error;
  }
};
