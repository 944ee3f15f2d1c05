/** How long rules wait for whoever decided before, or hears late of what has happened. Milliseconds. */
import type { FaultName } from '../faults/index.ts';
import type { Setting } from './rule.ts';

const minute = 60_000;
type Has = Setting['has'];

/** As long as a pass may take, or as long as a worker stands still. */
export const underWay = (has: Has): number => (has('worker.frozen') || has('worker.slow') ? 60 * minute : 3 * minute);

/** Until somebody takes over from a worker that died, too: a message shows again after 130 s, once or twice. */
export const takenOver = (has: Has): number => Math.max(underWay(has), has('worker.crashed') ? 8 * minute : 0);

const news: readonly FaultName[] = ['stream.late', 'stream.dropped', 'queue.lost', 'queue.delayed', 'worker.crashed'];
/** Whether somebody may hear of a change only when he looks by himself. */
export const isHeardLate = (has: Has): boolean => news.some(has);

/** Until everybody knows: what nobody was told of is looked for each hour. */
export const unheard = (has: Has): number => (isHeardLate(has) ? 70 * minute : takenOver(has));
