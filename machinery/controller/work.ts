/**
 * The protocol of work items. A producer with a reason increments `want` and sends a message. The
 * worker that receives it takes the lease, runs a pass and records its result. Messages are hints:
 * any of them may be late, duplicated or lost. ARCHITECTURE.md lists the rules, and test/model/work
 * checks this code against every interleaving of small cases.
 */
import type { Failure } from '../api/reconcile.ts';
import { type Fault, isolated } from '../isolated.ts';
import {
  type Attribute,
  type Clock,
  type Condition,
  type Item,
  type Queue,
  type Random,
  Refused,
  type Table,
} from '../ports.ts';
import { backoff, longestBackoff } from './backoff.ts';
import {
  type About,
  isArmed,
  isAwaited,
  isFar,
  isForOwnWrites,
  isHeld,
  isNear,
  isNewerReason,
  isRunnable,
  isRushed,
  isSuperseded,
  itemKeyOf,
  manyCrashes,
  messageOf,
  namespacedNameOf,
  partitionOf,
  times,
  type WorkItem,
  type WorkKey,
  workItemOf,
} from './work-item.ts';

/** The result of a pass. Times are milliseconds since the epoch. */
export type Outcome =
  /**
   * `due`: the next pass. `debouncedUntil`: until when deferrable reasons are debounced.
   * `deferredSince`: since when a wording change is deferred. `failure`: kept when the pass only
   * waited since an earlier failure. `unread`: why it could not read all that it needs.
   */
  | {
      ended: 'finished';
      due?: number;
      debouncedUntil?: number;
      deferredSince?: number;
      failure?: Failure;
      unread?: Failure;
    }
  /** The object is absent, and its item can be deleted. */
  | { ended: 'gone' }
  /** Another writer changed an object: run again at once. */
  | { ended: 'conflict' }
  /**
   * `retry` backs off. `wait` waits for an event, or `due`. `terminal` waits for a change, with
   * rare retries in case the change is not observable.
   */
  | { ended: 'failed'; failure: Failure; consequence: 'retry' | 'wait' | 'terminal'; due?: number };

export type Run = (key: WorkKey, item: WorkItem) => Promise<Outcome>;

/** What to do with a received message. */
export type Verdict = { do: 'acknowledge' } | { do: 'putBack'; ms: number };

/**
 * Rules that each have a counterexample. Only the model checker may turn them off, one at a time.
 */
export interface WorkRules {
  /** A controller's own writes are reasons to run. */
  countOwnWrites: boolean;
  /** A controller's own writes never clear a backoff. */
  ownWritesWait: boolean;
  /** A redelivered message waits for the lease that it meets, because the holder may be dead. */
  putBackRedelivered: boolean;
  /** A message that finds nothing to run takes no lease. */
  hopWithoutLease: boolean;
  /** Only the lease's current holder finishes a pass. */
  finishOwnLease: boolean;
  /**
   * After finishing, a worker checks that the timer that it relies on is still in flight: the timer
   * may have arrived during the lease.
   */
  armAfterCommit: boolean;
  /**
   * `armed` is recorded after the timer was sent, at the latest in the update that finishes the
   * pass.
   */
  recordAfterSend: boolean;
  /**
   * After finishing, a worker checks for work that became due, or whose message arrived during the
   * lease.
   */
  wakeAfterFinish: boolean;
  /**
   * A message whose reason arrived during the pass is recorded before it is acknowledged; all
   * others are still in flight.
   */
  noteForHolder: boolean;
  /** A finished pass has served the reasons counted at its start. */
  doneAsOfStart: boolean;
  /** A timer that finds nothing to run and another timer in flight is not renewed. */
  endSuperseded: boolean;
  /** The sweep sends the timers of due times that come before the next sweep. */
  sweepArms: boolean;
  /** A deferred reason shares the message in flight of an earlier one only if no worker holds the lease. */
  shareUnheld: boolean;
  /** The message of a deferred reason is sent before others may share it. */
  shareSent: boolean;
  /** A deferred reason has another message if its own may have come too early, or was counted otherwise. */
  sendAgain: boolean;
}
export const workRules: WorkRules = {
  countOwnWrites: true,
  ownWritesWait: true,
  putBackRedelivered: true,
  hopWithoutLease: true,
  finishOwnLease: true,
  armAfterCommit: true,
  recordAfterSend: true,
  wakeAfterFinish: true,
  noteForHolder: true,
  doneAsOfStart: true,
  endSuperseded: true,
  sweepArms: true,
  shareUnheld: true,
  shareSent: true,
  sendAgain: true,
};

