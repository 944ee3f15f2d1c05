/** What fires at intervals while there is a Cluster: finds what was lost, and has everything looked at again. */
import { scheduleEvent } from '../adapters/aws/lambda/events.ts';
import { baseEnvironment } from './environment.ts';
import { handles, once } from './handle.ts';
import { foundationOf } from './runtime/doors.ts';
import { createSweeping, type Sweeping } from './runtime/sweeping.ts';

export const sweeps = (runtime: () => Sweeping) =>
  handles(scheduleEvent, {
    runtime,
    about: ({ run }) => ({ run }),
    run: (sweeping, { run }) => sweeping[run](),
  });

export const handler = sweeps(once(() => createSweeping(foundationOf(baseEnvironment(process.env)))));
