import type { Clock } from '../../machinery/ports.ts';

interface Timer {
  at: number;
  /** Timers of the same time fire in the order in which they were set. */
  order: number;
  wake: () => void;
}

export interface VirtualClock extends Clock {
  /** Advances the time: fires due timers in order, and resolves when no work is left at its end. */
  advance(ms: number): Promise<void>;
  /**
   * Jumps from timer to timer until `done` returns true, no timer is left, or the time reaches `until`.
   * Returns whether `done` did.
   */
  run(done: () => boolean, until?: number): Promise<boolean>;
  /** Number of set timers. */
  readonly pending: number;
}

const earlier = (a: Timer, b: Timer) => a.at < b.at || (a.at === b.at && a.order < b.order);

/** A binary heap, earliest first. */
const timerHeap = () => {
  const heap: Timer[] = [];
  const swap = (a: number, b: number) => {
    [heap[a], heap[b]] = [heap[b]!, heap[a]!];
  };
  return {
    first: () => heap[0],
    push: (timer: Timer) => {
      let index = heap.push(timer) - 1;
      while (index > 0) {
        const parent = (index - 1) >> 1;
        if (!earlier(heap[index]!, heap[parent]!)) break;
        swap(index, parent);
        index = parent;
      }
    },
    pop: () => {
      const last = heap.pop()!;
      if (heap.length === 0) return;
      heap[0] = last;
      for (let index = 0; ; ) {
        let least = index;
        for (const child of [2 * index + 1, 2 * index + 2]) {
          if (child < heap.length && earlier(heap[child]!, heap[least]!)) least = child;
        }
        if (least === index) return;
        swap(index, least);
        index = least;
      }
    },
  };
};

const microtasksAreOver = () => new Promise<void>((resolve) => process.nextTick(resolve));
const immediatesAreOver = () => new Promise<void>((resolve) => setImmediate(resolve));
/** Event loop ticks that running code may need in sequence before it is idle. */
const ticks = 4;
/** Timers between two turns of the event loop, each of which asks the kernel. */
const seldom = 64;

/**
 * Time that advances only on request. Between two timers every promise that can settle does. Code under this
 * clock must not wait for immediates, threads or sockets; then the program alone determines the order of
 * events. Where it must, `outside` waits for such work and reports whether there was any, so that no time
 * passes meanwhile. The rest of the process runs now and then.
 */
export const virtualClock = (start: number, outside?: () => Promise<boolean>): VirtualClock => {
  const heap = timerHeap();
  const cancelled = new Set<Timer>();
  let time = start;
  let order = 0;
  let pending = 0;
  let fired = 0;

  const quiet = async () => {
    do {
      if (outside || fired % seldom === 0) for (let turn = 0; turn < 2; turn++) await immediatesAreOver();
      else for (let tick = 0; tick < ticks; tick++) await microtasksAreOver();
    } while (outside && (await outside()));
  };
  const next = (): Timer | undefined => {
    for (let timer = heap.first(); timer; timer = heap.first()) {
      if (!cancelled.delete(timer)) return timer;
      heap.pop();
    }
    return undefined;
  };
  const fire = async (timer: Timer) => {
    heap.pop();
    pending--;
    fired++;
    time = Math.max(time, timer.at);
    timer.wake();
    await quiet();
  };

  return {
    now: () => Math.floor(time),
    after: (ms, wake) => {
      let isOpen = true;
      const timer: Timer = {
        at: time + Math.max(0, ms),
        order: order++,
        wake: () => {
          isOpen = false;
          wake();
        },
      };
      heap.push(timer);
      pending++;
      return () => {
        if (!isOpen) return;
        isOpen = false;
        pending--;
        cancelled.add(timer);
      };
    },
    advance: async (ms) => {
      const end = time + ms;
      await quiet();
      for (let timer = next(); timer && timer.at <= end; timer = next()) await fire(timer);
      time = end;
    },
    run: async (done, until = Number.POSITIVE_INFINITY) => {
      await quiet();
      while (!done()) {
        const timer = next();
        if (!timer || timer.at > until) return false;
        await fire(timer);
      }
      return true;
    },
    get pending() {
      return pending;
    },
  };
};
