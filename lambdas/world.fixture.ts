/** The functions' handlers over memory, with all their ports in this process. */
import { lambdaLog } from '../adapters/aws/lambda/log.ts';
import { memoryKeys } from '../adapters/memory/keys.ts';
import { seededRandom } from '../adapters/memory/random.ts';
import { memoryTable } from '../adapters/memory/table.ts';
import { virtualClock } from '../adapters/memory/virtual-clock.ts';
import { type LogEntry, logEntryOf } from '../machinery/store/index.ts';
import { composeFoundation, type WorkerClass } from '../runtime/foundation.ts';
import type { Invocation } from './handle.ts';

export const invocation: Invocation = {
  awsRequestId: '8476a536-e9f4-11e8-9739-2dfe598c3fcd',
  getRemainingTimeInMillis: () => 60_000,
};

export const createWorld = () => {
  const clock = virtualClock(Date.UTC(2026, 10, 21));
  const random = seededRandom(1);
  const lines: string[] = [];
  const entries: LogEntry[] = [];
  const sent: { worker: WorkerClass; slow: boolean; key: unknown; delay: number }[] = [];
  const foundation = composeFoundation({
    installation: 'here',
    clock,
    random,
    log: lambdaLog({ clock, write: (line) => lines.push(line) }),
    keys: memoryKeys(random),
    objects: memoryTable({
      clock,
      persist: ({ put }) => entries.push(...put.flatMap((item) => logEntryOf(item) ?? [])),
    }),
    work: memoryTable({ clock }),
    queueOf: (worker, slow) => ({
      send: async (message, delay = 0) => {
        sent.push({ worker, slow, key: JSON.parse(message), delay });
      },
    }),
  });
  return { clock, foundation, lines, entries, sent };
};
export type World = ReturnType<typeof createWorld>;
