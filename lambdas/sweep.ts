/** What fires at intervals while there is a Cluster: finds what was lost, and has everything looked at again. */
import { scheduleEvent } from '../adapters/aws/lambda/events.ts';
import { once } from '../machinery/once.ts';
import { dispatchingEnvironment } from './environment.ts';
import { handles } from './handle.ts';
import { foundationOf } from './runtime/doors.ts';
import { createSweeping, type Sweeping } from './runtime/sweeping.ts';
import { switchesOf } from './runtime/switches.ts';

export const sweeps = (runtime: () => Sweeping) =>
  handles(scheduleEvent, {
    runtime,
    about: ({ run }) => ({ run }),
    run: (sweeping, { run }) => sweeping[run](),
  });

export const handler = sweeps(
  once(() => {
    const environment = dispatchingEnvironment(process.env);
    const foundation = foundationOf(environment);
    return createSweeping(foundation, switchesOf(environment, foundation));
  }),
);
