/**
 * Reports objects whose passes keep failing. Each is one log entry once it has lasted and then one a day, because
 * each entry rings an alarm, which the next object that fails must be able to ring too.
 */
import { keyOf } from '../api/object.ts';
import type { Failure } from '../api/reconcile.ts';
import type { Log } from '../ports.ts';
import type { Outcome } from './work.ts';
import { manyCrashes, type WorkItem, type WorkKey } from './work-item.ts';

/** An alarm of cdk/monitoring counts entries with these words. */
const lastingEntry = 'Passes of an object keep failing';

/** Milliseconds: longer than a throttled or restarting dependency takes. */
const lasting = 30 * 60_000;
const day = 24 * 3_600_000;
/** A pass that stops its worker is repeated once an hour. */
const crashesADay = 24;

/** How often a fault of this age has been reported. */
const reportsAt = (age: number): number => (age < lasting ? 0 : 1 + Math.floor((age - lasting) / day));

const aboutOf = ({ controller, type, ...key }: WorkKey) => ({ controller, type, name: keyOf(key) });

/** Before a pass. */
export const reportCrashes = (log: Log, key: WorkKey, { crashes }: WorkItem): void => {
  if (crashes < manyCrashes || (crashes - manyCrashes) % crashesADay !== 0) return;
  log.error(lastingEntry, {
    ...aboutOf(key),
    crashes,
    message: 'they stop their worker: it runs out of time or memory',
  });
};

const failureIn = (outcome: Outcome): Failure | undefined => {
  if (outcome.ended === 'finished') return outcome.unread;
  return outcome.ended === 'failed' && outcome.consequence !== 'terminal' ? outcome.failure : undefined;
};

/**
 * After a pass. A refusal of the object itself and a workload cluster that does not answer are their
 * user's to mend, who reads the condition.
 */
export const reportLasting = (log: Log, key: WorkKey, { failing }: WorkItem, outcome: Outcome, now: number): void => {
  const failure = failureIn(outcome);
  if (
    !failure ||
    failure.isExternal ||
    !failing ||
    reportsAt(now - failing.since) === reportsAt(failing.at - failing.since)
  )
    return;
  const { operation, code, message } = failure;
  log.error(lastingEntry, { ...aboutOf(key), since: new Date(failing.since).toISOString(), operation, code, message });
};
