import type { Clock, Notifier } from '../../machinery/ports.ts';

/** Wakes the waiting readers of this process. */
export const memoryNotifier = (clock: Clock): Notifier => {
  const waiting = new Map<string, Set<() => void>>();
  return {
    notify: (type) => {
      const wakes = waiting.get(type);
      waiting.delete(type);
      for (const wake of wakes ?? []) wake();
    },
    wait: (type, ms, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted) return resolve();
        const wakes = waiting.get(type) ?? new Set();
        waiting.set(type, wakes);
        const wake = () => {
          cancel();
          signal?.removeEventListener('abort', wake);
          wakes.delete(wake);
          resolve();
        };
        const cancel = clock.after(ms, wake);
        signal?.addEventListener('abort', wake, { once: true });
        wakes.add(wake);
      }),
  };
};
