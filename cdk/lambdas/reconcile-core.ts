import { defineLambda, passSeconds } from './lambda.ts';
import { workers } from './workers.ts';

export const reconcileCore = defineLambda({
  entry: 'reconcile/core.ts',
  does: 'workers that need only the store',
  megabytes: 512,
  seconds: passSeconds,
  environment: ['reconciling'],
  kilobytes: { atOnce: 222, all: 2200 },
  // Reads no Secret, even if a reference names one.
  uses: { ...workers('core'), mark: 'read', marks: true },
});
