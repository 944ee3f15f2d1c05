import { expired } from '../api/errors.ts';
import type { StoreContext } from './context.ts';
import { noteRead } from './recent.ts';
import { awakeHead, settle } from './settle.ts';
import { type Tail, tailReader } from './tail.ts';

/** Slots in one read. */
const stride = 1000;

export const tooOldVersion = (position: number, current: number) =>
  expired(`too old resource version: ${position} (${current})`);

/**
 * Reads a log forward, first from `position`, then from the end of the previous read. Throws 410
 * when a later slot may have expired, or the log never reached that position.
 */
export const followLog = (
  context: StoreContext,
  type: string,
  position: number,
): ((after: number) => Promise<Tail>) => {
  const reader = tailReader(context, type);
  // Only a settled position proves that no earlier slot is missing.
  let isProven = false;

  return async (after) => {
    const head = await awakeHead(context, type);
    if (after > head.n) throw tooOldVersion(position, head.n);
    isProven ||= after <= head.settled;
    // A slot is decided once a thousand later tickets exist, so a reader that far behind has to start
    // again.
    const to = Math.min(head.n, after + stride);
    const least = to < head.n ? to : after;
    const nothing: Tail = { run: [], end: after, blocked: false };
    const tail = to > after ? await reader.round(after, { ...head, to, least }) : nothing;
    if (tail.end === after && after < head.settled && context.rules.watchHorizon) throw tooOldVersion(position, head.n);
    if (isProven) noteRead(context, type, after, tail);
    if (isProven && tail.end > head.settled) await settle(context, type, head, tail.end, tail.run);
    return tail;
  };
};
