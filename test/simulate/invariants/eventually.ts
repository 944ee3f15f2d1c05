/**
 * Claims that may be wrong for a moment only. They are compared all through a run, not only at its
 * end, where everything is healthy and much that is wrong cannot be seen.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Broken, Setting, Watch } from './rule.ts';

const minute = 60_000;
/** The time between two comparisons. */
const apart = minute / 3;
/** Statuses follow within seconds, messages within the debounce of 30 s. Faults cost retries. */
const undisturbed = minute;
const disturbed = 20 * minute;

export interface Claim {
  /** Identifies the claim. */
  what: string;
  is: unknown;
  should: unknown;
}

/**
 * `claimsOf` compares the state as it is now. It must not call anything: it also runs between
 * comparisons.
 */
export const eventually = ({ world, isRuined }: Setting, broken: Broken, claimsOf: () => Iterable<Claim>): Watch => {
  const { clock, mirror } = world;
  /** The claims that are wrong: what should be, and since when it is not. */
  let open = new Map<string, { should: unknown; since: number }>();
  let looked = -1;
  const look = () => {
    const now = clock.now();
    const timeout = world.isDisturbed ? disturbed : undisturbed;
    const next: typeof open = new Map();
    for (const { what, is, should } of claimsOf()) {
      if (isDeepStrictEqual(is, should)) continue;
      const known = open.get(what);
      const since = known && isDeepStrictEqual(known.should, should) ? known.since : now;
      next.set(what, { should, since });
      if (now - since <= timeout) continue;
      const values = [is, should].map((one) => (typeof one === 'string' ? one : JSON.stringify(one)));
      const message = `${what} has been ${values[0]} for ${Math.round((now - since) / minute)} minutes, not ${values[1]}`;
      throw broken(message);
    }
    open = next;
  };
  /** A claim that was right between two comparisons, or expected something else, starts anew. */
  const forget = () => {
    const wrong = new Map<string, unknown>();
    for (const { what, is, should } of claimsOf()) if (!isDeepStrictEqual(is, should)) wrong.set(what, should);
    for (const [what, { should }] of open)
      if (!wrong.has(what) || !isDeepStrictEqual(wrong.get(what), should)) open.delete(what);
  };
  mirror.onCommit(() => {
    // The long grace of a disturbed run needs no exact start.
    if (open.size > 0 && !world.isDisturbed && !world.isHeldUp) forget();
  });
  const tick = () => {
    clock.after(apart, tick);
    if (world.isHeldUp || isRuined?.()) {
      open = new Map();
      return;
    }
    // Nothing changed, and no claim is wrong.
    if (mirror.commits === looked && open.size === 0) return;
    looked = mirror.commits;
    try {
      look();
    } catch (error) {
      mirror.breaks(error);
    }
  };
  clock.after(apart, tick);
  return {};
};
