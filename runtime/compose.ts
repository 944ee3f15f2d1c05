/**
 * Composes a whole installation over ports, for one process: on a laptop, and for each worker of
 * the simulator. On AWS each function calls the functions for its own part alone, so that its
 * bundle stays small and its role permits no more than that part needs.
 */
import { decisionsPort } from '../adapters/decisions/index.ts';
import { marked, type Position } from '../adapters/installation/index.ts';
import { pkiPort, workloadPort } from '../adapters/ports.ts';
import { createSnapshots, snapshotsPort } from '../adapters/snapshots/index.ts';
import type { LinkTo } from '../adapters/snapshots/links.ts';
import type { ToScratch } from '../adapters/snapshots/scratch.ts';
import { createWorkload } from '../adapters/workload/index.ts';
import type { InstallationSpec } from '../kinds/capstan/installation/index.ts';
import type { Cloud } from '../kinds/ports/cloud/index.ts';
import type { Pki } from '../kinds/ports/pki.ts';
import type { Transport } from '../kinds/ports/transport.ts';
import type { Ports, Work, Worker } from '../machinery/controller/index.ts';
import type { ObjectStorage } from '../machinery/object-storage.ts';
import type { Workflows } from '../machinery/ports.ts';
import { accountPorts } from './account-ports.ts';
import { type ApiOptions, composeApi } from './api.ts';
import { apiPort } from './api-port.ts';
import { composeDispatch } from './dispatch.ts';
import { extensionsPort } from './extensions/port.ts';
import { ensureFirstObjects } from './first-objects.ts';
import { type Catalog, composeFoundation, type Foundation, type RuntimePorts } from './foundation.ts';
import { composeOperations } from './operations.ts';
import { composeRights } from './rights.ts';
import { composeSweep, housekeepingOf } from './sweep.ts';
import { alarmWaker, groupWaker, instanceWaker } from './wake.ts';
import { composeWorker, type WorkerParts } from './worker.ts';

export interface InstallationPorts extends RuntimePorts {
  cloud: Cloud;
  /** Connections to workload clusters. */
  transport: Transport;
  pki: Pki;
  workflows: Workflows;
  /** The files of etcd snapshots and decisions, links to them, and where one is opened. */
  files: ObjectStorage;
  /** The keys beside snapshots. */
  keyFiles: ObjectStorage;
  linkTo: LinkTo;
  toScratch: ToScratch;
}

export interface CompositionOptions extends Pick<WorkerParts, 'controllers' | 'config' | 'onPass'> {
  /** Capstan's own by default. */
  catalog?: Catalog;
  /** Whether the installation may act on its account. */
  positionOf: (foundation: Foundation) => Position;
  /** Takes the work requests of changes and of workflows; by default the work items themselves. */
  requestsOf?: (foundation: Foundation) => Pick<Work, 'request'>;
  /** Ports of controllers, in addition or in their place. */
  ports?: Ports | undefined;
}

export const compose = (ports: InstallationPorts, options: CompositionOptions) => {
  const foundation = composeFoundation(ports, options.catalog);
  const policy = composeRights(foundation);
  const position = options.positionOf(foundation);
  const requests = options.requestsOf?.(foundation);
  const operations = composeOperations(foundation, ports.workflows, requests);
  const { receive } = composeWorker(foundation, {
    ...(options.controllers && { controllers: options.controllers }),
    runners: housekeepingOf(foundation).runners,
    ports: {
      ...accountPorts(foundation, ports, position),
      workload: marked(workloadPort(createWorkload({ transport: ports.transport })), position),
      pki: pkiPort(ports.pki),
      api: apiPort(foundation),
      extensions: extensionsPort(foundation),
      snapshots: marked(
        snapshotsPort(createSnapshots({ ...ports, storage: ports.files, keyStorage: ports.keyFiles })),
        position,
      ),
      decisions: marked(decisionsPort(ports.files), position),
      ...options.ports,
    },
    awaits: operations.awaits,
    onPass: options.onPass,
    position,
    config: options.config,
  });
  const worker: Worker = { ...composeSweep(foundation), receive };
  return {
    foundation,
    position,
    operations,
    worker,
    dispatcher: composeDispatch(foundation, requests),
    wakeInstance: instanceWaker(foundation),
    wakeAlarm: alarmWaker(foundation),
    wakeGroup: groupWaker(foundation),
    apiOf: (apiOptions: ApiOptions) =>
      composeApi(foundation, { policy, ...apiOptions }, options.config?.workflows !== false),
    ensureFirstObjects: async (spec?: InstallationSpec) => {
      await ensureFirstObjects(foundation, spec);
      await policy.ensureDefaults();
    },
  };
};
