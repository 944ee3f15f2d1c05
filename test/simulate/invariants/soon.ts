/**
 * What is so of some objects is soon told by others, and what is asked for is soon done: not only in the end, when all is
 * well and much that is wrong cannot be told from what is right. Looked at all through a run, as long as nobody is held up.
 */
import { isDeepStrictEqual } from 'node:util';
import { type Invariant, type Setting, Violation } from './invariant.ts';

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
export const soon = (rule: string, { world, isRuined }: Setting, claimsOf: () => Iterable<Claim>): Invariant => {
  const { clock, mirror } = world;
  /**
   * By claim: what it is, what it should be, and since when that is not so. Whoever has said something else since the last look
   * has looked meanwhile, and what he said may have been so then.
   */
  let open = new Map<string, { is: unknown; should: unknown; since: number }>();
  let looked = -1;
  const look = () => {
    const now = clock.now();
    const patience = world.isDisturbed ? disturbed : undisturbed;
    const next: typeof open = new Map();
    for (const { what, is, should } of claimsOf()) {
      if (isDeepStrictEqual(is, should)) continue;
      const known = open.get(what);
      const isKnown = known && isDeepStrictEqual([known.is, known.should], [is, should]);
      const since = isKnown ? known.since : now;
      next.set(what, { is, should, since });
      if (now - since <= patience) continue;
      const words = [is, should].map((one) => (typeof one === 'string' ? one : JSON.stringify(one)));
      const told = `${what} is ${words[0]} for ${Math.round((now - since) / minute)} minutes, and not ${words[1]}`;
      throw new Violation(rule, told);
    }
    open = next;
  };
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
