/** The parts of a runtime, local or on AWS: the receiver of messages, and the periodic tasks. */
import { isConflict, isNotFound } from '../api/lifecycle.ts';
import { keyOf } from '../api/object.ts';
import type { Clock, Log } from '../ports.ts';
import { concurrently, requestLimit } from './concurrently.ts';
import type { WorkRequest } from './dispatch.ts';
import { consequenceOf, failureOf } from './ports.ts';
import type { Hours } from './resync.ts';
import type { Run, Verdict, Work } from './work.ts';
import { keyOfMessage } from './work-item.ts';

/** A controller as the runtime sees it. */
export interface Runner {
  run: Run;
  /** The types of the objects that it has work items for. */
  types: () => string[];
  /** The periodic resync requests: objects due in these hours, or all. */
  resync?: (hours?: Hours) => Promise<WorkRequest[]>;
}
export type Runners = Record<string, Runner>;

export interface Worker {
  /** `deliveries`: how often this message was delivered, 1 the first time. */
  receive(message: string, deliveries: number): Promise<Verdict>;
  /** Wakes runnable items whose message was lost; runs every ten minutes. */
  sweep(): Promise<void>;
  /** Runs first in a process that starts alone after another one ended abruptly. */
  recover(): Promise<void>;
  /** Whether no work is pending or scheduled. */
  rests(): Promise<boolean>;
  /**
   * Requests passes, with lower priority than users' changes: every hour for objects due in these
   * hours, and for all objects when a process starts.
   */
  resync(hours?: Hours): Promise<void>;
}

export interface WorkerOptions {
  work: Work;
  runners: Runners;
  clock: Pick<Clock, 'now'>;
  log: Log;
}

/** An error is the outcome of a pass, not of its message: only a crash causes a redelivery. */
const recorded =
  (run: Run, { clock, log }: WorkerOptions): Run =>
  async (key, item) => {
    try {
      return await run(key, item);
    } catch (error) {
      // Another writer changed or deleted an object that the pass wanted to write.
      if (isConflict(error) || isNotFound(error)) return { ended: 'conflict' };
      const cause = error instanceof Error ? (error.stack ?? error.message) : String(error);
      log.error('A pass failed', { controller: key.controller, type: key.type, name: keyOf(key), error: cause });
      const failure = failureOf('objects', 'reconcile', error, clock.now());
      return { ended: 'failed', failure, consequence: consequenceOf(error) };
    }
  };

export const createWorker = (options: WorkerOptions): Worker => {
  const { work, runners } = options;
  const each = async (visit: (controller: string, type: string) => Promise<void>) => {
    for (const [controller, { types }] of Object.entries(runners))
      for (const type of types()) await visit(controller, type);
  };
  return {
    receive: async (message, deliveries) => {
      const { timer, want, ...key } = keyOfMessage(message);
      const runner = Object.hasOwn(runners, key.controller) ? runners[key.controller] : undefined;
      // A controller of another release: its own worker finds the work item in its sweep.
      if (!runner) return { do: 'acknowledge' };
      return work.receive(key, { redelivered: deliveries > 1, timer, want }, recorded(runner.run, options));
    },
    sweep: () => each(work.sweep),
    recover: () => each(work.recover),
    rests: async () => {
      let isAtRest = true;
      await each(async (controller, type) => {
        isAtRest &&= await work.rests(controller, type);
      });
      return isAtRest;
    },
    resync: async (hours) => {
      for (const { resync } of Object.values(runners))
        await concurrently(requestLimit, (await resync?.(hours)) ?? [], ({ key, urgent }) =>
          work.request(key, { urgent, slow: true }),
        );
    },
  };
};
