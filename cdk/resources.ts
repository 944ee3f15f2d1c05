/** What functions reach, as ARNs: those with names of their own are known before they are made, so that nothing waits in a circle. */
import type { DefinitionName } from '../stepfunctions/index.ts';
import type { FunctionName, ScheduleName, Speed, WorkerClass } from './names.ts';

export interface Resources {
  installation: string;
  partition: string;
  region: string;
  account: string;
  tables: { objects: string; work: string };
  /** The stream of the objects' table. */
  stream: string;
  key: string;
  queues: Record<WorkerClass, Record<Speed, string>>;
  deadLetters: string;
  functions: Record<FunctionName, string>;
  /** None when the deployment is without workflows. */
  stateMachines: Partial<Record<DefinitionName, string>>;
  /** The parameter that holds the installation's mark. */
  mark: string;
  schedules: Record<ScheduleName, string>;
  /** The role that the scheduler invokes functions under; who updates a schedule passes it. */
  schedulerRole: string;
  /** The mappings of the queues to functions, which are switched off while there is nothing to do. */
  mappings: readonly string[];
  /** The roles that instances may be given. */
  nodeRoles: readonly string[];
}
