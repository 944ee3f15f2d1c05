/** All work items, for the sweep: it reads names and types and runs no controller. */
import {
  createWorker,
  type Hours,
  type Runners,
  resyncRequests,
  type Worker,
} from '../../machinery/controller/index.ts';
import { createHousekeeping } from '../../machinery/gc/index.ts';
import { controllers as wiring } from '../../wiring.ts';
import type { Foundation } from './foundation.ts';

export const housekeepingOf = (foundation: Foundation) => {
  const { store, kinds, writer, workItems, clock, log } = foundation;
  return createHousekeeping({ store, kinds, writer, work: workItems, clock, log, first: [kinds.typeOf('Cluster')] });
};

const runsElsewhere = () => Promise.reject(new Error('passes are run by the workers'));

export const everything = (foundation: Foundation): Pick<Worker, 'sweep' | 'resync' | 'rests'> => {
  const { kinds, store, workItems, clock, log } = foundation;
  const runners: Runners = Object.fromEntries(
    Object.entries(wiring).map(([controller, wires]) => [
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
