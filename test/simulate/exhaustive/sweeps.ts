/** The sweeps: for each, every occasion is struck once. */
import { forPeople } from '../boundary.ts';
import type { FaultName } from '../faults/index.ts';

export interface Sweep {
  fault: FaultName;
  /** The calls at which the fault may strike; all of them when absent. */
  at?: RegExp;
  /** Milliseconds until readers see the effect; immediately when absent. */
  lasts?: number;
  /** Milliseconds for which a worker freezes; drawn when absent. */
  still?: number;
}

/** Calls whose effect outlives the worker. */
const effect = [
  'objects\\.(write|transact)',
  'work\\.write',
  'queue\\.(send|hide)',
  'cloud\\.(?!Describe|Get|List)',
  'workload\\.(POST|PUT|PATCH|DELETE)',
  'workload\\.etcd (?!list|status)',
  'workflows\\.(start|stop|succeed|fail)',
  'marker\\.write',
  '(mappings|schedules|slow)\\.(enable|disable)',
].join('|');
const changing = /^(?!Describe|Get|List|GET)/;

export const sweeps = {
  'crash after': { fault: 'worker.crashed', at: new RegExp(`^after (${effect})`) },
  'crash before': { fault: 'worker.crashed', at: new RegExp(`^before (${effect})`) },
  // Long enough to lose leases and to make every read stale.
  'freeze before': {
    fault: 'worker.frozen',
    at: new RegExp(`^before (?!.*${forPeople}$)(${effect})`),
    still: 10 * 60_000,
  },
  'freeze after': { fault: 'worker.frozen', at: new RegExp(`^after (${effect})`) },
  'drop a message': { fault: 'queue.lost' },
  'duplicate a message': { fault: 'queue.duplicated', lasts: 11 * 60_000 },
  'drop a stream batch': { fault: 'stream.dropped' },
  'duplicate a stream batch': { fault: 'stream.duplicated' },
  'drop an event': { fault: 'event.lost' },
  'duplicate an event': { fault: 'event.duplicated' },
  'show a transaction in parts': { fault: 'table.split', lasts: 30_000 },
  'leave the outcome of a write unknown': { fault: 'table.unknown', lasts: 30_000 },
  'read stale data after a call': { fault: 'cloud.stale', lasts: 30_000 },
  'refuse a call': { fault: 'cloud.failed' },
  'lose the answer of a call': { fault: 'cloud.lost' },
  'refuse a request of a cluster': { fault: 'workload.failed' },
  'lose the answer of a cluster': { fault: 'workload.lost', at: changing },
  'refuse a task': { fault: 'workflow.failed' },
  'lose the answer of a task': { fault: 'workflow.lost' },
  'lose the answer of the API': { fault: 'api.lost' },
} as const satisfies Record<string, Sweep>;

export type SweepName = keyof typeof sweeps;
export const sweepNames = Object.keys(sweeps) as SweepName[];
