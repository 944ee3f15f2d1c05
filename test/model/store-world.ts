/** Processes that use the store itself over the parked table, one step of one of them at a time. */
import { memoryKeys } from '../../adapters/memory/keys.ts';
import { memoryNotifier } from '../../adapters/memory/notifier.ts';
import { seededRandom } from '../../adapters/memory/random.ts';
import { ApiError, alreadyExists, notFound } from '../../machinery/api/errors.ts';
import type { KubeObject } from '../../machinery/api/object.ts';
import { type Clock, type Notifier, sleep } from '../../machinery/ports.ts';
import { openStore, type Store } from '../../machinery/store/index.ts';
import type { Rules } from '../../machinery/store/rules.ts';
import type { Step, World } from './explore.ts';
import { parkedClock } from './parked-clock.ts';
import { type Fault, parkedTable } from './parked-table.ts';
import { createHistory, type History, type Mark, type } from './store-history.ts';

/** What a process may do; each call is one request of a client. */
export interface Client {
  create(name: string): Promise<void>;
  /** Retried on newer states, as a patch without a resourceVersion. */
  patch(name: string): Promise<void>;
  /** Refused when it loses a race. */
  update(name: string): Promise<void>;
  remove(name: string): Promise<void>;
  list(): Promise<void>;
  /** Until the end of the history; `behind` counts from the position at which the history began. */
  watch(behind: number): Promise<void>;
  rest(ms: number): Promise<void>;
}

export interface Scenario {
  /** Done one after the other before the history begins. */
  before?: (client: Client) => Promise<void>;
  processes: Record<string, (client: Client) => Promise<void>>;
  split?: string[];
  fault?: { process: string; kinds: Fault[] };
  /** One of these may stop for ever, at any moment. */
  crash?: string[];
  /** These may stop once, after any call, until the next jump is over. */
  freeze?: string[];
  /** Milliseconds that may pass at once, in this order: at any moment, or, if it is longer than any call, when none is under way. */
  jumps?: number[];
  rules?: Partial<Rules>;
}

const start = Date.UTC(2026, 0, 1);
const shortWait = 2000;
/** Nothing is left half visible for longer than this, and no call lasts longer than that. */
const longestSplit = 5000;
const longestCall = 30_000;
const forever = 1e12;
const resource = { group: '', plural: type };
const at = (name: string) => ({ namespace: 'default', name });

const clientOf = (process: string, store: Store, history: History, clock: Clock): Client => {
  let requests = 0;
  const request = async (send: (by: string) => Promise<KubeObject>): Promise<void> => {
    const by = `${process}${++requests}`;
    try {
      const { metadata, spec } = await send(by);
      const isMine = (spec as Mark).by === by;
      history.answered({ by, position: isMine ? Number(metadata.resourceVersion) : undefined });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      history.answered({ by, position: undefined });
    }
  };
  const marked = (current: KubeObject | undefined, name: string, by: string): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Widget',
    metadata: { namespace: 'default', uid: `uid-${by}`, ...current?.metadata, name },
    spec: { by, on: Number(current?.metadata.resourceVersion ?? 0) },
  });
  const change = (name: string, by: string, retry: boolean) =>
    store.commit(
      type,
      at(name),
      (current) => {
        if (!current) throw notFound(resource, name);
        return { do: 'put', object: marked(current, name, by) };
      },
      { retry },
    );
  return {
    create: (name) =>
      request((by) =>
        store.commit(type, at(name), (current) => {
          if (current) throw alreadyExists(resource, name);
          return { do: 'put', object: marked(undefined, name, by) };
        }),
      ),
    patch: (name) => request((by) => change(name, by, true)),
    update: (name) => request((by) => change(name, by, false)),
    remove: (name) =>
      request((by) =>
        store.commit(type, at(name), (current) => {
          if (!current) throw notFound(resource, name);
          return { do: 'remove', object: marked(current, name, by) };
        }),
      ),
    list: async () => {
      try {
        const { objects, position } = await store.list(type);
        history.listed(process, position, objects);
      } catch (error) {
        if (!(error instanceof ApiError && error.code === 503)) throw error;
      }
    },
    rest: (ms) => sleep(clock, ms),
    watch: async (behind) => {
      const from = start + behind;
      const { deliver, refused } = history.watching(process, from);
      try {
        for await (const item of store.watch(type, from, new AbortController().signal)) deliver(item);
      } catch (error) {
        if (!(error instanceof ApiError && (error.code === 410 || error.code === 503))) throw error;
        refused();
      }
    },
  };
};

export const storeWorld = ({
  before,
  processes,
  split = [],
  freeze = [],
  fault,
  crash = [],
  jumps = [],
  rules = {},
}: Scenario): World => {
  /** All that a process has learnt so far: it is a function of that. */
  const learnt = new Map<string, string[]>();
  const learn = (process: string, what: string) => {
    learnt.set(process, [...(learnt.get(process) ?? []), `${what} at ${clock.now()}`]);
  };
  const clock = parkedClock(start, (process) => learn(process, 'woke'));
  const history = createHistory(start, clock.now);
  const table = parkedTable({
    clock: clock.of('table'),
    split,
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
