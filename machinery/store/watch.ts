import { expired } from '../api/errors.ts';
import { type Item, sleep } from '../ports.ts';
import { objectOf } from './body.ts';
import type { StoreContext } from './context.ts';
import { isSeal } from './items.ts';
import { times } from './rules.ts';
import { awakeHead, settle } from './settle.ts';
import type { Change, WatchItem } from './store.ts';
import { type Tail, tailReader } from './tail.ts';

/** One for all turns: an error of its own, with its stack, would be made for each. */
const turnIsOver = new DOMException('The turn of a watch is over', 'AbortError');

/** Slots read at once. */
const stride = 1000;

const changeOf = async (context: StoreContext, type: string, slot: Item): Promise<Change> => ({
  position: slot.sk as number,
  type: slot.event as Change['type'],
  object: await objectOf(context, type, slot),
  ...(slot.labelsBefore !== undefined && { previousLabels: slot.labelsBefore as Record<string, string> }),
});

/** Reads on in a log from where it was. Throws 410 when something behind that place may be forgotten already. */
const follower = (context: StoreContext, type: string, position: number) => {
  const { clock, rules } = context;
  const reader = tailReader(context, type);
  const tooOld = (current: number) => expired(`too old resource version: ${position} (${current})`);
  const isForgotten = (slot: Item) =>
    rules.watchHorizon && (slot.expired === true || clock.now() - (slot.at as number) > times.watchHorizon);
  // Only from a settled position is it known that nothing before it is missing.
  let isProven = false;

  const look = async (after: number): Promise<Tail> => {
    const head = await awakeHead(context, type);
    if (after > head.n) throw tooOld(head.n);
    isProven ||= after <= head.settled;
    // A thousand later tickets count as a filled slot: whoever is that late has to start again.
    const to = Math.min(head.n, after + stride);
    const least = to < head.n ? to : after;
    const nothing: Tail = { run: [], end: after, blocked: false };
    const tail = to > after ? await reader.round(after, { ...head, to, least }) : nothing;
    if (tail.end === after && after < head.settled && rules.watchHorizon) throw tooOld(head.n);
    if (isProven && tail.end > head.settled) await settle(context, type, head, tail.end, tail.run);
    return tail;
  };
  const demand = (slot: Item): Item => {
    if (isForgotten(slot)) throw tooOld(slot.sk as number);
    return slot;
  };
  return { look, demand };
};

/** When a watch of what ends by itself is over: nothing tells its reader of an end but a new list. */
const renewalOf = ({ clock, kindOf }: StoreContext, type: string): number => {
  const { endsAfter } = kindOf(type) ?? {};
  if (endsAfter === undefined) return Number.POSITIVE_INFINITY;
  const period = endsAfter * 1000;
  return (Math.floor(clock.now() / period) + 1) * period;
};

/**
 * Every change after `position` in order. Throws 410 when one of them may be forgotten already, and whenever the time
 * that objects of the type last is over, at the same moment for all.
 */
export async function* watch(
  context: StoreContext,
  type: string,
  position: number,
  signal: AbortSignal,
): AsyncGenerator<WatchItem> {
  const { clock, notifier } = context;
  const { look, demand } = follower(context, type, position);
  let at = position;
  let told = clock.now();
  const renewal = renewalOf(context, type);
  let blockedRounds = 0;
  let turn = new AbortController();
  const stop = () => turn.abort(turnIsOver);
  signal.addEventListener('abort', stop);
  try {
    while (!signal.aborted) {
      if (clock.now() >= renewal) throw expired(`resource version ${at} may show what has ended`);
      turn = new AbortController();
      // Asked before looking, so that nothing committed in between goes unnoticed.
      const changed = notifier.wait(type, Math.min(context.poll, times.bookmark), turn.signal);
      const { run, blocked } = await look(at);
      for (const slot of run) {
        at = demand(slot).sk as number;
        if (isSeal(slot)) continue;
        yield await changeOf(context, type, slot);
        if (signal.aborted) return;
      }
      if (clock.now() - told >= times.bookmark) {
        told = clock.now();
        yield { position: at, type: 'BOOKMARK' };
      }
      blockedRounds = blocked ? blockedRounds + 1 : 0;
      const again = Math.min(20 * 2 ** blockedRounds, 250);
      if (blocked) await Promise.race([changed, sleep(clock, again, turn.signal)]);
      else if (run.length === 0) await changed;
      turn.abort(turnIsOver);
    }
  } finally {
    signal.removeEventListener('abort', stop);
    turn.abort(turnIsOver);
  }
}
