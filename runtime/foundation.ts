/** What every process of an installation builds on: the store, a writer and the work items. */
import { memoryNotifier } from '../adapters/memory/notifier.ts';
import { withContractRole } from '../kinds/core/contract/contract-role.ts';
import { extensionConfig } from '../kinds/extensions/extension-config/kind.ts';
import { kindsOnDemand } from '../kinds/on-demand.ts';
import { createUsersAdmission } from '../machinery/admission/users-admission.ts';
import { type Kind, type KindFacts, resourceOf } from '../machinery/api/kind.ts';
import { policyMark } from '../machinery/api/rbac.ts';
import { quotaMark } from '../machinery/api/resource-quota.ts';
import type { CallWebhook } from '../machinery/api/webhook.ts';
import type { Wiring } from '../machinery/api/wiring.ts';
import { createWork, createWriter } from '../machinery/controller/index.ts';
import { allKinds } from '../machinery/custom/kinds.ts';
import { createCustomKinds } from '../machinery/custom/lookup.ts';
import { converterOf } from '../machinery/custom/webhook.ts';
import { createMarked } from '../machinery/marked.ts';
import { onDemand } from '../machinery/once.ts';
import type { Clock, Keys, Log, Queue, Random, Table } from '../machinery/ports.ts';
import { createQuotaCheck, quotasIn } from '../machinery/quota/quotas.ts';
import { type LogEntry, openStore, type Parse } from '../machinery/store/index.ts';
import { withServices } from '../machinery/webhook-services.ts';
import { controllers as ownWiring } from '../wiring.ts';
import { registrationsOf } from './extensions/registrations.ts';
import { afterStalePass } from './stale-pass.ts';

export const workerClasses = ['core', 'aws', 'workload', 'gc'] as const;
export type WorkerClass = (typeof workerClasses)[number];

/** Capstan's own objects, and what controllers report: a wrong policy of users must not hide itself. */
const keepsRecords = ({ group, kind, served }: KindFacts): boolean =>
  served === false || group === 'capstan.dev' || kind === 'Event' || kind === 'Lease';

const extensionType = resourceOf(extensionConfig);

const cannotCall: CallWebhook = async () => {
  throw new Error('this process calls no webhooks');
};

/** The ports of every process. */
export interface RuntimePorts {
  installation: string;
  clock: Clock;
  random: Random;
  log: Log;
  keys: Keys;
  /** Objects and their log; work items. */
  objects: Table;
  work: Table;
  queueOf: (worker: WorkerClass, slow: boolean) => Queue;
  /** The stored format that every process reads, and that is written; the newest by default. */
  format?: () => Promise<number>;
  /** Calls webhooks of users, in processes that answer their requests. */
  callWebhook?: CallWebhook;
  /** PEM of the authorities by which clients verify the API, for the namespaces. */
  rootCertificates?: () => string;
  /** Called after each change that this process made. */
  onCommit?: (entry: LogEntry) => void;
  /** Bytes of bodies that one page of a list may read, for processes with little memory. */
  pageBytes?: number;
  /** Bodies of at least this many bytes are compressed; by default all. */
  packFrom?: number;
  /** Parser of stored bodies, shared where one process simulates many. */
  parse?: Parse;
}

/** What the installation serves and reconciles. */
export interface Catalog {
  kinds: readonly Kind[];
  wiring: Wiring;
}
const ownCatalog: Catalog = { kinds: kindsOnDemand, wiring: ownWiring };

export const composeFoundation = (ports: RuntimePorts, given: Catalog = ownCatalog) => {
  const catalog: Catalog = { ...given, kinds: given.kinds.map(withContractRole) };
  const { clock, random, keys } = ports;
  const { wiring } = catalog;
  /** Housekeeping has no watches: it handles every kind. */
  const classOf = (controller: string): WorkerClass =>
    Object.hasOwn(wiring, controller) ? (wiring[controller]!.worker as WorkerClass) : 'gc';
  const store = openStore({
    table: ports.objects,
    clock,
    random,
    keys,
    kinds: catalog.kinds,
    notifier: memoryNotifier(clock),
    onCommit: (entry) => {
      // A hook may be due at once.
      if (entry.type === extensionType) marked.changed();
      ports.onCommit?.(entry);
    },
    ...(ports.format && { format: ports.format }),
    ...(ports.parse && { parse: ports.parse }),
    ...(ports.pageBytes && { pageBytes: ports.pageBytes }),
    ...(ports.packFrom !== undefined && { packFrom: ports.packFrom }),
  });
  const marked = createMarked({ store, clock, mark: policyMark, what: 'the rights of users' });
  const markedQuotas = createMarked({ store, clock, mark: quotaMark, what: 'ResourceQuotas' });
  const known = quotasIn(markedQuotas);
  const callWebhook = withServices(ports.callWebhook ?? cannotCall, store);
  const custom = createCustomKinds({
    store,
    clock,
    log: ports.log,
    converterOf: (conversion) => converterOf(conversion, { call: callWebhook, uid: () => random.uuid() }),
    complete: withContractRole,
  });
  const kinds = allKinds(catalog.kinds, custom, clock);
  const admission = createUsersAdmission({ marked, store, kinds, callWebhook, uid: () => random.uuid() });
  const writer = createWriter({
    store,
    kinds,
    clock,
    random,
    prepare: onDemand(async () => (await import('../machinery/server/prepare.ts')).prepareObject),
    admission,
    checkQuotas: createQuotaCheck(store, known),
    exempts: keepsRecords,
    own: onDemand(async () => (await import('../machinery/server/owners.ts')).ownedByController),
  });
  return {
    ...ports,
    catalog,
    store,
    marked,
    quotas: { known, changed: markedQuotas.changed },
    admission,
    custom,
    kinds,
    writer,
    callWebhook,
    registrations: marked.copy({ extensions: extensionType }, ({ extensions }) => registrationsOf(extensions)),
    workItems: createWork({
      table: ports.work,
      queueOf: (controller, slow = false) => ports.queueOf(classOf(controller), slow),
      clock,
      random,
      onStalePass: afterStalePass({ kinds, writer, clock }),
    }),
  };
};
export type Foundation = ReturnType<typeof composeFoundation>;
