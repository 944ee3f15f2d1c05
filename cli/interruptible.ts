/** Tells a user who interrupts a command what goes on without it, and what to run next. */
import { interrupted } from './failure.ts';

const signals = ['SIGINT', 'SIGTERM'] as const;

/** Runs `work`; a signal prints `advice` and ends the process. `advice` may change while it runs. */
export const interruptible = async <T>(advice: () => string, work: () => Promise<T>): Promise<T> => {
  const end = () => {
    process.stderr.write(`\nInterrupted. ${advice()}\n`);
    process.exit(interrupted);
  };
  for (const signal of signals) process.once(signal, end);
  try {
    return await work();
  } finally {
    for (const signal of signals) process.off(signal, end);
  }
};
