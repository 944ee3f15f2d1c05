/** What kinds ask of Step Functions, by its own names. */
import type { JsonObject } from '../../machinery/api/object.ts';

export interface Execution {
  status: 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'TIMED_OUT' | 'ABORTED';
  error?: string;
  cause?: string;
}
interface ExecutionId {
  /** Name of the state machine. */
  definition: string;
  name: string;
}

export interface WorkflowsReads {
  /** Absent when none of that name was ever started. */
  DescribeExecution: [ExecutionId, Execution];
}
export interface WorkflowsEffects {
  /** A name that was used before is success. At most 80 characters. */
  StartExecution: ExecutionId & { input: JsonObject };
  /** One that has ended, or never was, is success. */
  StopExecution: ExecutionId & { error: string; cause: string };
}
