/** Step Functions in one process: the interpreter of the definitions in stepfunctions/. */

export type { EndedExecution, ListedExecution, LocalWorkflows, WorkflowsOptions } from './workflows.ts';
export { createWorkflows } from './workflows.ts';
