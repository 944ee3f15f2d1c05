/** Finds lost work and resyncs, for all controllers: it reads names and types and runs no pass. */
import { createSweeper, type Hours, resyncRequests, type Sweeper } from '../machinery/controller/index.ts';
import { createSkippedReports } from '../machinery/controller/skipped.ts';
import { createHousekeeping } from '../machinery/gc/index.ts';
import type { Foundation } from './foundation.ts';

export const housekeepingOf = (foundation: Foundation) => {
  const { store, kinds, writer, workItems, clock, log, work: table, quotas, rootCertificates } = foundation;
  const skipped = createSkippedReports({ table, clock, log });
  const first = [kinds.typeOf('Cluster')];
  return createHousekeeping({
    store,
    kinds,
    writer,
    work: workItems,
    clock,
    log,
    skipped,
    first,
    quotas: quotas.known,
    rootCertificates,
  });
};

export const composeSweep = (foundation: Foundation): Sweeper => {
  const { kinds, store, workItems, clock, log, catalog, work: table } = foundation;
  const controllers = Object.fromEntries(
    Object.entries(catalog.wiring).map(([controller, wires]) => [
      controller,
      {
        types: () => [kinds.typeOf(wires.for)],
        resync: (hours?: Hours) => resyncRequests({ kinds, store }, controller, wires, hours),
      },
    ]),
  );
  return createSweeper({
    work: workItems,
    runners: { ...controllers, ...housekeepingOf(foundation).runners },
    log,
    skipped: createSkippedReports({ table, clock, log }),
  });
};
