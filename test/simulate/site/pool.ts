/**
 * Workers as Lambda runs them: each handles one event at a time, their number follows the load, and
 * each event has a time limit.
 */
import type { Cancel, Clock } from '../../../machinery/ports.ts';
import type { Life } from '../boundary.ts';

export interface Pool<W> {
  /** The result of an idle worker. Rejects when the worker crashes, exceeds `seconds` or throws. */
  invoke<T>(what: string, seconds: number, run: (worker: W) => Promise<T>): Promise<T>;
  /** Whether no invocation runs or waits. */
  readonly isIdle: boolean;
  /** Starts no invocation for this many milliseconds; events wait meanwhile. */
  stand(ms: number): void;
}

export class InvocationLost extends Error {
  override readonly name = 'Lambda.Unknown';
}

export interface PoolOptions<W extends { life: Life }> {
  clock: Clock;
  start: (name: string) => W;
  name: string;
  /** The limit of concurrent invocations; frozen workers do not count. */
  most: number;
  onEnd?: (worker: string, what: string, how: string) => void;
}

interface Waiting {
  begin: () => void;
}

export const createPool = <W extends { life: Life }>(options: PoolOptions<W>): Pool<W> => {
  const { clock, start, name, most, onEnd } = options;
  const idle: W[] = [];
  const waiting: Waiting[] = [];
  let busy = 0;
  /** All running invocations, including those whose caller gave up. */
  let working = 0;
  let started = 0;

  let standing = false;
  const next = () => {
    while (!standing && waiting.length > 0 && busy < most) waiting.shift()!.begin();
  };
  const free = (worker: W) => {
    if (worker.life.alive) idle.push(worker);
  };

  const begin = <T>(
    what: string,
    seconds: number,
    run: (worker: W) => Promise<T>,
    resolve: (answer: T) => void,
    reject: (error: unknown) => void,
  ) => {
    const worker = idle.shift() ?? start(`${name}-${started++}`);
    const { life } = worker;
    busy += 1;
    working += 1;
    let isCounted = true;
    let isOver = false;
    let isWorking = true;
    let cancel: Cancel = () => {};
    const release = () => {
      if (!isCounted) return;
      isCounted = false;
      busy -= 1;
    };
    const rest = () => {
      if (isWorking) working -= 1;
      isWorking = false;
    };
    const over = (settle: () => void) => {
      if (isOver) return;
      isOver = true;
      cancel();
      release();
      settle();
      next();
    };
    const lose = (how: string) =>
      over(() => {
        onEnd?.(life.name, what, how);
        reject(new InvocationLost(`${what}: ${how}`));
      });
    life.onDeath((at) => {
      rest();
      lose(`died ${at}`);
    });
    life.onFreeze((ms) => {
      onEnd?.(life.name, what, `freezes for ${ms} ms`);
      // Other workers take over. A freeze is visible only by the time it takes.
      release();
      next();
    });
    cancel = clock.after(seconds * 1000, () => {
      // A frozen worker cannot be ended. It resumes after its caller has given up.
      if (life.frozen) lose('froze');
      else life.kill();
    });
    run(worker).then(
      (answer) => {
        rest();
        free(worker);
        over(() => resolve(answer));
      },
      (error: unknown) => {
        rest();
        free(worker);
        over(() => reject(error));
      },
    );
  };

  return {
    get isIdle() {
      return working === 0 && waiting.length === 0;
    },
    stand: (ms) => {
      standing = true;
      clock.after(ms, () => {
        standing = false;
        next();
      });
    },
    invoke: (what, seconds, run) =>
      new Promise((resolve, reject) => {
        waiting.push({ begin: () => begin(what, seconds, run, resolve, reject) });
        next();
      }),
  };
};
