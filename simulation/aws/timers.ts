/** Named timers on the account's clock: arming one again replaces it. */
import type { Cancel, Clock } from '../../machinery/ports.ts';

export interface Timers {
  /** Runs `wake` at the given time, or at once when it has passed. */
  at(name: string, time: number, wake: () => void): void;
  cancel(name: string): void;
  armed(name: string): boolean;
  stop(): void;
}

/** Node's timers take at most 2³¹ ms. */
const longest = 2 ** 31 - 1;

export const createTimers = (clock: Clock): Timers => {
  const pending = new Map<string, Cancel>();
  let stopped = false;
  const cancel = (name: string): void => {
    pending.get(name)?.();
    pending.delete(name);
  };
  const at = (name: string, time: number, wake: () => void): void => {
    cancel(name);
    if (stopped) return;
    const wait = Math.max(0, time - clock.now());
    pending.set(
      name,
      clock.after(Math.min(wait, longest), () => {
        pending.delete(name);
        if (wait > longest) at(name, time, wake);
        else wake();
      }),
    );
  };
  return {
    at,
    cancel,
    armed: (name) => pending.has(name),
    stop: () => {
      stopped = true;
      for (const name of [...pending.keys()]) cancel(name);
    },
  };
};
