/** The pieces that a runtime, local or on AWS, is composed of: what receives messages, and what runs now and then. */
import { isConflict, isNotFound } from '../api/lifecycle.ts';
import { keyOf } from '../api/object.ts';
import type { Clock, Log } from '../ports.ts';
import { atOnce, requests } from './at-once.ts';
import type { WorkRequest } from './dispatch.ts';
import { consequenceOf, failureOf } from './ports.ts';
import type { Hours } from './resync.ts';
import type { Run, Verdict, Work } from './work.ts';
import { keyOfMessage } from './work-item.ts';

/** One controller as the runtime sees it. */
export interface Runner {
  run: Run;
  /** The types of the objects it has work items for. */
  types: () => string[];
  /** What to look at again now and then, whatever happened: what is due in these hours, or all. */
  resync?: (hours?: Hours) => Promise<WorkRequest[]>;
}
export type Runners = Record<string, Runner>;

export interface Worker {
  /** `deliveries`: how often this message was delivered, 1 the first time. */
  receive(message: string, deliveries: number): Promise<Verdict>;
  /** Wakes what is runnable and was lost: every ten minutes. */
  sweep(): Promise<void>;
  /** Before anything else, in a process that starts alone after another one ended in the middle. */
  recover(): Promise<void>;
  /** Whether there is nothing to do, now or later. */
  rests(): Promise<boolean>;
  /**
   * Asks for passes, behind all that users asked for: every hour over what is due in these hours, and over everything when a
   * process starts.
   */
  resync(hours?: Hours): Promise<void>;
}

export interface WorkerOptions {
  work: Work;
  runners: Runners;
  clock: Pick<Clock, 'now'>;
  log: Log;
}

/** An error is the outcome of a pass, never of its message: only a crash is delivered again. */
const recorded =
  (run: Run, { clock, log }: WorkerOptions): Run =>
  async (key, item) => {
    try {
      return await run(key, item);
    } catch (error) {
      // What a pass wanted to write changed or went away under it.
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
      // Of another release: who has this controller finds the work item in its sweep.
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
        await atOnce(requests, (await resync?.(hours)) ?? [], ({ key, urgent }) =>
          work.request(key, { urgent, slow: true }),
        );
    },
  };
};
