/** The Step Functions port, with the service's names. */
import type { JsonObject } from '../../machinery/api/object.ts';

export type Execution = {
  status: 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'TIMED_OUT' | 'ABORTED';
  error?: string;
  cause?: string;
};
type ExecutionId = {
  /** Name of the state machine. */
  definition: string;
  name: string;
};

export interface WorkflowsReads {
  /** Absent when no execution of that name was ever started. */
  DescribeExecution: [ExecutionId, Execution];
}
export interface WorkflowsEffects {
  /** A name that was used before counts as success. At most 80 characters. */
  StartExecution: ExecutionId & { input: JsonObject };
  /** Stopping an ended or unknown execution counts as success. */
  StopExecution: ExecutionId & { error: string; cause: string };
}
