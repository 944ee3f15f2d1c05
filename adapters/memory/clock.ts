import type { Clock } from '../../machinery/ports.ts';

/** Longer delays overflow the runtime's timers. */
const longestTimer = 2 ** 31 - 1;

/** Milliseconds for which work may hold the event loop. */
const longestTurn = 5;

const createYield = (): NonNullable<Clock['yield']> => {
  let began = performance.now();
  return () => {
    if (performance.now() - began < longestTurn) return undefined;
    return new Promise((resolve) =>
      setImmediate(() => {
        began = performance.now();
        resolve();
      }),
    );
  };
};

/** Real time. */
export const systemClock: Clock = {
  now: () => Date.now(),
  yield: createYield(),
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
