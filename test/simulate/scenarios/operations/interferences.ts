/** What users and accidents do to the workflow, the machines and the spec of any running operation. */
import type { ActionName } from '../actions.ts';

export const interferences = [
  'cancel the operation',
  'stop the execution',
  'lose a token',
  'start a task twice',
  'crash a task',
  'pause',
  'scale workers',
  'delete a machine',
  'terminate an instance',
] satisfies readonly ActionName[];
