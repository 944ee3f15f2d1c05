/** Log entries of objects from DynamoDB's stream. */

import type { Clock, Log } from '../../../machinery/ports.ts';
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
  isEnding?: () => boolean;
  /** Leaves an entry to the sweep, which finds that it is not noted. Rejects when no sweep may follow. */
  leave: (entry: LogEntry) => Promise<void>;
  clock: Pick<Clock, 'now'>;
}

/** Milliseconds for which the mapping retries an entry that fails, which holds up those behind it. */
const retention = 600_000;

const ageOf = ({ dynamodb: { NewImage } }: Streamed, now: number): number => now - Number(NewImage?.at?.N ?? now);

/**
 * Processes entries in stream order. After a failure the rest is skipped: the mapping retries from the lowest
 * reported entry. An entry that still fails after that is left to the sweep.
 */
export const consumeEntries = async (
  { Records }: StreamEvent,
  { dispatch, note, log, isEnding = () => false, leave, clock }: ConsumeEntriesOptions,
): Promise<StreamAnswer> => {
  const dispatched: LogEntry[] = [];
  const isLeft = async (entry: LogEntry): Promise<boolean> => {
    try {
      await leave(entry);
      return true;
    } catch {
      return false;
    }
  };
  const consume = async (): Promise<StreamAnswer> => {
    for (const [index, record] of Records.entries()) {
      const itemIdentifier = record.dynamodb.SequenceNumber;
      // A timeout in the middle would redeliver the whole batch, and time out again.
      if (index > 0 && isEnding()) return { batchItemFailures: [{ itemIdentifier }] };
      let entry: LogEntry | undefined;
      try {
        entry = entryOf(record);
        if (!entry) continue;
        await dispatch(entry);
        dispatched.push(entry);
      } catch (error) {
        log.error('Change not dispatched', { sequenceNumber: itemIdentifier, error });
        const isOld = ageOf(record, clock.now()) >= retention;
        if (!(isOld && entry && (await isLeft(entry)))) return { batchItemFailures: [{ itemIdentifier }] };
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
