/** One process of the deployment: the functions as they are composed on AWS, over the doors of a site. */

import { createAuthenticate, policy } from '../../../adapters/aws/identity/index.ts';
import type { StreamEvent } from '../../../adapters/aws/lambda/events.ts';
import { lambdaLog } from '../../../adapters/aws/lambda/log.ts';
import { consumeEntries } from '../../../adapters/aws/lambda/log-entries.ts';
import { guarded } from '../../../adapters/cloud/guarded.ts';
import { installationPort, marked } from '../../../adapters/installation/index.ts';
import { pkiPort, workflowsPort, workloadPort } from '../../../adapters/ports.ts';
import { createWorkload } from '../../../adapters/workload/index.ts';
import { lambdaStreaming } from '../../../emulator/host/response-stream.ts';
import { serves } from '../../../lambdas/api.ts';
import { everything, housekeepingOf } from '../../../lambdas/runtime/all-work.ts';
import { createDispatching } from '../../../lambdas/runtime/dispatching.ts';
import { createFoundation } from '../../../lambdas/runtime/foundation.ts';
import { createOperating } from '../../../lambdas/runtime/operating.ts';
import { positionOf } from '../../../lambdas/runtime/position.ts';
import { createReconciling } from '../../../lambdas/runtime/reconciling.ts';
import { createServing } from '../../../lambdas/runtime/serving.ts';
import { createSweeping } from '../../../lambdas/runtime/sweeping.ts';
import { createWaking, wakerOf } from '../../../lambdas/runtime/waking.ts';
import type { StreamingHandler } from '../../../lambdas/streams.ts';
import { watches } from '../../../lambdas/watch.ts';
import { createAwaits } from '../../../machinery/operations/index.ts';
import { type Life, startLife } from '../boundary.ts';
import { dice } from '../dice.ts';
import { parseOnce } from '../parse.ts';
import type { Site } from '../site.ts';
import {
  cloudOf,
  fetchOf,
  keysOf,
  markerOf,
  queueOf,
  switchesOf,
  tableOf,
  transportOf,
  workflowsOf,
} from '../worker-ports.ts';
import { judgedControllers } from './decisions.ts';
import { administratorNames, config } from './identities.ts';

export const installation = 'here';
const region = 'eu-central-1';

const foundationOf = (site: Site, life: Life) =>
  createFoundation({
    installation,
    clock: life.clock,
    random: dice(site.seed, `worker ${life.name}`),
    log: lambdaLog({ clock: life.clock, write: site.log }),
    keys: keysOf(life, site.keys),
    objects: tableOf(life, 'objects', site.objects),
    work: tableOf(life, 'work', site.work),
    queueOf: (worker, slow) => queueOf(life, site.queueOf(worker, slow)),
    parse: parseOnce,
  });

const begin = (site: Site, name: string, mayLinger: boolean) => {
  const { seed, clock, faults, coverage } = site;
  const life = startLife({ name, seed, clock, faults, coverage, mayLinger });
  return { life, foundation: foundationOf(site, life) };
};

/** What every function but the API's can do. */
export const startWorker = (site: Site, name: string) => {
  const { life, foundation } = begin(site, name, true);
  const cloud = cloudOf(life, site.cloud);
  const workflows = workflowsOf(life, site.workflows);
  let isThawed = false;
  const position = positionOf(foundation, {
    marker: markerOf(life, site.marker),
    account: { cloud, region },
    onChange: (isFrozen) => {
      isThawed = !isFrozen;
    },
  });
  const reconciling = createReconciling(foundation, {
    controllers: Object.fromEntries(
      judgedControllers(site.breaks, site.onPass).map((controller) => [controller.name, async () => controller]),
    ),
    runners: housekeepingOf(foundation).runners,
    ports: {
      cloud: marked(guarded(cloud), position),
      workload: marked(workloadPort(createWorkload({ transport: transportOf(life, site.transport) })), position),
      installation: installationPort({ position, cloud, wake: wakerOf(foundation), log: foundation.log }),
      pki: pkiPort(site.pki),
      workflows: workflowsPort(workflows),
    },
    awaits: createAwaits(foundation.work, workflows),
    position,
    workflows: true,
    hide: ({ receipt }, seconds) => life.pass('queue.hide', () => site.hide(receipt, seconds)),
    settled: async () => {
      if (!isThawed) return;
      const all = everything(foundation);
      await all.sweep();
      await all.resync();
      isThawed = false;
    },
  });
  const switches = switchesOf(life, site.switches);
  const dispatching = createDispatching(foundation, switches);
  return {
    life,
    reconciling,
    dispatch: (event: StreamEvent) => consumeEntries(event, dispatching),
    operating: createOperating(foundation, switches),
    sweeping: createSweeping(foundation, switches),
    everything: everything(foundation),
    waking: createWaking(foundation),
  };
};
export type SimulatedWorker = ReturnType<typeof startWorker>;

/** The Kubernetes API: as it answers at once, and as it streams. */
export const startServer = (site: Site, name: string) => {
  const { life, foundation } = begin(site, name, false);
  const { clock, log } = foundation;
  const serving = createServing(foundation, {
    authenticate: createAuthenticate(config, { fetch: fetchOf(life, site.fetch), clock, log }),
    authorize: policy({ administrators: administratorNames }),
  });
  return {
    life,
    answer: serves(() => serving),
    stream: watches(() => serving, lambdaStreaming) as StreamingHandler,
  };
};
