/** The base of every function: ports, store and work items. */
import { memoryNotifier } from '../../adapters/memory/notifier.ts';
import { kindsOnDemand } from '../../kinds/on-demand.ts';
import { afterLostLease } from '../../local/lost-lease.ts';
import { createWork, createWriter, kindsOf } from '../../machinery/controller/index.ts';
import { onDemand } from '../../machinery/once.ts';
import type { Clock, Keys, Log, Queue, Random, Table } from '../../machinery/ports.ts';
import { openStore, type Parse } from '../../machinery/store/index.ts';
import { controllers as wiring } from '../../wiring.ts';

export const workerClasses = ['core', 'aws', 'workload', 'gc'] as const;
export type WorkerClass = (typeof workerClasses)[number];

export interface Doors {
  installation: string;
  clock: Clock;
  random: Random;
  log: Log;
  keys: Keys;
  /** Objects and their log; work items. */
  objects: Table;
  work: Table;
  queueOf: (worker: WorkerClass, slow: boolean) => Queue;
  /** Bytes of bodies that one page of a list may read, for processes with little memory. */
  pageBytes?: number;
  /** Parser of stored bodies, shared where one process simulates many. */
  parse?: Parse;
}

/** Housekeeping has no watches: it handles every kind. */
export const classOf = (controller: string): WorkerClass =>
  Object.hasOwn(wiring, controller) ? wiring[controller as keyof typeof wiring].worker : 'gc';

export const createFoundation = (doors: Doors) => {
  const { clock, random, keys } = doors;
  const store = openStore({
    table: doors.objects,
    clock,
    random,
    keys,
    kinds: kindsOnDemand,
    notifier: memoryNotifier(clock),
    ...(doors.parse && { parse: doors.parse }),
    ...(doors.pageBytes && { pageBytes: doors.pageBytes }),
  });
  const kinds = kindsOf(kindsOnDemand);
  const writer = createWriter({
    store,
    kinds,
    clock,
    random,
    prepare: onDemand(async () => (await import('../../machinery/server/prepare.ts')).prepareObject),
  });
  return {
    ...doors,
    store,
    kinds,
    writer,
    workItems: createWork({
      table: doors.work,
      queueOf: (controller, slow = false) => doors.queueOf(classOf(controller), slow),
      clock,
      random,
      late: afterLostLease({ kinds, writer, clock }),
    }),
  };
};
export type Foundation = ReturnType<typeof createFoundation>;
