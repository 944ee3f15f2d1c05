/** Events of the sweep, in a separate file, because only they need the library's unions. */
import * as z from 'zod/mini';
import { once } from '../../../machinery/once.ts';

const scheduleEvent = () => z.object({ run: z.enum(['sweep', 'resync']) });
/** SNS delivers one message at a time. */
const topicEvent = () => z.object({ Records: z.tuple([z.object({ Sns: z.object({ Message: z.string() }) })]) });
/** From a schedule, or from the topic of discarded changes. */
export const sweepEvent = once(() => z.union([scheduleEvent(), topicEvent()]));

const givenUpBatch = once(() =>
  z.object({ DDBStreamBatchInfo: z.object({ approximateArrivalOfLastRecord: z.string() }) }),
);
/**
 * When the last of the discarded changes arrived: milliseconds since the epoch, to the second. Throws if the
 * message lacks it.
 */
export const lastRecordTimeOf = (message: string): number =>
  Date.parse(givenUpBatch().parse(JSON.parse(message)).DDBStreamBatchInfo.approximateArrivalOfLastRecord);
