/**
 * Divides the concurrent executions that AWS allows an account in a region. Without these shares,
 * open watches and workers with a backlog would leave nothing for the API.
 */
import { lambdas } from './lambdas/index.ts';
import { type FunctionName, speeds, type WorkerClass, workerClasses } from './names.ts';

export interface ConcurrencyOptions {
  /** Concurrent executions available to this installation; absent = a new account's limit. */
  accountConcurrency?: number | undefined;
  maxConcurrency?: number | undefined;
  watches?: number | undefined;
  reservedConcurrency?: Partial<Record<FunctionName, number>> | undefined;
}

export interface Concurrency {
  limit: number;
  /** Workers per queue of a class. */
  perQueue: Record<WorkerClass, number>;
  /** Whether resyncs have their own queues, so that a change never waits behind them. */
  hasSlowQueues: boolean;
  /** Workers of all queues. */
  workers: number;
  /** Open watches. */
  watches: number;
  /** Batches of one shard of the changes that are dispatched at once: a slow change holds up only its own batch. */
  batchesPerShard: number;
  /** Reserved concurrency by function, which is also its maximum. */
  reserved: Partial<Record<FunctionName, number>>;
  /** Requests per second that the gateway passes, for all clients and busy methods together, and at once of each method. */
  requests: { rate: number; burst: number };
  /** The same for reports of API servers of clusters. */
  reports: { rate: number; burst: number };
  /** Left for requests, changes, workflows and schedules while all workers are busy and all watches are open. */
  free: number;
}

export const newAccount = 10;
/** The least maximum concurrency that AWS accepts for a mapping. */
const leastPerQueue = 2;
/**
 * A pass of a workload cluster that does not answer waits for seconds, so these workers are many:
 * they cost nothing while nothing waits for them.
 */
const mostPerQueue: Record<WorkerClass, number> = { core: 10, aws: 10, workload: 40, gc: 10 };
/** Shares of the limit. */
const share = { watches: 0.2, free: 0.3 };
const watchBounds = [2, 100] as const;
/**
 * A new table has four shards, whose batches must leave most of the free executions to requests. AWS allows ten.
 */
export const batchesPerShard = { share: 0.05, bounds: [2, 10] } as const;
/** The limits from which on slow queues, and then reservations, fit. */
const [roomForSlowQueues, roomForReservations] = [40, 500];
/** Concurrent executions that AWS keeps for functions without a reservation. */
const unreserved = 100;
/**
 * Shares of the limit. Beyond these the gateway answers 429 with Retry-After, which clients obey. Beyond the limit
 * itself it would answer 503 without it, because it cannot tell a lack of functions from a failed one. A request takes
 * a function for a tenth of a second, and methods are rarely busy together. The most bounds what a flood costs.
 */
const throttle = { rate: 2.4, burst: 1, most: { rate: 120, burst: 200 } };
/** API servers repeat a refused report. A report takes a function for less than a tenth of a second. */
const reportThrottle = { rate: 0.4, burst: 0.3, most: { rate: 50, burst: 50 } };
/** Enough for slow queues, 8 watches and everything else. Quotas are raised to a thousand as a rule. */
export const comfortable = roomForSlowQueues;

const within = (value: number, [least, most]: readonly [number, number]) => Math.min(most, Math.max(least, value));
const sum = (of: Partial<Record<string, number>>) =>
  Object.values(of).reduce<number>((all, one) => all + (one ?? 0), 0);

const shareOf = (limit: number, { rate, burst, most }: typeof throttle) => ({
  rate: Math.min(most.rate, Math.floor(limit * rate)),
  burst: Math.min(most.burst, Math.floor(limit * burst)),
});

const reservedFor = (watches: number): Concurrency['reserved'] =>
  Object.fromEntries(
    Object.entries(lambdas).flatMap(([name, { reserved }]) => (reserved ? [[name, reserved(watches)]] : [])),
  );

export const concurrencyOf = (options: ConcurrencyOptions): Concurrency => {
  const limit = options.accountConcurrency ?? newAccount;
  const watches = options.watches ?? within(Math.floor(limit * share.watches), watchBounds);
  const hasSlowQueues = limit >= roomForSlowQueues;
  const queues = workerClasses.length * (hasSlowQueues ? speeds.length : 1);
  const left = limit - watches - Math.ceil(limit * share.free);
  const fairShare = Math.floor(left / queues);
  const perQueue = Object.fromEntries(
    workerClasses.map((worker) => [
      worker,
      options.maxConcurrency ?? within(fairShare, [leastPerQueue, mostPerQueue[worker]]),
    ]),
  ) as Concurrency['perQueue'];
  const workers = sum(perQueue) * (hasSlowQueues ? speeds.length : 1);
  const reserved = options.reservedConcurrency ?? (limit >= roomForReservations ? reservedFor(watches) : {});
  return {
    limit,
    perQueue,
    hasSlowQueues,
    workers,
    watches,
    batchesPerShard: within(Math.floor(limit * batchesPerShard.share), batchesPerShard.bounds),
    reserved,
    requests: shareOf(limit, throttle),
    reports: shareOf(limit, reportThrottle),
    free: limit - workers - watches,
  };
};

/** Settings that exceed the limit of the account, and what to do about each. */
export const excessesOf = (options: ConcurrencyOptions): string[] => {
  const { limit, workers, watches, reserved, free } = concurrencyOf(options);
  const mayRun = `at most ${limit} functions run at once in this account and region`;
  const excesses: string[] = [];
  if (free < 0)
    excesses.push(
      `workers may keep ${workers} functions busy and watches ${watches}, but ${mayRun}: lower maxConcurrency or watches, or have the quota raised`,
    );
  const kept = sum(reserved);
  if (kept > 0 && limit - kept < unreserved)
    excesses.push(
      `reservedConcurrency keeps ${kept}, but ${mayRun}, and AWS keeps ${unreserved} of them unreserved: lower it, or have the quota raised`,
    );
  if (reserved.watch !== undefined && reserved.watch < watches)
    excesses.push(
      `reservedConcurrency bounds the function watch to ${reserved.watch}, which is less than the ${watches} watches that it serves: raise it, or lower watches`,
    );
  return excesses;
};
