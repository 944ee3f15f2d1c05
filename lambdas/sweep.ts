/** What fires at intervals while there is a Cluster: finds what was lost, and has everything looked at again. */
import { scheduleEvent } from '../adapters/aws/lambda/events.ts';
import { handles } from './handle.ts';
import { createSweeping, type Sweeping } from './runtime/sweeping.ts';
import { switching } from './runtime/switching.ts';

export const sweeps = (runtime: () => Sweeping) =>
  handles(scheduleEvent, {
    runtime,
    about: ({ run }) => ({ run }),
    run: (sweeping, { run }) => sweeping[run](),
  });

export const handler = sweeps(switching(createSweeping));
