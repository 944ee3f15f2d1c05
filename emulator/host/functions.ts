/** Runs deployed functions in several sandboxes each, within their time limits; reuses warm ones first. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Guardian } from '../guardian.ts';
import { type Counts, createCounts } from './counts.ts';
import type { Deployed, DeployedFunctions } from './deployed.ts';
import type { Names } from './messages.ts';
import { FunctionError, type Sandbox, type StreamSink, startSandbox } from './sandbox.ts';

export interface Disturbance {
  /** Functions whose sandboxes are killed during an invocation. */
  functions: (name: string) => boolean;
  /** Probability per invocation. */
  chance: number;
  /** Milliseconds after its start, at random up to this. */
  within: number;
  /** Maximum of kills. Each delays its messages by their visibility timeout. */
  most: number;
  random: () => number;
}

export interface FunctionsOptions {
  deployed: DeployedFunctions;
  guardian: Guardian;
  /** Regions, endpoints and credentials of each sandbox. */
  variables: Record<string, string>;
  names: () => Names;
  /** Maximum of concurrent events per function. */
  concurrency: (name: string) => number;
  /** The account's limit of concurrent executions; unbounded by default. */
  accountConcurrency?: number;
  onLine: (name: string, line: string) => void;
}

/** The account's limit is reached: no function received the event. */
export class Throttled extends FunctionError {
  constructor() {
    super({ errorType: 'TooManyRequestsException', errorMessage: 'Rate Exceeded.' });
    this.name = 'Throttled';
  }
}

export interface Functions {
  /** Rejects with Throttled, or with what the function threw. */
  invoke(name: string, event: unknown, sink?: StreamSink, gone?: AbortSignal): Promise<unknown>;
  counts: Counts;
  /** Kills all sandboxes of these functions, busy or idle; returns the count. */
  kill(functions: (name: string) => boolean): number;
  /** Starts a disturbance; undefined ends it. */
  disturb(disturbance: Disturbance | undefined): void;
  tellNames(): void;
  close(): void;
}

interface Pool {
  idle: { sandbox: Sandbox; revision: string }[];
  busy: Set<Sandbox>;
  /** Events with a running or starting sandbox. */
  taken: number;
  waiting: (() => void)[];
}

/** Milliseconds until a disconnected client is noticed. */
const unnoticed = 5_000;

