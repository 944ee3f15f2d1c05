/** The simulated AWS account. */
export {
  type Account,
  type AccountOptions,
  type CallCount,
  createAccount,
  type ListedResource,
} from './account.ts';
export { actionNames } from './actions.ts';
export { type AlarmState, alarmStates } from './alarm.ts';
export { type Behaviour, type BehaviourOptions, type Delays, type Quotas, wellBehaved } from './behaviour.ts';
export type { Fault, FaultSpec, Faults } from './faults.ts';
export { type InstanceTrouble, statusChecks } from './instance-status.ts';
export { zoneNames } from './regions.ts';
export type { Removable } from './removed.ts';
