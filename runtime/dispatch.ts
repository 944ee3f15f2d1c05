/** Turns changes of objects into work items. */
import { createDispatcher, type Work } from '../machinery/controller/index.ts';
import { definitionRequests } from '../machinery/gc/definitions.ts';
import { namespaceRequests } from '../machinery/gc/namespace.ts';
import { collectorRequests } from '../machinery/gc/requests.ts';
import { quotaRequests } from '../machinery/quota/controller.ts';
import type { Foundation } from './foundation.ts';

/** `work` takes the requests. */
export const composeDispatch = (
  { store, kinds, catalog: { wiring }, workItems, quotas }: Foundation,
  work: Pick<Work, 'request'> = workItems,
) =>
  createDispatcher({
    wiring,
    kinds,
    store,
    extra: [
      collectorRequests({ kinds, store }),
      namespaceRequests,
      definitionRequests({ kinds }),
      quotaRequests({ quotas: quotas.known }),
    ],
    work,
  });
