/** Everything that can go wrong, by name: the chance of each opportunity, from a mild run to a wild one. */

export interface FaultKind {
  about: string;
  /** Chances of one opportunity. */
  rate: readonly [low: number, high: number];
}

export const catalogue = {
  'worker.crashed': { about: 'a worker dies between two effects', rate: [1e-4, 4e-3] },
  'worker.frozen': {
    about: 'a worker stands still for seconds or minutes, and goes on as if nothing had been',
    rate: [5e-5, 1e-3],
  },
  'worker.late': {
    about: 'a worker goes on when nobody expects it any more, hours later, and after all others are done',
    rate: [1e-5, 3e-4],
  },
  'worker.slow': { about: 'a call takes seconds', rate: [1e-3, 2e-2] },
  'clock.skewed': { about: "a worker's clock goes up to two seconds wrong", rate: [0.3, 1] },
  'api.lost': { about: 'the answer of the API gets lost', rate: [0.01, 0.15] },
  'queue.lost': { about: 'a message is never delivered', rate: [0.005, 0.1] },
  'queue.duplicated': { about: 'a message is delivered twice', rate: [0.01, 0.3] },
  'queue.delayed': { about: 'a message comes minutes late', rate: [0.005, 0.1] },
  'stream.duplicated': { about: 'a batch of changes comes again', rate: [0.01, 0.2] },
  'stream.late': { about: 'changes of one type stay away for minutes, or for hours', rate: [0.002, 0.05] },
  'stream.dropped': { about: 'a batch of changes is given up', rate: [0.001, 0.02] },
  'stream.partial': { about: 'of a batch of changes that was taken, some come again', rate: [0.01, 0.2] },
  'table.throttled': { about: 'the table has no capacity, or another transaction is in the way', rate: [0.002, 0.05] },
  'table.unknown': { about: 'a write may have happened, may not, or happens later', rate: [0.001, 0.03] },
  'table.split': { about: 'queries see the items of a transaction one by one', rate: [0.05, 0.5] },
  'table.paged': { about: 'pages are of a few items', rate: [0.3, 1] },
  'keys.throttled': { about: 'KMS has no capacity', rate: [0.01, 0.2] },
  'cloud.failed': { about: 'a call fails without an effect', rate: [0.002, 0.06] },
  'cloud.lost': { about: 'a call has its effect, and its answer gets lost', rate: [0.002, 0.06] },
  'cloud.throttled': { about: 'a call finds no token', rate: [0.005, 0.1] },
  'cloud.denied': { about: 'an action is not allowed for minutes', rate: [2e-4, 2e-3] },
  'cloud.dark': { about: 'nothing in the region answers for minutes, or for hours', rate: [5e-5, 5e-4] },
  'cloud.capacity': { about: 'a zone has no instances of a type for a while', rate: [0.02, 0.3] },
  'event.lost': { about: 'an event about an instance or an execution is lost', rate: [0.05, 0.5] },
  'event.duplicated': { about: 'such an event comes twice, the second time late', rate: [0.05, 0.5] },
  'workload.unreachable': { about: 'a cluster does not answer for minutes', rate: [5e-4, 5e-3] },
  'workload.failed': { about: 'a cluster answers with an error', rate: [0.002, 0.05] },
  'workload.lost': { about: 'a cluster does what it is asked, and its answer gets lost', rate: [0.002, 0.05] },
  'workload.slow': { about: 'a cluster takes its time to answer', rate: [0.005, 0.1] },
  'machine.silent': { about: 'a machine runs without its network, for up to an hour', rate: [0.05, 0.5] },
  'machine.restarted': { about: 'a machine restarts, be it while it boots', rate: [0.05, 0.5] },
  'machine.denied': { about: 'a machine that boots may not read its secret', rate: [0.02, 0.3] },
  'node.unready': { about: 'a node is not ready, and ready again, and not', rate: [0.05, 0.5] },
  'node.stuck': { about: 'a kubelet reports, and starts and ends no pod', rate: [0.05, 0.5] },
  'workflow.failed': { about: 'the workflow service does nothing, and says so', rate: [0.01, 0.15] },
  'workflow.lost': { about: 'the workflow service does it, and its answer gets lost', rate: [0.01, 0.15] },
  'workflow.repeated': { about: 'an execution is begun again under a name that is taken', rate: [0.05, 0.5] },
  'workflow.stopped': { about: 'somebody stops an execution', rate: [0.01, 0.1] },
  'cloud.stale': { about: 'reads do not see for a while what a call has done', rate: [0.005, 0.1] },
  'queue.failed': { about: 'a queue takes no message, or hides none, and says so', rate: [0.002, 0.06] },
  'queue.unanswered': { about: 'a queue does what it is asked, and its answer gets lost', rate: [0.002, 0.06] },
  'marker.failed': { about: 'the mark in the account can be neither read nor written', rate: [0.005, 0.2] },
  'marker.lost': { about: 'the mark is written, and the answer gets lost', rate: [0.005, 0.2] },
  'switch.failed': { about: 'what polls and fires cannot be switched on or off', rate: [0.05, 0.5] },
  'switch.lost': { about: 'what polls and fires is switched, and the answer gets lost', rate: [0.05, 0.5] },
  'identity.failed': { about: 'whoever vouches for an identity does not answer', rate: [0.02, 0.3] },
  'table.hot': { about: 'a partition key serves a few dozen writes a second', rate: [0.3, 1] },
} as const satisfies Record<string, FaultKind>;

export type FaultName = keyof typeof catalogue;
export const faultNames = Object.keys(catalogue) as FaultName[];

/** Those that are over when it is tried again, or that do the same twice: nobody is lost, or goes without news for long. */
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
];
