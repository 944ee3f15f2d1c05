/** Runs the passes that messages ask for. */
import { isConflict, isNotFound } from '../api/lifecycle.ts';
import { keyOf } from '../api/object.ts';
import type { Clock, Log } from '../ports.ts';
import { reportCrashes, reportLasting } from './lasting.ts';
import { consequenceOf, failureOf } from './ports.ts';
import type { Receiver, Runners } from './runtime.ts';
import type { Outcome, Run, Work } from './work.ts';
import { keyOfMessage } from './work-item.ts';

/** How a pass of a controller ended, and how long it took. */
export interface EndedPass {
  controller: string;
  ended: Outcome['ended'];
  seconds: number;
}

export interface ReceiverOptions {
  work: Pick<Work, 'receive'>;
  runners: Runners;
  clock: Pick<Clock, 'now'>;
  log: Log;
  /** Called after each pass. */
  onPass?: (pass: EndedPass) => void;
}

/** An error is the outcome of a pass, not of its message: only a crash causes a redelivery. */
const outcomeOf = async (
  run: Run,
  { clock, log }: ReceiverOptions,
  ...[key, item]: Parameters<Run>
): Promise<Outcome> => {
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

const reported =
  (run: Run, options: ReceiverOptions): Run =>
  async (key, item) => {
    reportCrashes(options.log, key, item);
    const began = options.clock.now();
    const outcome = await outcomeOf(run, options, key, item);
    const seconds = (options.clock.now() - began) / 1000;
    options.onPass?.({ controller: key.controller, ended: outcome.ended, seconds });
    reportLasting(options.log, key, item, outcome, options.clock.now());
    return outcome;
  };

export const createReceiver = (options: ReceiverOptions): Receiver => ({
  receive: async (message, deliveries) => {
    const { work, runners } = options;
    const { timer, want, ...key } = keyOfMessage(message);
    const runner = Object.hasOwn(runners, key.controller) ? runners[key.controller] : undefined;
    // A controller of another release: its own worker finds the work item in its sweep.
    if (!runner) return { do: 'acknowledge' };
    return work.receive(key, { redelivered: deliveries > 1, timer, want }, reported(runner.run, options));
  },
});
