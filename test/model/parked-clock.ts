import type { Cancel, Clock } from '../../machinery/ports.ts';

interface Timer {
  at: number;
  owner: string;
  wake: () => void;
}

/** A clock for the explorer: it stands still until a step advances it. */
export const parkedClock = (start: number, onWake: (owner: string) => void) => {
  let now = start;
  const timers = new Set<Timer>();
  const fireDue = () => {
    const due = [...timers].filter(({ at }) => at <= now).sort((a, b) => a.at - b.at);
    for (const timer of due) {
      if (!timers.delete(timer)) continue;
      onWake(timer.owner);
      timer.wake();
    }
  };
  return {
    now: () => now,
    /** The clock as one process sees it. */
    of: (owner: string): Clock => ({
      now: () => now,
      after: (ms, wake): Cancel => {
        const timer: Timer = { at: now + Math.max(0, Math.ceil(ms)), owner, wake };
        timers.add(timer);
        return () => timers.delete(timer);
      },
    }),
    forget: (owner: string) => {
      for (const timer of timers) if (timer.owner === owner) timers.delete(timer);
    },
    pass: (ms: number) => {
      now += ms;
      fireDue();
    },
    /** The time until the next timer. */
    next: (): number | undefined => {
      const due = [...timers].map(({ at }) => at);
      return due.length === 0 ? undefined : Math.min(...due) - now;
    },
    fingerprint: () => [now, ...[...timers].map(({ at, owner }) => `${owner}@${at}`).sort()].join(),
  };
};
