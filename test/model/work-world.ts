/**
 * The protocol of work items in every order of events: one item, workers with their own clocks, a queue that
 * duplicates, delays and loses messages, crashes at every step. It runs machinery/controller/work.ts itself; each
 * table operation and send is one step of the world.
 */
import { holds } from '../../adapters/memory/condition.ts';
import { written } from '../../adapters/memory/partitions.ts';
import {
  createWork,
  type Outcome,
  type Verdict,
  type WorkPorts,
  type WorkRules,
} from '../../machinery/controller/work.ts';
import {
  isHeld,
  isRunnable,
  keyOfMessage,
  messageOf,
  times,
  type WorkKey,
  workItemOf,
} from '../../machinery/controller/work-item.ts';
import { type Item, Refused, type Table, type Write } from '../../machinery/ports.ts';
import { type Step, Violation, type World } from './explore.ts';

/** How the nth pass ends. Times are milliseconds from its end. */
export type Script =
  | { ends: 'finished'; due?: number; debouncedUntil?: number; ownWrite?: boolean }
  | { ends: 'failed'; ownWrite?: boolean }
  | { ends: 'conflict' | 'gone' };

export interface Scenario {
  /** Changes by other writers, the first of which starts the history. */
  foreign: number;
  /** The delay in seconds of all of them, or of all but the first. */
  after?: number;
  defersFirst?: boolean;
  /** An armed timer for a due time, in milliseconds. */
  timer?: number;
  /** In the order in which passes start; later passes finish without further work. */
  passes: Script[];
  /** How often each may happen in one history. */
  crashes?: number;
  duplicates?: number;
  losses?: number;
  /** Time passes while a worker runs or a message waits: stalled workers, late messages. */
  stalls?: number;
  /** Milliseconds by which a worker's clock may be ahead or behind. */
  skew?: number;
  sweeps?: number;
  /** A sweep runs every ten minutes, and `sweeps` counts none of them. */
  sweepsRegularly?: boolean;
  /** The number of concurrent workers; two if absent. */
  workers?: number;
}

/** Longer than a lease, as the queues are configured. */
const visibility = times.lease + 30_000;
const sweepPeriod = 600_000;
const key: WorkKey = { controller: 'c', type: 't', namespace: '', name: 'x' };

interface Message {
  id: number;
  text: string;
  available: number;
  deliveries: number;
  /** A worker has received it; the queue shows it again at `available`. */
  taken: boolean;
}

interface Process {
  id: number;
  kind: 'worker' | 'dispatcher' | 'sweeper';
  skew: number;
  /** All results that it has received, which determine its next step. */
  history: string;
  pending?: { label: string; take: () => void };
  /** The message of a worker, and its delivery count. */
  message?: Message;
  delivery?: number;
  holder?: string;
  pass?: Pass;
  urgent?: boolean;
  after?: number;
}

interface Pass {
  start: number;
  /** The number of all changes, and of those by other writers, before it began. */
  events: number;
  foreign: number;
}

/** The work that remains after the last pass that the lease holder recorded. */
interface Promised {
  start: number;
  foreign: number;
  due?: number;
  failed: boolean;
}

type Change = Exclude<Write, { check: unknown }>;

