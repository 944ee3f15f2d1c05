/** Finds lost work and resyncs, for all controllers: it reads names and types and runs no pass. */
import { createWorker, type Hours, type Runners, resyncRequests, type Worker } from '../machinery/controller/index.ts';
import { createHousekeeping } from '../machinery/gc/index.ts';
import type { Foundation } from './foundation.ts';

export const housekeepingOf = (foundation: Foundation) => {
  const { store, kinds, writer, workItems, clock, log } = foundation;
  return createHousekeeping({ store, kinds, writer, work: workItems, clock, log, first: [kinds.typeOf('Cluster')] });
};

const runsElsewhere = () => Promise.reject(new Error('passes are run by the workers'));

export type Sweep = Pick<Worker, 'sweep' | 'resync' | 'rests' | 'recover'>;

export const composeSweep = (foundation: Foundation): Sweep => {
  const { kinds, store, workItems, clock, log, catalog } = foundation;
  const runners: Runners = Object.fromEntries(
    Object.entries(catalog.wiring).map(([controller, wires]) => [
      controller,
      {
        run: runsElsewhere,
        types: () => [kinds.typeOf(wires.for)],
        resync: (hours?: Hours) => resyncRequests({ kinds, store }, controller, wires, hours),
      },
    ]),
  );
  return createWorker({ work: workItems, clock, log, runners: { ...runners, ...housekeepingOf(foundation).runners } });
};
