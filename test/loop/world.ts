/** A small world for tests of the loop: the store and the work table in memory, a virtual clock, queues that deliver. */

import { memoryKeys } from '../../adapters/memory/keys.ts';
import { memoryNotifier } from '../../adapters/memory/notifier.ts';
import { memoryQueue } from '../../adapters/memory/queue.ts';
import { seededRandom } from '../../adapters/memory/random.ts';
import { memoryTable } from '../../adapters/memory/table.ts';
import { virtualClock } from '../../adapters/memory/virtual-clock.ts';
import { type KindDefinition, resourceOf } from '../../machinery/api/kind.ts';
import type { DeleteOptions } from '../../machinery/api/lifecycle.ts';
import type { KubeObject } from '../../machinery/api/object.ts';
import type { Wiring } from '../../machinery/api/wiring.ts';
import { createDispatcher, type Dispatcher, type Extra } from '../../machinery/controller/dispatch.ts';
import { type Kinds, kindsOf } from '../../machinery/controller/kinds.ts';
import { type AnyController, createPass, type PassOptions } from '../../machinery/controller/pass.ts';
import type { Ports } from '../../machinery/controller/ports.ts';
import { createReceiver } from '../../machinery/controller/receiver.ts';
import type { Runners } from '../../machinery/controller/runtime.ts';
import { createSweeper } from '../../machinery/controller/sweeper.ts';
import { createWork, type Run, type Work } from '../../machinery/controller/work.ts';
import { createWriter, type ObjectWriter } from '../../machinery/controller/writer.ts';
import type { Awaits } from '../../machinery/operations/awaits.ts';
import { openStore } from '../../machinery/store/open.ts';
import type { LogEntry, Store } from '../../machinery/store/store.ts';
import { damage } from '../damage.ts';
import { make, namespace, toyKinds } from './kinds.ts';

export interface Parts {
  store: Store;
  kinds: Kinds;
  writer: ObjectWriter;
  work: Work;
  clock: { now(): number };
}

export interface WorldOptions {
  kinds?: KindDefinition[];
  controllers?: AnyController[];
  wiring?: Wiring;
  ports?: Ports;
  awaits?: Awaits;
  /** Between the steps of decisions. */
  pause?: () => Promise<void> | undefined;
  /** Controllers that do not run passes, and their watches. */
  more?: (parts: Parts) => { runners: Runners; extra: Extra[] };
}

export const start = Date.parse('2026-01-01T00:00:00Z');

export const createWorld = async ({
  kinds: all = toyKinds,
  controllers = [],
  ports = {},
  ...options
}: WorldOptions) => {
  const clock = virtualClock(start);
  const random = seededRandom(7);
  const kinds = kindsOf(all);
  const entries: LogEntry[] = [];
  const passes: { controller: string; name: string; at: number; ended: string }[] = [];
  let dispatcher: Dispatcher | undefined;
  let busy = 0;

  const table = memoryTable({ clock });
  const store = openStore({
    table,
    clock,
    random,
    keys: memoryKeys(random),
    kinds: all,
    notifier: memoryNotifier(clock),
    onCommit: (entry) => {
      entries.push(entry);
      void dispatcher?.dispatch(entry);
    },
  });
  const queue = memoryQueue(clock, async (message, deliveries) => {
    busy++;
    const verdict = await worker.receive(message, deliveries);
    busy--;
    return verdict;
  });
  const work = createWork({ table: memoryTable({ clock }), queueOf: () => queue, clock, random });
  const writer = createWriter({ store, kinds, clock, random });
  const log = { info: () => {}, error: () => {} };
  const passOptions: PassOptions = {
    store,
    kinds,
    writer,
    ports,
    clock: { ...clock, ...(options.pause && { yield: options.pause }) },
    random,
    log,
    installation: 'test',
    config: {},
    ...(options.awaits && { awaits: options.awaits }),
  };
  const more = options.more?.({ store, kinds, writer, work, clock }) ?? { runners: {}, extra: [] };
  const observed =
    (run: Run): Run =>
    async (key, item) => {
      const at = clock.now();
      let ended = 'thrown';
      try {
        const outcome = await run(key, item);
        ended = outcome.ended;
        return outcome;
      } finally {
        passes.push({ controller: key.controller, name: key.name, at, ended });
      }
    };
  const runners: Runners = {
    ...Object.fromEntries(
      controllers.map((controller) => [
        controller.name,
        { run: observed(createPass(controller, passOptions)), types: () => [kinds.typeOf(controller.for)] },
      ]),
    ),
    ...Object.fromEntries(
      Object.entries(more.runners).map(([name, runner]) => [name, { ...runner, run: observed(runner.run) }]),
    ),
  };
  const worker = {
    ...createReceiver({ work, runners, clock, log }),
    ...createSweeper({ work, runners, log, skipped: { report: async () => {} } }),
  };
  const bare: Wiring = Object.fromEntries(
    controllers.map((c) => [c.name, { for: c.for, worker: 'core', watches: [] }]),
  );
  dispatcher = createDispatcher({ wiring: options.wiring ?? bare, kinds, store, work, extra: more.extra });

  const by = (kind: KindDefinition, name: string, inNamespace: string) => ({
    type: resourceOf(kind),
    key: { namespace: kind.namespaced ? inNamespace : '', name },
  });
  const client = { writer: '', retry: true };
  const world = {
    clock,
    store,
    writer,
    work,
    worker,
    entries,
    passes,
    kinds,
    get: async <T extends KubeObject = KubeObject>(kind: KindDefinition, name: string, inNamespace = 'default') => {
      const { type, key } = by(kind, name, inNamespace);
      return (await store.get(type, key)) as T | undefined;
    },
    create: (object: KubeObject) => writer.create(kinds.named(object.kind), object, client),
    update: (kind: KindDefinition, name: string, change: (object: KubeObject) => KubeObject, inNamespace = 'default') =>
      writer.update(
        kind,
        by(kind, name, inNamespace).key,
        (o) => change({ ...o, metadata: { ...o.metadata, resourceVersion: undefined } as KubeObject['metadata'] }),
        client,
      ),
    remove: (kind: KindDefinition, name: string, more: DeleteOptions = {}, inNamespace = 'default') =>
      writer.remove(kind, by(kind, name, inNamespace).key, { ...client, ...more }),
    damage: (kind: KindDefinition, name: string, inNamespace = 'default') => {
      const { type, key } = by(kind, name, inNamespace);
      return damage(table, type, key);
    },
    /** Advances the clock. */
    seconds: (n: number) => clock.advance(n * 1000),
    isBusy: () => busy > 0,
  };
  if (all.includes(namespace)) await world.create(make(namespace, 'default'));
  return world;
};
