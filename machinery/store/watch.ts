import { expired } from '../api/errors.ts';
import { type Item, sleep } from '../ports.ts';
import { objectOf } from './body.ts';
import type { StoreContext } from './context.ts';
import { isSeal } from './items.ts';
import { times } from './rules.ts';
import { awakeHead, settle } from './settle.ts';
import type { Change, WatchItem } from './store.ts';
import { type Tail, tailReader } from './tail.ts';

/** Slots read at once. */
const stride = 1000;

const changeOf = async (context: StoreContext, type: string, slot: Item): Promise<Change> => ({
  position: slot.sk as number,
  type: slot.event as Change['type'],
  object: await objectOf(context, type, slot),
  ...(slot.labelsBefore !== undefined && { previousLabels: slot.labelsBefore as Record<string, string> }),
});

/** Every change after `position` in order. Throws 410 when one of them may be forgotten already. */
export async function* watch(
  context: StoreContext,
  type: string,
  position: number,
  signal: AbortSignal,
): AsyncGenerator<WatchItem> {
  const { clock, notifier, rules } = context;
  const reader = tailReader(context, type);
  const tooOld = (current: number) => expired(`too old resource version: ${position} (${current})`);
  let at = position;
  let told = clock.now();
  let blockedRounds = 0;
  // Only from a settled position is it known that nothing before it is missing.
  let proven = false;

  const look = async (): Promise<Tail> => {
    const head = await awakeHead(context, type);
    if (at > head.n) throw tooOld(head.n);
    proven ||= at <= head.settled;
    // A thousand later tickets count as a filled slot: whoever is that late has to start again.
    const to = Math.min(head.n, at + stride);
    const tail: Tail =
      to > at
        ? await reader.round(at, { to, least: to < head.n ? to : at, settled: head.settled })
        : { run: [], end: at, blocked: false };
    if (tail.end === at && at < head.settled && rules.watchHorizon) throw tooOld(head.n);
    if (proven && tail.end > head.settled) await settle(context, type, head, tail.end, tail.run);
    return tail;
  };
  const forgotten = (slot: Item) =>
    rules.watchHorizon && (slot.expired === true || clock.now() - (slot.at as number) > times.watchHorizon);

  while (!signal.aborted) {
    const turn = new AbortController();
    const either = AbortSignal.any([signal, turn.signal]);
    // Asked before looking, so that nothing committed in between goes unnoticed.
    const changed = notifier.wait(type, Math.min(context.poll, times.bookmark), either);
    const { run, blocked } = await look();
    for (const slot of run) {
      if (forgotten(slot)) throw tooOld(slot.sk as number);
      at = slot.sk as number;
      if (isSeal(slot)) continue;
      yield await changeOf(context, type, slot);
      if (signal.aborted) break;
    }
    if (clock.now() - told >= times.bookmark) {
      told = clock.now();
      yield { position: at, type: 'BOOKMARK' };
    }
    blockedRounds = blocked ? blockedRounds + 1 : 0;
    const again = Math.min(20 * 2 ** blockedRounds, 250);
    if (blocked) await Promise.race([changed, sleep(clock, again, either)]);
    else if (run.length === 0) await changed;
    turn.abort();
  }
}
