import type { Clock } from '../../machinery/ports.ts';

/** Longer delays overflow the runtime's timers. */
const longestTimer = 2 ** 31 - 1;

/** Real time. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after: (ms, wake) => {
    const until = Date.now() + ms;
    let timer: NodeJS.Timeout;
    const arm = () => {
      const left = Math.max(0, until - Date.now());
      timer = setTimeout(() => (left > longestTimer ? arm() : wake()), Math.min(left, longestTimer));
    };
    arm();
    return () => clearTimeout(timer);
  },
};
