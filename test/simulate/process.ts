/** A child process that executes runs one after another; `processes.ts` starts it. */

import { simulateTwice } from './determinism.ts';
import { type RunOptions, simulate } from './simulation.ts';

process.on('message', async ({ isTwice, ...options }: RunOptions & { isTwice: boolean }) => {
  const outcome = await (isTwice ? simulateTwice : simulate)(options);
  // Only failed runs report their story.
  process.send!(outcome.failure ? outcome : { ...outcome, story: [] });
});

// A terminal interrupts the child too. Only the parent handles the first interrupt.
process.once('SIGINT', () => {});
// The parent is gone.
process.once('disconnect', () => process.exit());
