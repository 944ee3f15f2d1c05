/** Log entries of objects from DynamoDB's stream. */

import type { Log } from '../../../machinery/ports.ts';
import { type LogEntry, logEntryOf } from '../../../machinery/store/index.ts';
import { type AttributeValue, fromDynamo } from '../dynamodb/value.ts';
import type { StreamEvent } from './events.ts';

type Streamed = StreamEvent['Records'][number];

export interface StreamAnswer {
  batchItemFailures: { itemIdentifier: string }[];
}

/** In JSON bytes are base64. Only bodies are bytes, and dispatch does not read them. */
const withoutBytes = (image: Record<string, Record<string, unknown>>): Record<string, AttributeValue> =>
  Object.fromEntries(
    Object.entries(image).flatMap(([name, value]) =>
      'B' in value ? [] : [[name, value as unknown as AttributeValue]],
    ),
  );

/** Undefined for other items, seals and expirations. */
export const entryOf = ({ eventName, dynamodb: { NewImage } }: Streamed): LogEntry | undefined =>
  eventName === 'INSERT' && NewImage ? logEntryOf(fromDynamo(withoutBytes(NewImage))) : undefined;

export interface ConsumeEntriesOptions {
  dispatch: (entry: LogEntry) => Promise<void>;
  /** Receives the entries that were dispatched. */
  note?: (entries: readonly LogEntry[]) => Promise<void>;
  log: Log;
  /** Whether too little time is left for another entry. */
  isLate?: () => boolean;
}

/**
 * Processes entries in stream order. After a failure the rest is skipped: the mapping retries from the lowest
 * reported entry.
 */
export const consumeEntries = async (
  { Records }: StreamEvent,
  { dispatch, note, log, isLate = () => false }: ConsumeEntriesOptions,
): Promise<StreamAnswer> => {
  const dispatched: LogEntry[] = [];
  const consume = async (): Promise<StreamAnswer> => {
    for (const [index, record] of Records.entries()) {
      const itemIdentifier = record.dynamodb.SequenceNumber;
      // A timeout in the middle would redeliver the whole batch, and time out again.
      if (index > 0 && isLate()) return { batchItemFailures: [{ itemIdentifier }] };
      try {
        const entry = entryOf(record);
        if (!entry) continue;
        await dispatch(entry);
        dispatched.push(entry);
      } catch (error) {
        log.error('Change not dispatched', { sequenceNumber: itemIdentifier, error });
        return { batchItemFailures: [{ itemIdentifier }] };
      }
    }
    return { batchItemFailures: [] };
  };
  const answer = await consume();
  try {
    await note?.(dispatched);
  } catch (error) {
    // The sweep dispatches them once more.
    log.error('Dispatched changes not noted', { error });
  }
  return answer;
};