export interface WorkPorts {
  table: Table;
  /**
   * The queue of a controller's messages; `slow` selects a queue that never delays user changes.
   */
  queueOf: (controller: string, slow?: boolean) => Queue;
  clock: Pick<Clock, 'now'>;
  random: Random;
  /**
   * Called when a pass ends after losing its lease, or when its item is gone: its effects came
   * late.
   */
  onStalePass?: (key: WorkKey, request: Work['request']) => Promise<void>;
}

export interface Work {
  /**
   * Requests a pass, `after` seconds from now, or later while the last pass debounces deferrable
   * reasons; `urgent` when the reason is not the controller's own write. `reported`: the time of a
   * report from outside the store.
   */
  request(key: WorkKey, options: { urgent: boolean; slow?: boolean; after?: number; reported?: number }): Promise<void>;
  /** Records the time of a report that is no reason to run; without an item it records nothing. */
  report(key: WorkKey, at: number): Promise<void>;
  /** `timer`: its id in the message. */
  receive(key: WorkKey, options: About & { redelivered: boolean }, run: Run): Promise<Verdict>;
  /** Wakes runnable items that no worker runs, and sends the timers of those that are due soon. */
  sweep(controller: string, type: string): Promise<void>;
  /**
   * For a process that starts alone and whose predecessor's messages are lost: clears all leases
   * and timers.
   */
  recover(controller: string, type: string): Promise<void>;
  /** Whether no item is leased, runnable or scheduled. */
  isIdle(controller: string, type: string): Promise<boolean>;
  get(key: WorkKey): Promise<WorkItem | undefined>;
}

/** Undefined when the condition failed. */
const unlessRefused = async <T>(write: Promise<T>): Promise<T | undefined> => {
  try {
    return await write;
  } catch (error) {
    if (error instanceof Refused) return undefined;
    throw error;
  }
};

const same = (attribute: string, value: Attribute | undefined): Condition =>
  value === undefined ? { attribute, is: 'absent' } : { attribute, is: '=', value };

