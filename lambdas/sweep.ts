/** Runs on schedules while the installation is awake, and for discarded changes: finds lost work and resyncs. */
import { lastRecordTimeOf, sweepEvent } from '../adapters/aws/lambda/sweep-events.ts';
import { handles } from './handle.ts';
import { changesOf } from './runtime/changes.ts';
import { createSweeping, type Sweeping } from './runtime/sweeping.ts';
import { switching } from './runtime/switching.ts';

export const sweeps = (runtime: () => Sweeping) =>
  handles(sweepEvent, {
    runtime,
    about: (event) => ({ run: 'run' in event ? event.run : 'recover' }),
    run: (sweeping, event) =>
      'run' in event ? sweeping[event.run]() : sweeping.recover(lastRecordTimeOf(event.Records[0].Sns.Message)),
  });

export const handler = sweeps(
  switching((foundation, switches, environment) =>
    createSweeping(foundation, switches, changesOf(environment, foundation)),
  ),
);
