import { expired } from '../api/errors.ts';
import type { StoreContext } from './context.ts';
import { awakeHead, settle } from './settle.ts';
import { type Tail, tailReader } from './tail.ts';

/** Slots read at once. */
const stride = 1000;

export const tooOldVersion = (position: number, current: number) =>
  expired(`too old resource version: ${position} (${current})`);

/**
 * Reads on in a log from where the last look ended; `position` is where the first one begins. Throws 410 when a slot behind
 * that place may be forgotten already, or the place was never reached.
 */
export const followLog = (
  context: StoreContext,
  type: string,
  position: number,
): ((after: number) => Promise<Tail>) => {
  const reader = tailReader(context, type);
  // Only from a settled position is it known that nothing before it is missing.
  let isProven = false;

  return async (after) => {
    const head = await awakeHead(context, type);
    if (after > head.n) throw tooOldVersion(position, head.n);
    isProven ||= after <= head.settled;
    // A thousand later tickets count as a filled slot: a reader that is so late has to start again.
    const to = Math.min(head.n, after + stride);
    const least = to < head.n ? to : after;
    const nothing: Tail = { run: [], end: after, blocked: false };
    const tail = to > after ? await reader.round(after, { ...head, to, least }) : nothing;
    if (tail.end === after && after < head.settled && context.rules.watchHorizon) throw tooOldVersion(position, head.n);
    if (isProven && tail.end > head.settled) await settle(context, type, head, tail.end, tail.run);
    return tail;
  };
};
