/** Runs one class of workers on the messages of its queue. */
import { withLogKeys } from '../../adapters/aws/lambda/log.ts';
import { consume, type hideOnSqs, type SqsAnswer, type SqsEvent } from '../../adapters/aws/queue/index.ts';
import { keyOfMessage, type Worker } from '../../machinery/controller/index.ts';
import type { Log } from '../../machinery/ports.ts';
import type { Foundation } from '../../runtime/foundation.ts';
import { composeWorker, type WorkerParts } from '../../runtime/worker.ts';

export interface Reconciling {
  log: Log;
  /** Hides a message for some seconds. */
  hide: ReturnType<typeof hideOnSqs>;
  receive(event: SqsEvent): Promise<SqsAnswer>;
}

export interface MessageOptions {
  hide: ReturnType<typeof hideOnSqs>;
  /** Awaited before the messages count as handled. */
  settled?: () => Promise<void>;
}

/** A worker on the messages of its queue. */
export const onMessages = (
  { receive }: Pick<Worker, 'receive'>,
  { log }: { log: Log },
  { hide, settled }: MessageOptions,
): Reconciling => ({
  log,
  hide,
  receive: (event) =>
    consume(event, {
      receive: (message, deliveries) =>
        withLogKeys({ ...keyOfMessage(message) }, async () => {
          const verdict = await receive(message, deliveries);
          await settled?.();
          return verdict;
        }),
      hide,
      log,
    }),
});

export type ReconcilingOptions = WorkerParts & MessageOptions;

export const createReconciling = (foundation: Foundation, options: ReconcilingOptions): Reconciling =>
  onMessages(composeWorker(foundation, options), foundation, options);
