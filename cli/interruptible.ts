/** Tells a user who interrupts a command what goes on without it, and what to run next. */
import { interrupted } from './failure.ts';

/** The last one is sent by a terminal that is closed. */
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export type Advise = (advice: string) => void;

/**
 * Runs `work`; a signal prints the advice of that moment and ends the process. Advice is due before each
 * effect, because the signal may come within it.
 */
export const interruptible = async <T>(first: string, work: (advise: Advise) => Promise<T>): Promise<T> => {
  let advice = first;
  const end = () => {
    process.stderr.write(`\nInterrupted. ${advice}\n`);
    process.exit(interrupted);
  };
  for (const signal of signals) process.once(signal, end);
  try {
    return await work((next) => {
      advice = next;
    });
  } finally {
    for (const signal of signals) process.off(signal, end);
  }
};
