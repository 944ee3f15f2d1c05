/** The task function of every workflow state. */
import { taskEvent } from '../adapters/aws/lambda/events.ts';
import { handles } from './handle.ts';
import { createOperating, type Operating } from './runtime/operating.ts';
import { switching } from './runtime/switching.ts';

export const operates = (runtime: () => Operating) =>
  handles(taskEvent, {
    runtime,
    about: ({ task, operation: { namespace, name } }) => ({ task, ClusterOperation: `${namespace}/${name}` }),
    run: (operating, event) => operating.operate(event),
  });

export const handler = operates(switching(createOperating));
