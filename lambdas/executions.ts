/** Handles the end of workflow executions, whatever their outcome. */
import { executionEvent, operationOf } from '../adapters/aws/lambda/events.ts';
import { handles } from './handle.ts';
import { createOperating, type Operating } from './runtime/operating.ts';
import { switching } from './runtime/switching.ts';

export const executes = (runtime: () => Operating) =>
  handles(executionEvent, {
    runtime,
    about: ({ detail }) => ({ execution: detail.executionArn }),
    run: async (operating, event) => {
      const { status } = event.detail;
      if (status === 'RUNNING' || status === 'PENDING_REDRIVE') return;
      await operating.ended(operationOf(event));
    },
  });

export const handler = executes(switching(createOperating));
