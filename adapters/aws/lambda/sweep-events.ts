/** What the function of the sweep is invoked with, in a file of its own: unions are a part of the library that no other event needs. */
import * as z from 'zod/mini';
import { once } from '../../../machinery/once.ts';

const scheduleEvent = () => z.object({ run: z.enum(['sweep', 'resync']) });
/** SNS, one message at a time. */
const topicEvent = () => z.object({ Records: z.tuple([z.object({ Sns: z.object({ Message: z.string() }) })]) });
/** What a schedule sends, and what the topic does that the stream's mapping tells of changes that it gives up. */
export const sweepEvent = once(() => z.union([scheduleEvent(), topicEvent()]));

const givenUpBatch = once(() =>
  z.object({ DDBStreamBatchInfo: z.object({ approximateArrivalOfLastRecord: z.string() }) }),
);
/** When the last of the changes came that were given up: milliseconds since the epoch, to the second. Throws when the message does not say. */
export const arrivalOf = (message: string): number =>
  Date.parse(givenUpBatch().parse(JSON.parse(message)).DDBStreamBatchInfo.approximateArrivalOfLastRecord);
