/** The objects' log, as the table's stream tells it: every change becomes work. */
import { streamEvent } from '../adapters/aws/lambda/events.ts';
import { consumeEntries } from '../adapters/aws/lambda/log-entries.ts';
import { once } from '../machinery/once.ts';
import { dispatchingEnvironment } from './environment.ts';
import { handles } from './handle.ts';
import { createDispatching, type Dispatching } from './runtime/dispatching.ts';
import { foundationOf } from './runtime/doors.ts';
import { switchesOf } from './runtime/switches.ts';

/** Milliseconds: of what is left of the invocation, what one change may take. */
const ending = 20_000;

export const dispatches = (runtime: () => Dispatching) =>
  handles(streamEvent, {
    runtime,
    about: ({ Records }) => ({ records: Records.length }),
    run: ({ dispatch, log }, event, invocation) =>
      consumeEntries(event, { dispatch, log, isLate: () => invocation.getRemainingTimeInMillis() < ending }),
  });

export const handler = dispatches(
  once(() => {
    const environment = dispatchingEnvironment(process.env);
    const foundation = foundationOf(environment);
    return createDispatching(foundation, switchesOf(environment, foundation));
  }),
);
