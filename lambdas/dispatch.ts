/** Turns changes from the table's stream into work items. */
import { streamEvent } from '../adapters/aws/lambda/events.ts';
import { consumeEntries } from '../adapters/aws/lambda/log-entries.ts';
import { handles } from './handle.ts';
import { createDispatching, type Dispatching } from './runtime/dispatching.ts';
import { switching } from './runtime/switching.ts';

/** Milliseconds before the end of the invocation that are left for one change. */
const ending = 20_000;

export const dispatches = (runtime: () => Dispatching) =>
  handles(streamEvent, {
    runtime,
    about: ({ Records }) => ({ records: Records.length }),
    run: ({ dispatch, note, leave, clock, log }, event, invocation) =>
      consumeEntries(event, {
        dispatch,
        note,
        leave,
        clock,
        log,
        isEnding: () => invocation.getRemainingTimeInMillis() < ending,
      }),
  });

export const handler = dispatches(switching(createDispatching));
