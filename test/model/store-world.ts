/** Processes that use the real store over the parked table, one step of one process at a time. */
import { memoryKeys } from '../../adapters/memory/keys.ts';
import { memoryNotifier } from '../../adapters/memory/notifier.ts';
import { seededRandom } from '../../adapters/memory/random.ts';
import type { Notifier } from '../../machinery/ports.ts';
import { openStore } from '../../machinery/store/index.ts';
import { lazy } from '../../machinery/store/lazy.ts';
import type { Rules } from '../../machinery/store/rules.ts';
import type { Step, World } from './explore.ts';
import { parkedClock } from './parked-clock.ts';
import { type Fault, parkedTable } from './parked-table.ts';
import { type Client, clientOf } from './store-client.ts';
import { createHistory, start } from './store-history.ts';

// Loaded beforehand, so that no step of a world waits for a module.
await lazy.pages();

export interface Scenario {
  /** Done one after the other before the history begins. */
  before?: (client: Client) => Promise<void>;
  processes: Record<string, (client: Client) => Promise<void>>;
  split?: string[];
  /** The table says that it shows transactions whole. */
  showsTransactionsWhole?: boolean;
  fault?: { process: string; kinds: Fault[] };
  /** One of these may crash, at any moment. */
  crash?: string[];
  /** These may stop once, after any call, until the next jump of time. */
  freeze?: string[];
  /** Jumps of time in milliseconds, in this order: at any moment, or, if longer than any call, when none is pending. */
  jumps?: number[];
  rules?: Partial<Rules>;
}

const shortWait = 2000;
/** The longest partial visibility, and the longest call. */
const longestSplit = 5000;
const longestCall = 30_000;
const forever = 1e12;

export const storeWorld = ({
  before,
  processes,
  split = [],
  showsTransactionsWhole = false,
  freeze = [],
  fault,
  crash = [],
  jumps = [],
  rules = {},
}: Scenario): World => {
  /** All results that a process has received so far, which determine its state. */
  const learnt = new Map<string, string[]>();
  const learn = (process: string, what: string) => {
    learnt.set(process, [...(learnt.get(process) ?? []), `${what} at ${clock.now()}`]);
  };
  const clock = parkedClock(start, (process) => learn(process, 'woke'));
  const history = createHistory(clock.now);
  const table = parkedTable({
    clock: clock.of('table'),
    split,
    showsTransactionsWhole,
    freeze,
    ...(fault && { fault }),
    onItem: history.onItem,
    onAnswer: learn,
  });
  const bell = memoryNotifier(clock.of('notifier'));
  const notifierOf = (process: string): Notifier => ({
    notify: bell.notify,
    wait: async (what, ms, signal) => {
      await bell.wait(what, ms, signal);
      learn(process, 'was told');
    },
  });
  let jumped = 0;
  let isThawing = false;
  let crashed: string | undefined;
  let failure: unknown;
  const running = new Set<string>();

  const run = async (process: string, script: (client: Client) => Promise<void>) => {
    const random = seededRandom([...process].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 7));
    const store = openStore({
      table: table.of(process),
      clock: clock.of(process),
      random,
      keys: memoryKeys(random),
      kinds: [],
      notifier: notifierOf(process),
      poll: forever,
      rules,
    });
    running.add(process);
    try {
      await script(clientOf(process, store, history, clock.of(process)));
    } catch (error) {
      failure ??= error;
    }
    running.delete(process);
  };

  const begin = async () => {
    await run('before', async (client) => {
      await client.list();
      await before?.(client);
    });
    for (const [process, script] of Object.entries(processes)) void run(process, script);
  };
  void begin();

  const waits = (): Step[] => {
    const next = clock.next();
    if (table.isBusy() || next === undefined || (next > shortWait && !running.has('before'))) return [];
    return [{ label: `${next} ms pass`, take: () => clock.pass(next) }];
  };
  const thaws = (): Step[] => (isThawing ? table.thawSteps() : []);
  const jumpSteps = (): Step[] => {
    const ms = jumps[jumped];
    if (ms === undefined || running.size === 0 || (ms > longestCall && table.isBusy())) return [];
    const take = () => {
      jumped++;
      isThawing = table.isFrozen();
      if (ms >= longestSplit) table.showAll();
      clock.pass(ms);
    };
    return [{ label: `${ms} ms pass at once`, take }];
  };
  const crashSteps = (): Step[] =>
    crash
      .filter((process) => crashed === undefined && table.hasParked(process))
      .map((process) => ({
        label: `${process} crashes`,
        take: () => {
          crashed = process;
          running.delete(process);
          table.crash(process);
          clock.forget(process);
        },
      }));

  return {
    steps: () =>
      running.has('before')
        ? [...table.steps(), ...waits()]
        : [...table.steps(), ...waits(), ...thaws(), ...crashSteps(), ...jumpSteps()],
    fingerprint: () =>
      [
        ...[...learnt].map(([process, lessons]) => `${process}: ${lessons.join('; ')}`).sort(),
        table.fingerprint(),
        clock.fingerprint(),
        jumped,
        isThawing,
        crashed,
      ].join('\n'),
    check: () => {
      if (failure) throw failure;
      history.check();
    },
    checkEnd: async () => {
      history.checkEnd();
    },
  };
};
