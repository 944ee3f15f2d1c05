/** One process of the deployment: the functions as composed on AWS, with the ports of a site. */

import { createAuthenticate, withNamedGroups } from '../../../adapters/aws/identity/index.ts';
import type { StreamEvent } from '../../../adapters/aws/lambda/events.ts';
import { lambdaLog } from '../../../adapters/aws/lambda/log.ts';
import { consumeEntries } from '../../../adapters/aws/lambda/log-entries.ts';
import type { SqsEvent } from '../../../adapters/aws/queue/index.ts';
import { memoryScratch } from '../../../adapters/snapshots/scratch.ts';
import { lambdaStreaming } from '../../../emulator/host/response-stream.ts';
import { administratorsGroup } from '../../../kinds/common/groups.ts';
import { serves } from '../../../lambdas/api.ts';
import { receives } from '../../../lambdas/audit-webhook.ts';
import { awakeningWork } from '../../../lambdas/runtime/awakening-work.ts';
import { createDispatching } from '../../../lambdas/runtime/dispatching.ts';
import { createReceiving } from '../../../lambdas/runtime/receiving.ts';
import { onMessages } from '../../../lambdas/runtime/reconciling.ts';
import { createServing } from '../../../lambdas/runtime/serving.ts';
import { createSweeping } from '../../../lambdas/runtime/sweeping.ts';
import type { StreamingHandler } from '../../../lambdas/streams.ts';
import { watches } from '../../../lambdas/watch.ts';
import type { ObjectKey } from '../../../machinery/api/object.ts';
import { compose } from '../../../runtime/compose.ts';
import { composeFoundation, type RuntimePorts, type WorkerClass } from '../../../runtime/foundation.ts';
import { positionOf } from '../../../runtime/position.ts';
import { afterThaw } from '../../../runtime/thaw.ts';
import type { InstanceChange } from '../../../runtime/wake.ts';
import { keysUnderRole, tableUnderRole } from '../../build/roles.fixture.ts';
import { type Life, startLife } from '../boundary.ts';
import { dice } from '../dice.ts';
import { parseOnce } from '../parse.ts';
import type { Site } from '../site.ts';
import {
  cloudOf,
  fetchOf,
  filesOf,
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
import { reportSettings } from './reports.ts';
import { asFunction, roleIn } from './roles.ts';

export const installation = 'here';
const region = 'eu-central-1';

const portsOf = (site: Site, life: Life): RuntimePorts => ({
  installation,
  clock: life.clock,
  random: dice(site.seed, `worker ${life.name}`),
  log: lambdaLog({ clock: life.clock, write: site.log }),
  keys: keysOf(life, keysUnderRole(roleIn(site), site.keys)),
  objects: tableOf(life, 'objects', tableUnderRole(roleIn(site), 'objects', site.objects)),
  work: tableOf(life, 'work', tableUnderRole(roleIn(site), 'work', site.work)),
  queueOf: (worker, slow) => queueOf(life, site.queueOf(worker, slow)),
  parse: parseOnce,
});

const begin = (site: Site, name: string, mayLinger: boolean): Life => {
  const { seed, clock, faults, coverage } = site;
  return startLife({ name, seed, clock, faults, coverage, mayLinger });
};

/** The handlers of all functions except the API's. */
export const startWorker = (site: Site, name: string) => {
  const life = begin(site, name, true);
  const cloud = cloudOf(life, site.cloud);
  const switches = switchesOf(life, site.switches);
  const ports = portsOf(site, life);
  const { foundation, operations, worker, wakeInstance } = compose(
    {
      ...ports,
      cloud,
      transport: transportOf(life, site.transport),
      pki: site.pki,
      workflows: workflowsOf(life, site.workflows),
      files: filesOf(life, site.files),
      keyFiles: filesOf(life, site.keyFiles),
      linkTo: site.links.linkTo,
      toScratch: memoryScratch,
    },
    {
      controllers: Object.fromEntries(
        judgedControllers(site.breaks, site.onPass).map((controller) => [controller.name, async () => controller]),
      ),
      config: { speed: 1, workflows: true, push: reportSettings },
      positionOf: (foundation) =>
        positionOf(foundation, {
          marker: markerOf(life, site.marker),
          account: { cloud, region },
          onChange: (isFrozen) => thaw.onChange(isFrozen),
        }),
      requestsOf: (foundation) => awakeningWork(foundation, switches),
    },
  );
  const thaw = afterThaw(async () => worker);
  const dispatching = createDispatching(foundation, switches);
  const receiving = createReceiving({ ...ports, queue: ports.queueOf('workload', false) });
  const reconciling = onMessages(worker, foundation, {
    hide: ({ receipt }, seconds) => life.pass('queue.hide', () => site.hide(receipt, seconds)),
    settled: thaw.settled,
  });
  const sweeping = createSweeping(foundation, switches);
  const receive = receives(() => receiving);
  return {
    life,
    reconcile: (event: SqsEvent, of: WorkerClass) => asFunction(`reconcile-${of}`, () => reconciling.receive(event)),
    dispatch: (event: StreamEvent) => asFunction('dispatch', () => consumeEntries(event, dispatching)),
    operate: (payload: unknown) => asFunction('operate', () => operations.operate(payload)),
    ended: (operation: ObjectKey) => asFunction('executions', () => operations.ended(operation)),
    sweep: (run: 'sweep' | 'resync') => asFunction('sweep', () => sweeping[run]()),
    recover: (arrived: number) => asFunction('sweep', () => sweeping.recover(arrived)),
    everything: worker,
    wake: (change: InstanceChange) => asFunction('instances', () => wakeInstance(change)),
    receive: ((event, invocation) => asFunction('audit-webhook', () => receive(event, invocation))) as typeof receive,
  };
};
export type SimulatedWorker = ReturnType<typeof startWorker>;

/** The Kubernetes API with its buffered and streaming handlers. */
export const startServer = (site: Site, name: string) => {
  const life = begin(site, name, false);
  const foundation = composeFoundation(portsOf(site, life));
  const { clock, log } = foundation;
  const servingAs = (keepsPolicy: boolean) => {
    const serving = createServing(foundation, {
      authenticate: withNamedGroups(createAuthenticate(config, { fetch: fetchOf(life, site.fetch), clock, log }), {
        [administratorsGroup]: administratorNames,
      }),
      keepsPolicy,
    });
    return () => serving;
  };
  const answer = serves(servingAs(true));
  const stream = watches(servingAs(false), lambdaStreaming) as StreamingHandler;
  return {
    life,
    answer: ((event, invocation) => asFunction('api', () => answer(event, invocation))) as typeof answer,
    stream: ((event, out, invocation) => asFunction('watch', () => stream(event, out, invocation))) as StreamingHandler,
  };
};
