/** Names of resources: all start with the installation's name, so that several installations fit an account and region. */

import type { DefinitionName } from '../stepfunctions/index.ts';
import type { FunctionName } from './lambdas/names.ts';
import type { ScheduleName } from './scheduled.ts';
import type { Speed, WorkerClass } from './worker-classes.ts';

export { type FunctionName, functionNames } from './lambdas/names.ts';
export * from './worker-classes.ts';

export const stackOf = (installation: string): string => `Capstan-${installation}`;
export const monitoringStackOf = (installation: string): string => `${stackOf(installation)}-Monitoring`;

export const namesOf = (installation: string) => ({
  function: (name: FunctionName) => `${installation}-${name}`,
  queue: (worker: WorkerClass, speed: Speed) => `${installation}-${worker}-${speed}`,
  deadLetters: `${installation}-dead`,
  /** The topic of alarms. */
  alarms: `${installation}-alarms`,
  lostChanges: `${installation}-lost-changes`,
  stateMachine: (definition: string) => `${installation}-${definition}`,
  api: installation,
  // Not the installation's own name: each account has a schedule group `default`.
  scheduleGroup: `${installation}-schedules`,
  schedule: (name: ScheduleName) => `${installation}-${name}`,
  /** The rule that delivers the state changes of instances. */
  instanceRule: `${installation}-instances`,
  /** The stack set, and its rule in each further region, that forwards the state changes of instances. */
  forwarding: `${installation}-forwarding`,
  log: (name: string) => `/capstan/${installation}/${name}`,
  /** The prefix keeps the account's log policy short: AWS writes one entry per prefix. */
  workflowLog: (name: DefinitionName) => `/aws/vendedlogs/states/capstan/${installation}/${name}`,
  /** The parameter with the installation's mark in the account. */
  mark: `/capstan/${installation}/mark`,
});
export type Names = ReturnType<typeof namesOf>;

/** The template metadata with the context of the deployment. */
export const contextMetadata = 'capstan.dev/context';
/** The template metadata with the settings that the deployment named. */
export const namedMetadata = 'capstan.dev/named';
/** The type of the custom resource that is created and updated last. */
export const guardType = 'Custom::CapstanGuard';
