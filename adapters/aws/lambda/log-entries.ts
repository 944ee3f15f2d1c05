/** The objects' log as DynamoDB's stream tells it. */

import type { Log } from '../../../machinery/ports.ts';
import { type LogEntry, logEntryOf } from '../../../machinery/store/index.ts';
import { type AttributeValue, fromDynamo } from '../dynamodb/value.ts';
import type { StreamEvent } from './events.ts';

type Streamed = StreamEvent['Records'][number];

export interface StreamAnswer {
  batchItemFailures: { itemIdentifier: string }[];
}

/** In JSON, bytes are base64; the only ones are bodies, which nobody here reads. */
const withoutBytes = (image: Record<string, Record<string, unknown>>): Record<string, AttributeValue> =>
  Object.fromEntries(
    Object.entries(image).flatMap(([name, value]) =>
      'B' in value ? [] : [[name, value as unknown as AttributeValue]],
    ),
  );

/** Undefined for whatever is no change of an object: other items, seals, and what time removes. */
export const entryOf = ({ eventName, dynamodb: { NewImage } }: Streamed): LogEntry | undefined =>
  eventName === 'INSERT' && NewImage ? logEntryOf(fromDynamo(withoutBytes(NewImage))) : undefined;

export interface ConsumeEntriesOptions {
  dispatch: (entry: LogEntry) => Promise<void>;
  log: Log;
  /** Whether there is no time for another one. */
  isLate?: () => boolean;
}

/**
 * One after the other, as they are in the stream. Where one fails the rest is left: the mapping begins again with the
 * lowest that is named.
 */
export const consumeEntries = async (
  { Records }: StreamEvent,
  { dispatch, log, isLate = () => false }: ConsumeEntriesOptions,
): Promise<StreamAnswer> => {
  for (const [index, record] of Records.entries()) {
    const itemIdentifier = record.dynamodb.SequenceNumber;
    // Cut off in the middle, all of them would be given again, and end in the middle again.
    if (index > 0 && isLate()) return { batchItemFailures: [{ itemIdentifier }] };
    try {
      const entry = entryOf(record);
      if (entry) await dispatch(entry);
    } catch (error) {
      log.error('Change not dispatched', { sequenceNumber: itemIdentifier, error });
      return { batchItemFailures: [{ itemIdentifier }] };
    }
  }
  return { batchItemFailures: [] };
};
