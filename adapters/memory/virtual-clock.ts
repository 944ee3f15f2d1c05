import type { Clock } from '../../machinery/ports.ts';

interface Timer {
  at: number;
  /** Timers due at one time fire in the order they were set. */
  order: number;
  wake: () => void;
}

export interface VirtualClock extends Clock {
  /** Lets `ms` pass: fires what falls due, in order, and returns when nothing is left to do at the end of it. */
  advance(ms: number): Promise<void>;
  /**
   * Jumps from timer to timer until `done` answers true, no timer is left, or the time is `until` (then true only if done).
   * Returns whether `done` did.
   */
  run(done: () => boolean, until?: number): Promise<boolean>;
  /** Timers that are set. */
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
/** Ticks that what runs may need one after the other before it is quiet. */
const ticks = 4;
/** Timers between two turns of the event loop, each of which asks the kernel. */
const seldom = 64;

/**
 * Time that passes only when told to. Between two timers every promise that can settle does: a tick begins only when no
 * microtask is left, and there are some, for whatever the first of them began. Code under it must not wait for immediates,
 * threads or sockets: then the order of everything is a function of the program alone. Where it must, `outside` waits for
 * what is under way there and says whether anything was, so that no time passes meanwhile. The rest of the process gets
 * its turn now and then.
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
