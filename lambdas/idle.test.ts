/** What a new installation that nobody uses comes to: everything that its beginning made is done, and it falls asleep. */
import { expect, it } from 'vitest';
import { installationPort } from '../adapters/installation/index.ts';
import type { Cloud } from '../kinds/ports/cloud.ts';
import type { Mark } from '../kinds/ports/installation.ts';
import { messageOf, type WorkKey } from '../machinery/controller/index.ts';
import { serves } from './api.ts';
import proxy from './fixtures/api-gateway-proxy.json' with { type: 'json' };
import { controllers as aws } from './reconcile/aws.ts';
import { controllers as core } from './reconcile/core.ts';
import { createDispatching } from './runtime/dispatching.ts';
import { housekeepingOf } from './runtime/everything.ts';
import type { WorkerClass } from './runtime/foundation.ts';
import { positionOf } from './runtime/position.ts';
import { createReconciling, type Reconciling } from './runtime/reconciling.ts';
import { createServing } from './runtime/serving.ts';
import { createSweeping } from './runtime/sweeping.ts';
import { recordedSwitches } from './switches.fixture.ts';
import { createWorld, invocation, type World } from './world.fixture.ts';

const nothing = {
  call: async (_: string, action: string) => {
    if (action === 'DescribeRegions') return { Regions: [{ RegionName: 'eu-central-1' }, { RegionName: 'us-east-1' }] };
    if (action === 'GetResources') return { ResourceTagMappingList: [] };
    throw new Error(`nobody should call ${action}`);
  },
} as unknown as Cloud;

const workersOf = ({ foundation }: World): Partial<Record<WorkerClass, Reconciling>> => {
  let mark: Mark | undefined;
  const marker = {
    read: async () => mark,
    furthest: async () => mark,
    write: async (next: Mark) => {
      mark = next;
    },
  };
  const position = positionOf(foundation, { marker, account: { cloud: nothing, region: 'eu-central-1' } });
  const common = { position, workflows: true, hide: async () => {} };
  const installation = installationPort({ position, cloud: nothing, wake: async () => {}, log: foundation.log });
  return {
    core: createReconciling(foundation, { ...common, controllers: core }),
    aws: createReconciling(foundation, {
      ...common,
      controllers: { installation: aws.installation!, drift: aws.drift! },
      ports: { installation },
    }),
    gc: createReconciling(foundation, { ...common, runners: housekeepingOf(foundation).runners }),
  };
};

const received = (key: WorkKey) => ({
  Records: [
    {
      messageId: 'm',
      receiptHandle: 'r',
      body: messageOf(key),
      attributes: { ApproximateReceiveCount: '1' },
      eventSourceARN: 'arn:aws:sqs:eu-central-1:1:q',
    },
  ],
});

it('does what its beginning made, and falls asleep', async () => {
  const world = createWorld();
  const { foundation, clock, entries, sent } = world;
  const serving = createServing(foundation, {
    authenticate: () => ({ username: 'me', groups: [] }),
    authorize: () => undefined,
  });
  const listed = await serves(() => serving)({ ...proxy, path: '/api/v1/namespaces' }, invocation);
  expect(listed.statusCode).toBe(200);

  const switched: string[] = [];
  const switches = recordedSwitches(switched);
  const dispatching = createDispatching(foundation, switches);
  const workers = workersOf(world);
  let passes = 0;
  while (entries.length > 0 || sent.length > 0) {
    for (const entry of entries.splice(0)) await dispatching.dispatch(entry);
    for (const { worker, key } of sent.splice(0)) {
      await workers[worker]!.receive(received(key as WorkKey));
      passes++;
    }
    expect(passes).toBeLessThan(200);
  }
  expect(passes).toBeGreaterThan(0);

  const sweeping = createSweeping(foundation, switches);
  await sweeping.sweep();
  expect(switched.splice(0)).toEqual(['schedules kept on', 'mappings kept on', 'slow kept off']);
  await clock.advance(11 * 60_000);
  await sweeping.sweep();
  expect([switched, sent]).toEqual([['mappings off', 'schedules off'], []]);
});
