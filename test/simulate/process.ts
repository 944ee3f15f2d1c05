/** A process that runs what it is sent, one run after the other; `processes.ts` starts it. */

import { simulateTwice } from './determinism.ts';
import { type RunOptions, simulate } from './simulation.ts';

process.on('message', async ({ isTwice, ...options }: RunOptions & { isTwice: boolean }) => {
  const outcome = await (isTwice ? simulateTwice : simulate)(options);
  // Of what held nobody reads the story.
  process.send!(outcome.failure ? outcome : { ...outcome, story: [] });
});

// A terminal interrupts whoever runs in it: the first time only the parent acts on it.
process.once('SIGINT', () => {});
// Nobody waits for what it would answer any more.
process.once('disconnect', () => process.exit());