export const createWork = (ports: WorkPorts, overrides: Partial<WorkRules> = {}): Work => {
  const { table, queueOf, clock, random, onStalePass } = ports;
  const rules = { ...workRules, ...overrides };

  const get = async (key: WorkKey) => workItemOf(await table.get(itemKeyOf(key), { consistent: true }));
  const wake = (key: WorkKey, after = 0, slow = false, want?: number) =>
    queueOf(key.controller, slow).send(messageOf(key, { want }), after);

  const count = async (key: WorkKey, isUrgent: boolean, set: Record<string, Attribute>) => {
    const add = { want: 1, ...((isUrgent || !rules.ownWritesWait) && { urgent: 1 }) };
    return workItemOf(await table.write({ update: itemKeyOf(key), add, set }))!;
  };

  /** Many reasons share one message: most of them need neither a write nor a message. */
  const request: Work['request'] = async (key, { urgent, slow, after = 0, reported }) => {
    if (!urgent && !rules.countOwnWrites) return;
    // A report is always written, by a function that may not read work items.
    if (after === 0 || reported !== undefined) {
      const { want, debouncedUntil = 0 } = await count(key, urgent, reported === undefined ? {} : { reported });
      const debounce = Math.ceil((debouncedUntil - clock.now()) / 1000);
      return wake(key, after === 0 ? 0 : Math.max(after, debounce), slow, want);
    }
    const item = await get(key);
    const now = clock.now();
    const at = Math.max(now + after * 1000, item?.debouncedUntil ?? 0);
    const seen = item && !rules.shareUnheld ? { ...item, holder: undefined } : item;
    if (seen && isAwaited(seen, { urgent, by: at }, now)) return;
    const want = (item?.want ?? 0) + 1;
    const send = (of: number) => wake(key, Math.max(0, Math.ceil((at - clock.now()) / 1000)), slow, of);
    if (rules.shareSent) await send(want);
    const counted = await count(key, urgent, { awaited: at, awaitedWant: want });
    if (!rules.shareSent) await send(want);
    // Another reason was counted meanwhile, or the message may have arrived before this one was.
    if (rules.sendAgain && (counted.want !== want || clock.now() >= at)) await send(counted.want);
  };

  const report: Work['report'] = async (key, at) => {
    const update = {
      update: itemKeyOf(key),
      set: { reported: at },
      when: { attribute: 'want', is: 'present' } as const,
    };
    await unlessRefused(table.write(update));
  };

  /**
   * The timer that an item needs for its due time, to be recorded once it is sent. `now` is the
   * time at which the item was found not runnable: with a later one, a due time that passed in
   * between would get no timer.
   */
  const timerFor = (key: WorkKey, item: WorkItem, now: number) => {
    if (item.due === undefined || item.due <= now || isFar(item, now) || isArmed(item, now)) return undefined;
    const armed = Math.min(item.due, now + times.hop);
    const timer = random.uuid();
    const send = () => queueOf(key.controller).send(messageOf(key, { timer }), Math.ceil((armed - now) / 1000));
    return { recorded: { armed, timer }, send };
  };

  const arm = async (key: WorkKey, item: WorkItem, now: number) => {
    const timer = timerFor(key, item, now);
    if (!timer) return;
    const record = () =>
      unlessRefused(
        table.write({
          update: itemKeyOf(key),
          set: timer.recorded,
          when: { all: [{ attribute: 'want', is: 'present' }, same('armed', item.armed)] },
        }),
      );
    if (rules.recordAfterSend) {
      await timer.send();
      await record();
    } else if (await record()) await timer.send();
  };

  /** Undefined when another worker was faster. */
  const take = async (key: WorkKey, item: WorkItem, holder: string): Promise<WorkItem | undefined> =>
    workItemOf(
      await unlessRefused(
        table.write({
          update: itemKeyOf(key),
          set: { lease: clock.now() + times.lease, holder, taken: item.want },
          remove: ['missed'],
          // An expired lease means that its worker crashed or stalled; finishing resets the count.
          ...(item.holder !== undefined && { add: { crashes: 1 } }),
          when: {
            all: [
              { attribute: 'want', is: 'present' },
              same('done', item.done || undefined),
              same('holder', item.holder),
            ],
          },
        }),
      ),
    );

  /** Requeues at `due` or immediately, unless that has gone on for too long. */
  const hurry = (started: WorkItem, now: number, due: number | undefined) => {
    const rushes = started.rushes + 1;
    if (!isRushed({ rushes })) return { due, rushes };
    const pause = now + times.rushed;
    return { due: due === undefined || due <= now ? pause : Math.min(due, pause), rushes };
  };

  const changesOf = (started: WorkItem, outcome: Exclude<Outcome, { ended: 'gone' }>) => {
    const done = { done: started.want, served: started.urgent };
    const now = clock.now();
    const failingNow = () => ({ since: started.failing?.since ?? now, at: now });
    switch (outcome.ended) {
      case 'conflict': {
        const next = hurry(started, now, now);
        return isRushed(next) ? { ...done, ...next } : next;
      }
      case 'finished': {
        const { failure: lastFailure, debouncedUntil, deferredSince } = outcome;
        const attempts = lastFailure ? started.attempts : 0;
        const isLater = outcome.due === undefined || outcome.due > now;
        const isRushing = !isLater || isForOwnWrites(started);
        const when = isRushing
          ? hurry(started, now, isLater ? outcome.due : now)
          : { due: outcome.due, rushes: undefined };
        const failing = outcome.unread ? failingNow() : lastFailure && started.failing;
        return { ...done, ...when, debouncedUntil, deferredSince, attempts, lastFailure, failing };
      }
      case 'failed': {
        const attempts = started.attempts + 1;
        const waits = {
          retry: () => now + backoff(attempts, random),
          wait: () => outcome.due ?? now + longestBackoff,
          terminal: () => now + longestBackoff,
        };
        const due = waits[outcome.consequence]();
        const failed = { attempts, lastFailure: outcome.failure, failing: failingNow() };
        return { ...done, ...failed, due, deferredSince: undefined, rushes: undefined };
      }
      default:
        throw new Error(`unknown outcome ${outcome satisfies never}`);
    }
  };

  /** Undefined when the lease is lost; then nothing was written. */
  const commit = async (key: WorkKey, started: WorkItem, changes: Record<string, unknown>) => {
    const names = Object.keys(changes);
    const set = Object.fromEntries(names.filter((name) => changes[name] !== undefined).map((n) => [n, changes[n]]));
    return workItemOf(
      await unlessRefused(
        table.write({
          update: itemKeyOf(key),
          set: set as Record<string, Attribute>,
          remove: ['lease', 'holder', 'taken', 'crashes', ...names.filter((name) => changes[name] === undefined)],
          when: rules.finishOwnLease ? same('holder', started.holder) : { exists: true },
        }),
      ),
    );
  };

  /** Whether the item was deleted; not with a new reason or a lost lease. */
  const forget = async (key: WorkKey, { holder, want }: WorkItem): Promise<boolean> => {
    const when: Condition = { all: [same('holder', holder), same('want', want)] };
    try {
      await table.write({ delete: itemKeyOf(key), when });
      return true;
    } catch (error) {
      if (error instanceof Refused) return false;
      throw error;
    }
  };

  const finish = async (key: WorkKey, started: WorkItem, outcome: Outcome): Promise<void> => {
    if (outcome.ended === 'gone' && (await forget(key, started))) return;
    const settled: Exclude<Outcome, { ended: 'gone' }> = outcome.ended === 'gone' ? { ended: 'finished' } : outcome;
    const { want, urgent } = rules.doneAsOfStart ? started : ((await get(key)) ?? started);
    const changes = changesOf({ ...started, want, urgent }, settled);
    // With a lost lease the timer stays unrecorded, and ends when it arrives.
    const timer = timerFor(key, { ...started, due: changes.due }, clock.now());
    if (rules.recordAfterSend) await timer?.send();
    const item = await commit(key, started, { ...changes, ...timer?.recorded });
    if (!rules.recordAfterSend) await timer?.send();
    if (!item) return onStalePass?.(key, request);
    const after = clock.now();
    const isDue = item.due !== undefined && item.due <= after;
    if (rules.wakeAfterFinish && (isDue || (item.missed && isRunnable(item, after)))) await wake(key);
    if (rules.armAfterCommit && item.timer !== timer?.recorded.timer) await arm(key, item, after);
  };

  const hop = async (key: WorkKey, item: WorkItem, now: number) => {
    if (rules.hopWithoutLease) return arm(key, item, now);
    const held = await take(key, item, random.uuid());
    if (!held) return;
    await arm(key, held, now);
    await commit(key, held, {});
  };

  /** Records a missed reason for the lease's holder; false when the lease has ended. */
  const note = async (key: WorkKey, { holder }: WorkItem): Promise<boolean> => {
    const update = { update: itemKeyOf(key), set: { missed: true }, when: same('holder', holder) };
    return (await unlessRefused(table.write(update))) !== undefined;
  };

  const receive: Work['receive'] = async (key, { redelivered, timer, want }, run) => {
    const item = await get(key);
    if (!item) return { do: 'acknowledge' };
    const now = clock.now();
    if (isHeld(item, now)) {
      if (redelivered && rules.putBackRedelivered) return { do: 'putBack', ms: item.lease! - now };
      if (rules.noteForHolder && !item.missed && isNewerReason(item, want) && !(await note(key, item)))
        return receive(key, { redelivered, timer, want }, run);
      return { do: 'acknowledge' };
    }
    // A message whose reason was served needs no pass, because each later reason has its own
    // message. Exception: the receiver of a redelivered message may have died before it woke later
    // ones.
    const isServed = want !== undefined && want <= item.done && !redelivered;
    if (isServed || !isRunnable(item, now)) {
      const isOld = rules.endSuperseded && timer !== undefined && isSuperseded(item, timer, now);
      if (!isOld) await hop(key, item, now);
      return { do: 'acknowledge' };
    }
    const started = await take(key, item, random.uuid());
    // Another worker took or finished the item meanwhile; this message's reason may still be open.
    if (!started) return receive(key, { redelivered, timer, want }, run);
    await finish(key, started, await run(key, started));
    return { do: 'acknowledge' };
  };

  const isStranded = (item: WorkItem, now: number): boolean => {
    if (!isRunnable(item, now) || isHeld(item, now)) return false;
    return item.crashes < manyCrashes || item.lease === undefined || now - item.lease >= times.crashed;
  };

  const each = async (controller: string, type: string, visit: (key: WorkKey, item: WorkItem) => Promise<void>) => {
    const pk = partitionOf(controller, type);
    const failed: Fault<Item>[] = [];
    let page = await table.query({ pk, consistent: true });
    for (;;) {
      const { faults, left } = await isolated(page.items, (found) =>
        visit({ controller, type, ...namespacedNameOf(String(found.sk)) }, workItemOf(found)!),
      );
      failed.push(...faults);
      if (!page.next || left.length > 0) break;
      page = await table.query({ pk, consistent: true, after: page.next });
    }
    if (failed[0]) throw failed[0].error;
  };

  const sweep: Work['sweep'] = (controller, type) =>
    each(controller, type, async (key, item) => {
      const now = clock.now();
      if (isStranded(item, now)) await wake(key);
      else if (rules.sweepArms && !isHeld(item, now) && isNear(item, now)) await arm(key, item, now);
    });

  const recover: Work['recover'] = (controller, type) =>
    each(controller, type, async (key) => {
      const remove = ['lease', 'holder', 'taken', 'missed', 'armed', 'timer', 'crashes'];
      await table.write({ update: itemKeyOf(key), remove, when: { exists: true } });
      // The message's receiver runs the work or sets its timer.
      await wake(key);
    });

  const isIdle: Work['isIdle'] = async (controller, type) => {
    let idle = true;
    await each(controller, type, async (_, item) => {
      const now = clock.now();
      if (isRunnable(item, now) || isHeld(item, now) || item.due !== undefined) idle = false;
    });
    return idle;
  };

  return { request, report, receive, sweep, recover, isIdle, get };
};
