/** What things are called: an installation's names begin with its own, so that several fit an account and region. */

import type { DefinitionName } from '../stepfunctions/index.ts';

/** Who works on queues, by what it needs to reach: the worker of each controller in `wiring.ts`, and the housekeeping. */
export const workerClasses = ['core', 'aws', 'workload', 'gc'] as const;
export type WorkerClass = (typeof workerClasses)[number];

/** `hot` for changes that users wait for, `slow` for resyncs. */
export const speeds = ['hot', 'slow'] as const;
export type Speed = (typeof speeds)[number];

export const functionNames = [
  'api',
  'watch',
  'dispatch',
  'reconcile-core',
  'reconcile-aws',
  'reconcile-workload',
  'reconcile-gc',
  'operate',
  'executions',
  'instances',
  'sweep',
  'guard',
] as const;
export type FunctionName = (typeof functionNames)[number];

/** What runs at intervals while there is work: the `run` of each function's event. */
export const scheduleNames = ['sweep', 'resync'] as const;
export type ScheduleName = (typeof scheduleNames)[number];

export const namesOf = (installation: string) => ({
  function: (name: FunctionName) => `${installation}-${name}`,
  queue: (worker: WorkerClass, speed: Speed) => `${installation}-${worker}-${speed}`,
  deadLetters: `${installation}-dead`,
  lostChanges: `${installation}-lost-changes`,
  stateMachine: (definition: string) => `${installation}-${definition}`,
  api: installation,
  // Not the installation's own name: one that is called `default` would meet a group that is there in each account.
  scheduleGroup: `${installation}-schedules`,
  schedule: (name: ScheduleName) => `${installation}-${name}`,
  /** The rule that delivers the state changes of instances. */
  instanceRule: `${installation}-instances`,
  log: (name: string) => `/capstan/${installation}/${name}`,
  /** The prefix keeps the account's log policy short: AWS writes one entry for all that begin with it. */
  workflowLog: (name: DefinitionName) => `/aws/vendedlogs/states/capstan/${installation}/${name}`,
  /** Where an installation notes in the account how far it has come. */
  mark: `/capstan/${installation}/mark`,
});
export type Names = ReturnType<typeof namesOf>;

/** Where the template of an installation keeps the context that it was made with. */
export const contextMetadata = 'capstan.dev/context';
