/** The task that every state of the workflows names. */
import { taskEvent } from '../adapters/aws/lambda/events.ts';
import { once } from '../machinery/once.ts';
import { baseEnvironment } from './environment.ts';
import { handles } from './handle.ts';
import { foundationOf } from './runtime/doors.ts';
import { createOperating, type Operating } from './runtime/operating.ts';

export const operates = (runtime: () => Operating) =>
  handles(taskEvent, {
    runtime,
    about: ({ task, operation: { namespace, name } }) => ({ task, ClusterOperation: `${namespace}/${name}` }),
    run: (operating, event) => operating.operate(event),
  });

export const handler = operates(once(() => createOperating(foundationOf(baseEnvironment(process.env)))));
