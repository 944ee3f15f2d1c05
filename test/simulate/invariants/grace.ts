/** How long a pass may act on an older state, in milliseconds, given the faults of the run. */
import type { FaultName } from '../faults/index.ts';
import type { Setting } from './rule.ts';

const minute = 60_000;
type Has = Setting['has'];

/** As long as a pass takes, or a frozen worker stalls. */
export const underWay = (has: Has): number => (has('worker.frozen') || has('worker.slow') ? 60 * minute : 3 * minute);

/**
 * Also until another worker repeats the pass of one that crashed: SQS redelivers after 130 s, once
 * or twice.
 */
export const takenOver = (has: Has): number => Math.max(underWay(has), has('worker.crashed') ? 8 * minute : 0);

const news: readonly FaultName[] = ['stream.late', 'stream.dropped', 'queue.lost', 'queue.delayed', 'worker.crashed'];
/** Whether a controller may learn of a change only by its resync. */
export const mayMissEvents = (has: Has): boolean => news.some(has);

/** Until every controller knows: lost events are found by the hourly resync. */
export const unheard = (has: Has): number => (mayMissEvents(has) ? 70 * minute : takenOver(has));