export const createFunctions = (options: FunctionsOptions): Functions => {
  const { deployed, guardian, variables, names, concurrency, onLine } = options;
  const { accountConcurrency = Number.POSITIVE_INFINITY } = options;
  let executions = 0;
  const pools = new Map<string, Pool>();
  const counts = createCounts();
  let disturbance: Disturbance | undefined;
  let killsLeft = 0;
  let isClosed = false;

  const poolOf = (name: string): Pool => {
    const pool = pools.get(name) ?? { idle: [], busy: new Set(), taken: 0, waiting: [] };
    pools.set(name, pool);
    return pool;
  };
  const environmentOf = (fn: Deployed): Record<string, string> => ({
    PATH: process.env.PATH ?? '',
    TZ: ':UTC',
    ...fn.variables,
    ...variables,
    AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
    AWS_LAMBDA_FUNCTION_NAME: fn.name,
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(fn.memory),
    AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/${fn.name}`,
    AWS_LAMBDA_LOG_STREAM_NAME: randomUUID(),
    LAMBDA_TASK_ROOT: fn.folder,
    _HANDLER: fn.handler,
  });
  const take = async (pool: Pool, most: number): Promise<void> => {
    while (pool.taken >= most) await new Promise<void>((resolve) => pool.waiting.push(resolve));
    pool.taken++;
  };
  const give = (pool: Pool) => {
    pool.taken--;
    pool.waiting.shift()?.();
  };

  const acquire = async (fn: Deployed): Promise<Sandbox> => {
    const pool = poolOf(fn.name);
    for (let warm = pool.idle.pop(); warm; warm = pool.idle.pop()) {
      if (warm.sandbox.isDead()) continue;
      if (warm.revision === fn.revision) {
        pool.busy.add(warm.sandbox);
        return warm.sandbox;
      }
      warm.sandbox.kill();
    }
    counts.add(fn.name, 'coldStarts');
    const { folder, memory } = fn;
    const sandbox = await startSandbox({
      environment: environmentOf(fn),
      folder,
      memory,
      guardian,
      names,
      onLine: (line) => onLine(fn.name, line),
    });
    pool.busy.add(sandbox);
    if (isClosed) sandbox.kill();
    return sandbox;
  };
  const release = (fn: Deployed, sandbox: Sandbox) => {
    const pool = poolOf(fn.name);
    pool.busy.delete(sandbox);
    if (isClosed) sandbox.kill();
    else if (!sandbox.isDead()) pool.idle.push({ sandbox, revision: fn.revision });
  };

  const disturbed = async (fn: Deployed, sandbox: Sandbox, signal: AbortSignal) => {
    const now = disturbance;
    if (!now?.functions(fn.name) || now.random() >= now.chance) return;
    await delay(now.random() * now.within, undefined, { signal });
    if (now !== disturbance || killsLeft === 0) return;
    killsLeft--;
    counts.add(fn.name, 'killed');
    sandbox.kill();
  };

  const run = async (fn: Deployed, sandbox: Sandbox, event: unknown, sink?: StreamSink, gone?: AbortSignal) => {
    const id = randomUUID();
    const done = new AbortController();
    let isTimedOut = false;
    const timer = setTimeout(() => {
      isTimedOut = true;
      sandbox.kill();
    }, fn.timeout);
    const leave = () =>
      void delay(unnoticed, undefined, { signal: done.signal }).then(sandbox.tellGone, () => undefined);
    if (gone?.aborted) leave();
    else gone?.addEventListener('abort', leave, { once: true });
    void disturbed(fn, sandbox, done.signal).catch(() => undefined);
    try {
      return await sandbox.invoke({ id, event, deadline: Date.now() + fn.timeout, arn: fn.arn }, sink);
    } catch (error) {
      if (!isTimedOut) throw error;
      counts.add(fn.name, 'timeouts');
      const errorMessage = `${new Date().toISOString()} ${id} Task timed out after ${(fn.timeout / 1000).toFixed(2)} seconds`;
      throw new FunctionError({ errorType: 'Sandbox.Timedout', errorMessage });
    } finally {
      clearTimeout(timer);
      done.abort();
      gone?.removeEventListener('abort', leave);
    }
  };

  return {
    counts,
    invoke: async (name, event, sink, gone) => {
      const pool = poolOf(name);
      await take(pool, concurrency(name));
      if (executions >= accountConcurrency) {
        counts.add(name, 'throttles');
        give(pool);
        throw new Throttled();
      }
      executions++;
      counts.add(name, 'invocations');
      try {
        const fn = await deployed.of(name);
        const sandbox = await acquire(fn);
        try {
          return await run(fn, sandbox, event, sink, gone);
        } finally {
          release(fn, sandbox);
        }
      } catch (error) {
        counts.add(name, 'errors');
        if (error instanceof Error) onLine(name, JSON.stringify({ platform: error.message }));
        throw error;
      } finally {
        executions--;
        give(pool);
      }
    },
    kill: (functions) => {
      let killed = 0;
      for (const [name, pool] of pools) {
        if (!functions(name)) continue;
        for (const sandbox of [...pool.busy, ...pool.idle.map((one) => one.sandbox)]) {
          sandbox.kill();
          counts.add(name, 'killed');
          killed++;
        }
      }
      return killed;
    },
    disturb: (next) => {
      disturbance = next;
      killsLeft = next?.most ?? 0;
    },
    tellNames: () => {
      for (const pool of pools.values()) for (const sandbox of pool.busy) sandbox.tellNames();
    },
    close: () => {
      isClosed = true;
      for (const pool of pools.values())
        for (const sandbox of [...pool.busy, ...pool.idle.map((one) => one.sandbox)]) sandbox.kill();
    },
  };
};
