/**
 * The audit log as a log group of CloudWatch Logs. Lambda freezes a process once its handler
 * returns, so a handler awaits `written()` first. Events that the log group does not accept go to
 * the function's own log, so that none is lost.
 */
import {
  type CloudWatchLogsClient,
  CreateLogStreamCommand,
  type InputLogEvent,
  PutLogEventsCommand,
} from '@aws-sdk/client-cloudwatch-logs';
import type { Clock, Log } from '../../../machinery/ports.ts';
import type { Audit } from '../../../machinery/server/audit.ts';

export interface AuditLogOptions {
  client: Pick<CloudWatchLogsClient, 'send'>;
  logGroupName: string;
  /** One stream a process: processes that share a stream share its rate limit. */
  logStreamName: string;
  clock: Pick<Clock, 'now'>;
  log: Log;
  /** Takes the events that the log group does not take: they hold nothing to redact. */
  print?: (line: string) => void;
}

export interface AuditLog {
  audit: Audit;
  /** Resolves when a log holds every event passed so far; never rejects. */
  written(): Promise<void>;
}

/** What one call may carry: bytes with 26 for each event's own, and events. Source: the PutLogEvents API reference. */
const largestBatch = 1_048_576;
const bytesOfEvent = 26;
const mostEvents = 10_000;

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : '');

const batchesOf = (events: readonly InputLogEvent[]): InputLogEvent[][] => {
  const batches: InputLogEvent[][] = [];
  let room = 0;
  for (const event of events) {
    const size = Buffer.byteLength(event.message ?? '') + bytesOfEvent;
    const last = batches.at(-1);
    if (!last || size > room || last.length >= mostEvents) {
      batches.push([event]);
      room = largestBatch - size;
    } else {
      last.push(event);
      room -= size;
    }
  }
  return batches;
};

export const auditLog = ({
  client,
  logGroupName,
  logStreamName,
  clock,
  log,
  print = console.log,
}: AuditLogOptions): AuditLog => {
  let waiting: InputLogEvent[] = [];
  let writing: Promise<void> | undefined;

  const createStream = async (): Promise<void> => {
    try {
      await client.send(new CreateLogStreamCommand({ logGroupName, logStreamName }));
    } catch (error) {
      if (nameOf(error) !== 'ResourceAlreadyExistsException') throw error;
    }
  };
  const put = async (logEvents: InputLogEvent[]): Promise<void> => {
    const command = new PutLogEventsCommand({ logGroupName, logStreamName, logEvents });
    try {
      await client.send(command);
    } catch (error) {
      if (nameOf(error) !== 'ResourceNotFoundException') throw error;
      await createStream();
      await client.send(command);
    }
  };
  const write = async (events: InputLogEvent[]): Promise<void> => {
    try {
      await put(events);
    } catch (error) {
      log.error('Audit events not stored in their log group', { logGroup: logGroupName, error });
      for (const { message } of events) if (message !== undefined) print(message);
    }
  };
  const drain = async (): Promise<void> => {
    while (waiting.length > 0) {
      const events = waiting;
      waiting = [];
      for (const batch of batchesOf(events)) await write(batch);
    }
  };

  return {
    audit: (event) => {
      waiting.push({ timestamp: clock.now(), message: JSON.stringify(event) });
      writing ??= drain().finally(() => {
        writing = undefined;
      });
    },
    written: async () => writing,
  };
};
