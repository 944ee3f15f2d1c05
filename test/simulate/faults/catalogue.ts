/**
 * The faults by name. Each has a probability for every opportunity, from a mild run to a wild one.
 */

export interface FaultKind {
  about: string;
  /** The probability of the fault at one opportunity. */
  rate: readonly [low: number, high: number];
}

export const catalogue = {
  'worker.crashed': { about: 'a worker dies between two effects', rate: [1e-4, 4e-3] },
  'worker.frozen': {
    about: 'a worker freezes for seconds or minutes, and then resumes',
    rate: [5e-5, 1e-3],
  },
  'worker.late': {
    about: 'a worker freezes, and resumes hours later, after all other work has ended',
    rate: [1e-5, 3e-4],
  },
  'worker.slow': { about: 'a call takes seconds', rate: [1e-3, 2e-2] },
  'clock.skewed': { about: "a worker's clock is wrong by up to two seconds", rate: [0.3, 1] },
  'api.lost': { about: 'an answer of the API is lost', rate: [0.01, 0.15] },
  'queue.lost': { about: 'a message is never delivered', rate: [0.005, 0.1] },
  'queue.duplicated': { about: 'a message is delivered twice', rate: [0.01, 0.3] },
  'queue.delayed': { about: 'a message arrives minutes late', rate: [0.005, 0.1] },
  'stream.duplicated': { about: 'a stream batch is delivered twice', rate: [0.01, 0.2] },
  'stream.late': { about: 'stream records of one type are late by minutes or hours', rate: [0.002, 0.05] },
  'stream.dropped': { about: 'a stream batch is dropped after its last retry', rate: [0.001, 0.02] },
  'stream.partial': { about: 'some records of a processed stream batch are delivered again', rate: [0.01, 0.2] },
  'table.throttled': { about: 'the table is throttled, or a transaction conflicts', rate: [0.002, 0.05] },
  'table.unknown': { about: 'a write has an unknown outcome: done, not done, or done later', rate: [0.001, 0.03] },
  'table.split': { about: 'queries see a transaction item by item', rate: [0.05, 0.5] },
  'table.paged': { about: 'query pages hold only a few items', rate: [0.3, 1] },
  'keys.throttled': { about: 'KMS is throttled', rate: [0.01, 0.2] },
  'cloud.failed': { about: 'an AWS call fails without effect', rate: [0.002, 0.06] },
  'cloud.lost': { about: 'an AWS call takes effect, but its answer is lost', rate: [0.002, 0.06] },
  'cloud.throttled': { about: 'an AWS call is throttled', rate: [0.005, 0.1] },
  'cloud.denied': { about: 'an AWS action is denied for minutes', rate: [2e-4, 2e-3] },
  'cloud.dark': { about: 'the region does not answer for minutes or hours', rate: [5e-5, 5e-4] },
  'cloud.capacity': { about: 'a zone lacks capacity for an instance type', rate: [0.02, 0.3] },
  'event.lost': { about: 'an event about an instance or an execution is lost', rate: [0.05, 0.5] },
  'event.duplicated': { about: 'such an event is delivered twice, the second time late', rate: [0.05, 0.5] },
  'workload.unreachable': { about: 'a cluster does not answer for minutes', rate: [5e-4, 5e-3] },
  'workload.failed': { about: 'a cluster answers with an error', rate: [0.002, 0.05] },
  'workload.lost': { about: 'a request to a cluster takes effect, but its answer is lost', rate: [0.002, 0.05] },
  'workload.slow': { about: 'a cluster answers slowly', rate: [0.005, 0.1] },
  'machine.silent': { about: 'a machine loses its network for up to an hour', rate: [0.05, 0.5] },
  'machine.restarted': { about: 'a machine restarts, even while it boots', rate: [0.05, 0.5] },
  'machine.denied': { about: 'a booting machine is denied its secret', rate: [0.02, 0.3] },
  'node.unready': { about: 'a Node flaps between ready and not ready', rate: [0.05, 0.5] },
  'node.stuck': { about: 'a kubelet sends heartbeats, but neither starts nor ends pods', rate: [0.05, 0.5] },
  'workflow.failed': { about: 'a call of the workflow service fails without effect', rate: [0.01, 0.15] },
  'workflow.lost': { about: 'a call of the workflow service takes effect, but its answer is lost', rate: [0.01, 0.15] },
  'workflow.repeated': { about: 'an execution is started again under the same name', rate: [0.05, 0.5] },
  'workflow.stopped': { about: 'a user stops an execution', rate: [0.01, 0.1] },
  'cloud.stale': { about: 'AWS reads are stale for a while after a write', rate: [0.005, 0.1] },
  'queue.failed': { about: 'a queue call fails without effect', rate: [0.002, 0.06] },
  'queue.unanswered': { about: 'a queue call takes effect, but its answer is lost', rate: [0.002, 0.06] },
  'marker.failed': { about: 'the account marker can be neither read nor written', rate: [0.005, 0.2] },
  'marker.lost': { about: 'the account marker is written, but the answer is lost', rate: [0.005, 0.2] },
  'switch.failed': { about: 'event source mappings and schedules cannot be enabled or disabled', rate: [0.05, 0.5] },
  'switch.lost': {
    about: 'event source mappings and schedules are switched, but the answer is lost',
    rate: [0.05, 0.5],
  },
  'identity.failed': { about: 'STS or the OpenID provider does not answer', rate: [0.02, 0.3] },
  'table.hot': { about: 'a partition key serves a few dozen writes a second', rate: [0.3, 1] },
  'report.refused': { about: "a report of a cluster's API server is throttled", rate: [0.01, 0.3] },
  'report.lost': { about: 'such a report is lost', rate: [0.05, 0.5] },
  'report.duplicated': { about: 'such a report is delivered twice', rate: [0.05, 0.5] },
  'report.late': { about: 'such a report arrives minutes late', rate: [0.05, 0.5] },
} as const satisfies Record<string, FaultKind>;

export type FaultName = keyof typeof catalogue;
export const faultNames = Object.keys(catalogue) as FaultName[];

/**
 * Faults that a retry overcomes or that repeat an action. None of them stops a worker or withholds
 * an event for long.
 */
export const passing: readonly FaultName[] = [
  'clock.skewed',
  'api.lost',
  'queue.duplicated',
  'queue.failed',
  'queue.unanswered',
  'stream.duplicated',
  'stream.partial',
  'table.throttled',
  'table.unknown',
  'table.split',
  'table.paged',
  'table.hot',
  'keys.throttled',
  'cloud.failed',
  'cloud.lost',
  'cloud.throttled',
  'cloud.stale',
  'event.duplicated',
  'workload.failed',
  'workload.lost',
  'workload.slow',
  'workflow.failed',
  'workflow.lost',
  'marker.failed',
  'marker.lost',
  'switch.failed',
  'switch.lost',
  'identity.failed',
  'report.refused',
  'report.duplicated',
];