export const workWorld = (scenario: Scenario, rules: Partial<WorkRules> = {}): World => {
  const {
    crashes = 0,
    duplicates = 0,
    losses = 0,
    stalls = 0,
    sweeps = 0,
    skew = 0,
    sweepsRegularly = false,
    workers: mostWorkers = 2,
  } = scenario;
  const budget = { crashes, duplicates, losses, stalls, sweeps, foreign: scenario.foreign };
  const skews = skew > 0 ? [skew, -skew] : [0];
  let time = 0;
  const { timer } = scenario;
  let item: Item | undefined =
    timer === undefined
      ? undefined
      : { pk: 'k#c#t', sk: 'x', want: 1, done: 1, due: timer, armed: timer, timer: 'first' };
  let messages: Message[] = timer
    ? [{ id: -1, text: messageOf(key, { timer: 'first' }), available: timer, deliveries: 0, taken: false }]
    : [];
  let processes: Process[] = [];
  let spawned = 0;
  let sent = 0;
  let lost = 0;
  /** How long a worker stalled or a message was late: everything may be that late. */
  let stalled = 0;
  let passes = 0;
  let events = 0;
  let foreign = 0;
  let covered = 0;
  let promised: Promised | undefined;
  let violation: string | undefined;
  /** When the last event happened that may leave an extra message. */
  let disturbed = 0;
  const longest = Math.max(
    timer ?? 0,
    ...scenario.passes.map(
      (script) => (script.ends === 'finished' && Math.max(script.due ?? 0, script.debouncedUntil ?? 0)) || 0,
    ),
  );

  /** The process stops here until the world takes the step. */
  const gate = <T>(process: Process, label: string, effect: () => T): Promise<T> =>
    new Promise((resolve, reject) => {
      const take = () => {
        delete process.pending;
        try {
          const value = effect();
          process.history += `|${label} ${JSON.stringify(value)}`;
          resolve(value);
        } catch (error) {
          process.history += `|${label} refused`;
          reject(error);
        }
      };
      process.pending = { label: `${process.kind} ${process.id} ${label}`, take };
    });

  const commit = (process: Process, before: Item | undefined, write: Change) => {
    const releases = 'delete' in write || ('update' in write && write.remove?.includes('holder'));
    if (!releases || !process.pass || before?.holder !== process.holder) return;
    if (promised && promised.start > process.pass.start) return;
    const { due, lastFailure } = workItemOf(item) ?? {};
    promised = { ...process.pass, failed: lastFailure !== undefined, ...(due !== undefined && { due }) };
  };

  const apply = (process: Process, write: Change): Item | undefined => {
    const before = item;
    if (write.when && !holds(write.when, before)) throw new Refused(before);
    item = written(write, before);
    if ('update' in write && write.set?.holder) process.holder = write.set.holder as string;
    commit(process, before, write);
    return item && structuredClone(item);
  };

  const tableOf = (process: Process): Table => ({
    get: () => gate(process, 'reads', () => item && structuredClone(item)),
    query: () => gate(process, 'queries', () => ({ items: item ? [structuredClone(item)] : [] })),
    write: (write) => {
      const label = 'update' in write ? `writes ${Object.keys({ ...write.set, ...write.add })}` : 'deletes';
      return gate(process, label, () => {
        const result = apply(process, write);
        if (process.kind === 'dispatcher' && process.pass === undefined) {
          if (process.urgent) foreign++;
          // Dispatched again after a crash, it is the same change.
          process.pass = { start: 0, events: 0, foreign: 0 };
        }
        return result;
      });
    },
    transact: () => Promise.reject(new Error('the protocol needs no transactions')),
  });

  const portsOf = (process: Process): WorkPorts => ({
    table: tableOf(process),
    queueOf: () => ({
      send: (text, delay = 0) =>
        gate(process, `sends +${delay}s`, () => {
          messages.push({ id: sent++, text, available: time + delay * 1000, deliveries: 0, taken: false });
        }),
    }),
    clock: {
      now: () => {
        process.history += `|${time + process.skew}`;
        return time + process.skew;
      },
    },
    random: { next: () => 0.5, uuid: () => `h${process.id}`, bytes: (length) => new Uint8Array(length) },
  });

  const end = (process: Process) => {
    processes = processes.filter((other) => other !== process);
  };

  const spawn = (kind: Process['kind'], more: Partial<Process> = {}): Process => {
    const id = spawned++;
    const process: Process = { id, kind, skew: skews[id % skews.length]!, history: '', ...more };
    processes.push(process);
    return process;
  };

  const dispatch = (urgent: boolean, after = 0, again?: Process) => {
    const process = spawn('dispatcher', { urgent, after, ...(again?.pass && { pass: again.pass }) });
    // The change itself came before its dispatch.
    if (!again) events++;
    void createWork(portsOf(process), rules)
      .request(key, { urgent, after })
      .then(() => end(process));
  };

  const outcomeOf = (script: Script, now: number): Outcome => {
    switch (script.ends) {
      case 'finished':
        return {
          ended: 'finished',
          ...(script.due !== undefined && { due: now + script.due }),
          ...(script.debouncedUntil !== undefined && { debouncedUntil: now + script.debouncedUntil }),
        };
      case 'failed': {
        const failure = { port: 'p', operation: 'o', code: 'c', message: 'm', at: 0 };
        return { ended: 'failed', consequence: 'retry', failure };
      }
      default:
        return { ended: script.ends };
    }
  };

  const checkBackoff = () => {
    const isEarly = promised?.failed && promised.due !== undefined && time < promised.due - 2 * skew;
    if (isEarly && promised?.foreign === foreign)
      violation ??= 'a pass began during a backoff without a foreign reason';
  };

  const run = (process: Process) => async (): Promise<Outcome> => {
    checkBackoff();
    const script: Script = scenario.passes[passes++] ?? { ends: 'finished' };
    const pass: Pass = { start: time, events, foreign };
    process.pass = pass;
    await gate(process, `ends pass (${script.ends})`, () => {
      covered = Math.max(covered, pass.events);
      if ('ownWrite' in script && script.ownWrite) dispatch(false);
    });
    return outcomeOf(script, time + process.skew);
  };

  const settle = (process: Process, verdict: Verdict) => {
    const { message } = process;
    end(process);
    // A receipt handle is void once the message was delivered again.
    if (!message || message.deliveries !== process.delivery) return;
    if (verdict.do === 'acknowledge') messages = messages.filter((other) => other !== message);
    else {
      message.taken = false;
      message.available = time + Math.ceil(verdict.ms / 1000) * 1000;
    }
  };

  const work = (process: Process, text: string, redelivered: boolean) => {
    const { timer: which, want, ...of } = keyOfMessage(text);
    void createWork(portsOf(process), rules)
      .receive(of, { redelivered, timer: which, want }, run(process))
      .then((verdict) => settle(process, verdict));
  };

  const deliver = (message: Message) => {
    message.deliveries++;
    message.taken = true;
    message.available = time + visibility;
    const process = spawn('worker', { message, delivery: message.deliveries });
    work(process, message.text, message.deliveries > 1);
  };

  const sweepAfterPeriod = () => {
    budget.sweeps--;
    time += sweepPeriod;
    disturbed = time;
    sweep();
  };
  const sweep = () => {
    const process = spawn('sweeper');
    void createWork(portsOf(process), rules)
      .sweep(key.controller, key.type)
      .then(() => end(process));
  };

  const deliverable = () => messages.filter(({ available }) => available <= time);
  const workers = () => processes.filter(({ kind }) => kind === 'worker');

  /** The next time at which a process may act differently. */
  const nextInstant = (): number | undefined => {
    const { due, lease } = workItemOf(item) ?? {};
    const isLooked = processes.length > 0 || messages.length > 0;
    const instants = [
      ...messages.map(({ available }) => available),
      ...(isLooked && lease !== undefined ? skews.map((s) => lease - s) : []),
      ...(due !== undefined ? [due + 2 * skew + 1000] : []),
      ...(isLooked && due !== undefined ? skews.map((s) => due - s) : []),
    ].filter((at) => at > time);
    return instants.length > 0 ? Math.min(...instants) : undefined;
  };

  const crash = (process: Process) => {
    budget.crashes--;
    disturbed = time;
    end(process);
    // The worker with the other copy acknowledges the message, so only the sweep finds what this one began.
    if (process.kind === 'worker' && !process.message) lost++;
    if (process.kind === 'dispatcher') dispatch(process.urgent!, process.after, process);
  };

  const steps = (): Step[] => {
    const isBusy = processes.length > 0;
    const ready = deliverable();
    const instant = nextInstant();
    const isIdle = !isBusy && ready.length === 0;
    const maybe = (may: boolean, label: string, take: () => void): Step[] => (may ? [{ label, take }] : []);
    return [
      ...processes.flatMap((p) => (p.pending ? [{ label: p.pending.label, take: p.pending.take }] : [])),
      ...ready.flatMap((message) => [
        ...maybe(workers().length < mostWorkers, `deliver ${message.id}`, () => deliver(message)),
        ...maybe(budget.duplicates > 0 && workers().length < mostWorkers, `deliver a copy of ${message.id}`, () => {
          budget.duplicates--;
          disturbed = time;
          work(spawn('worker'), message.text, false);
        }),
        ...maybe(budget.losses > 0 && !message.taken, `lose ${message.id}`, () => {
          budget.losses--;
          lost++;
          messages = messages.filter((other) => other !== message);
        }),
      ]),
      ...maybe(budget.foreign > 0, 'change', () => {
        budget.foreign--;
        disturbed = time;
        const isFirst = budget.foreign + 1 === scenario.foreign;
        dispatch(true, isFirst && !scenario.defersFirst ? 0 : scenario.after);
      }),
      ...processes
        .filter(({ kind }) => kind !== 'sweeper')
        .flatMap((p) => maybe(budget.crashes > 0, `crash ${p.kind} ${p.id}`, () => crash(p))),
      ...(instant === undefined || !(isIdle || budget.stalls > 0)
        ? []
        : maybe(true, `time ${instant}`, () => {
            if (!isIdle) {
              budget.stalls--;
              stalled += instant - time;
              disturbed = instant;
            }
            const nextSweep = (Math.floor(time / sweepPeriod) + 1) * sweepPeriod;
            time = sweepsRegularly ? Math.min(instant, nextSweep) : instant;
            if (sweepsRegularly && time === nextSweep) sweep();
          })),
      ...maybe(isIdle && messages.length === 0 && budget.foreign === 0 && budget.sweeps > 0, 'sweep', sweepAfterPeriod),
    ];
  };

  /** Idle at this moment, with no message in flight: then no work may be due. */
  const checkIdle = () => {
    const state = workItemOf(item);
    const isQuiet = processes.length === 0 && deliverable().length === 0 && !messages.some(({ taken }) => taken);
    if (!state || !isQuiet || lost > 0) return;
    const surely = time - 2 * skew - 1000 - stalled;
    // A delayed reason has its own message in flight.
    const isAwaited = messages.some(({ text }) => (keyOfMessage(text).want ?? 0) > state.done);
    if (state.urgent > state.served && !isHeld(state, time) && !isAwaited)
      throw new Violation('an urgent reason has no message');
    if (isRunnable(state, surely) && !isHeld(state, time) && !isAwaited) throw new Violation('due work has no message');
    // Two concurrent workers may each leave one, repeatedly.
    const isSteady = mostWorkers === 1 && time > disturbed + 2 * longest;
    if (isSteady && messages.length > 1) throw new Violation('timers multiply');
  };

  return {
    steps,
    fingerprint: () =>
      JSON.stringify([
        time,
        item,
        messages.map(({ text, available, deliveries, taken }) => [text, available, deliveries, taken]),
        processes.map(({ id, kind, history, message, delivery, pass, urgent, after }) => [
          id % skews.length,
          kind,
          history,
          message && messages.indexOf(message),
          delivery,
          pass,
          urgent,
          after,
        ]),
        [passes, events, foreign, covered, promised, lost, stalled, disturbed],
        budget,
      ]),
    check: () => {
      if (violation) throw new Violation(violation);
      checkIdle();
    },
    checkEnd: async () => {
      if (covered < events) throw new Violation('the last pass began before the last change');
      if (promised?.due !== undefined) throw new Violation('a due time was forgotten');
    },
  };
};
