/** The controllers that every installation runs, independent of its kinds. */
import type { Extra } from '../controller/dispatch.ts';
import type { Runners } from '../controller/runtime.ts';
import type { Clock } from '../ports.ts';
import { createQuotaController, quotaRequests } from '../quota/controller.ts';
import { type KnownQuotas, quotaControllerName } from '../quota/quotas.ts';
import { type CollectorOptions, createCollector } from './collector.ts';
import { createDefinitionController, definitionControllerName, definitionRequests } from './definitions.ts';
import { createNamespaceController, namespaceControllerName, namespaceRequests } from './namespace.ts';
import { collectorName, collectorRequests } from './requests.ts';

export interface HousekeepingOptions extends CollectorOptions {
  clock: Pick<Clock, 'now'>;
  /** The types that a deleted namespace's content starts with. */
  first: string[];
  /** PEM of the authorities by which clients verify the API; without it namespaces have none. */
  rootCertificates?: (() => string) | undefined;
  /** The ResourceQuotas of namespaces. */
  quotas: KnownQuotas;
}

/** Garbage collection, deletion of namespaces and definitions, and counts of ResourceQuotas: their runners, and the work requests of changes. */
export const createHousekeeping = (options: HousekeepingOptions): { runners: Runners; extra: Extra[] } => ({
  runners: {
    [collectorName]: createCollector(options),
    [namespaceControllerName]: createNamespaceController(options),
    [definitionControllerName]: createDefinitionController(options),
    [quotaControllerName]: createQuotaController(options),
  },
  extra: [collectorRequests(options), namespaceRequests, definitionRequests(options), quotaRequests(options)],
});
