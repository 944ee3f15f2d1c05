/**
 * What is so of some objects is soon told by others, and what is asked for is soon done: not only in the end, when all is
 * well and much that is wrong cannot be told from what is right. Looked at all through a run, as long as nobody is held up.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Broken, Setting, Watch } from './rule.ts';

const minute = 60_000;
/** Between two looks. */
const apart = minute / 3;
/** Facts are told within seconds, and what nobody acts on within half a minute; what fails in passing is tried again. */
const undisturbed = minute;
const disturbed = 20 * minute;

export interface Claim {
  /** The same words mean the same claim. */
  what: string;
  is: unknown;
  should: unknown;
}

/** `claimsOf`: of what there is now. Nobody may be asked for it: it is looked at in between. */
export const eventually = ({ world, isRuined }: Setting, broken: Broken, claimsOf: () => Iterable<Claim>): Watch => {
  const { clock, mirror } = world;
  /** By claim: what it should be, and since when that is not so. */
  let open = new Map<string, { should: unknown; since: number }>();
  let looked = -1;
  const look = () => {
    const now = clock.now();
    const patience = world.isDisturbed ? disturbed : undisturbed;
    const next: typeof open = new Map();
    for (const { what, is, should } of claimsOf()) {
      if (isDeepStrictEqual(is, should)) continue;
      const known = open.get(what);
      const since = known && isDeepStrictEqual(known.should, should) ? known.since : now;
      next.set(what, { should, since });
      if (now - since <= patience) continue;
      const words = [is, should].map((one) => (typeof one === 'string' ? one : JSON.stringify(one)));
      const told = `${what} is ${words[0]} for ${Math.round((now - since) / minute)} minutes, and not ${words[1]}`;
      throw broken(told);
    }
    open = next;
  };
  /** What was so between two looks, or was to be otherwise, is not the same as before. */
  const forget = () => {
    const wrong = new Map<string, unknown>();
    for (const { what, is, should } of claimsOf()) if (!isDeepStrictEqual(is, should)) wrong.set(what, should);
    for (const [what, { should }] of open)
      if (!wrong.has(what) || !isDeepStrictEqual(wrong.get(what), should)) open.delete(what);
  };
  mirror.onCommit(() => {
    // Those who are disturbed have so long that no chance makes all looks alike.
    if (open.size > 0 && !world.isDisturbed && !world.isHeldUp) forget();
  });
  const tick = () => {
    clock.after(apart, tick);
    if (world.isHeldUp || isRuined?.()) {
      open = new Map();
      return;
    }
    // Nothing else has come to be so, and nothing is waited for.
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
