/** The end of an idle installation: pending work is done, and it falls asleep. */

import { expect, it } from 'vitest';
import type { Switch } from '../adapters/aws/timers/awake.ts';
import { installationPort } from '../adapters/installation/index.ts';
import type { Cloud } from '../kinds/ports/cloud/index.ts';
import type { Mark } from '../kinds/ports/installation.ts';
import { controllers as aws } from '../kinds/workers/aws.ts';
import { controllers as core } from '../kinds/workers/core.ts';
import { controllers as workload } from '../kinds/workers/workload.ts';
import { messageOf, type WorkKey } from '../machinery/controller/index.ts';
import { noRestrictions } from '../machinery/server/index.ts';
import type { WorkerClass } from '../runtime/foundation.ts';
import { positionOf } from '../runtime/position.ts';
import { housekeepingOf } from '../runtime/sweep.ts';
import { serves } from './api.ts';
import proxy from './fixtures/api-gateway-proxy.json' with { type: 'json' };
import { lostChangesEvent } from './lost-changes.fixture.ts';
import { createDispatching } from './runtime/dispatching.ts';
import { createReconciling, type Reconciling } from './runtime/reconciling.ts';
import { createServing } from './runtime/serving.ts';
import { createSweeping } from './runtime/sweeping.ts';
import { sweeps } from './sweep.ts';
import { recordedSwitches } from './switches.fixture.ts';
import { createWorld, invocation, type World } from './world.fixture.ts';

const nothing = {
  call: async (_: string, action: string) => {
    if (action === 'DescribeRegions') return { Regions: [{ RegionName: 'eu-central-1' }, { RegionName: 'us-east-1' }] };
    if (action === 'GetResources') return { ResourceTagMappingList: [] };
    throw new Error(`the test calls no ${action}`);
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
  const common = { position, config: { speed: 1, workflows: true }, hide: async () => {} };
  const installation = installationPort({ position, cloud: nothing, wake: async () => {}, log: foundation.log });
  return {
    core: createReconciling(foundation, { ...common, controllers: core }),
    workload: createReconciling(foundation, { ...common, controllers: workload }),
    aws: createReconciling(foundation, {
      ...common,
      controllers: {
        installation: aws.installation!,
        drift: aws.drift!,
        'instance-status': aws['instance-status']!,
        'infrastructure-checks': aws['infrastructure-checks']!,
      },
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

const setUp = async () => {
  const world = createWorld();
  const { foundation, clock, entries, sent } = world;
  const serving = createServing(foundation, {
    authenticate: () => ({ username: 'me', groups: [] }),
    rightsOf: () => noRestrictions,
  });
  const switched: string[] = [];
  const recorded = recordedSwitches(switched);
  let refusals = 0;
  const mappings: Switch = {
    ...recorded.mappings,
    enable: () => {
      if (refusals === 0) return recorded.mappings.enable();
      refusals--;
      switched.splice(0);
      return Promise.reject(new Error('refused'));
    },
  };
  const switches = { ...recorded, mappings };
  /** Makes the next `times` attempts to enable the mappings fail. */
  const refuse = (times: number) => {
    refusals = times;
  };
  const dispatching = createDispatching(foundation, switches);
  const sweeping = createSweeping(foundation, switches);
  const workers = workersOf(world);

  const ask = async (httpMethod: string, path: string, body: object | null = null) => {
    const type = httpMethod === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const multiValueHeaders = { ...proxy.multiValueHeaders, 'Content-Type': [type] };
    const request = { ...proxy, httpMethod, path, multiValueHeaders, body: body && JSON.stringify(body) };
    return (await serves(() => serving)(request, invocation)).statusCode;
  };
  /** Runs passes until no work is left; returns their number. */
  const settle = async () => {
    let passes = 0;
    while (entries.length > 0 || sent.length > 0) {
      const batch = entries.splice(0);
      for (const entry of batch) await dispatching.dispatch(entry);
      await dispatching.note(batch);
      for (const { worker, key } of sent.splice(0)) {
        await workers[worker]!.receive(received(key as WorkKey));
        passes++;
      }
      expect(passes).toBeLessThan(200);
    }
    return passes;
  };
  const sweep = async () => {
    await sweeping.sweep();
    return { passes: await settle(), switched: switched.splice(0) };
  };
  const resync = async () => {
    await sweeping.resync();
    return { passes: await settle(), switched: switched.splice(0) };
  };
  expect(await ask('GET', '/api/v1/namespaces')).toBe(200);
  /** Drops the changes, as the stream's mapping does after its last retry. */
  const lose = () => entries.splice(0);
  /** Handles the notification about dropped changes, the last of which arrived at `arrived`. */
  const hear = async (arrived: number) => {
    await sweeps(() => sweeping)(lostChangesEvent(arrived), invocation);
    return { passes: await settle(), switched: switched.splice(0) };
  };
  return { clock, foundation, ask, settle, sweep, resync, lose, hear, refuse };
};

const period = 10 * 60_000;
const namespaces = '/api/v1/namespaces';
const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'lost' } };
const keptOn = { switched: ['schedules kept on', 'mappings kept on', 'slow kept off'] };
const looksAgain = { switched: ['schedules kept on', 'mappings kept on', 'slow on'] };
const asleep = { passes: 0, switched: ['mappings off', 'schedules off'] };

it('finishes its start-up work and falls asleep', async () => {
  const { clock, settle, sweep } = await setUp();
  expect(await settle()).toBeGreaterThan(0);
  expect(await sweep()).toMatchObject(keptOn);
  await clock.advance(period + 60_000);
  expect(await sweep()).toMatchObject(looksAgain);
  await clock.advance(period);
  expect(await sweep()).toEqual(asleep);
});

it('finds a change without an event before it falls asleep', async () => {
  const { clock, ask, settle, sweep, lose } = await setUp();
  expect(await ask('POST', namespaces, namespace)).toBe(201);
  await settle();
  expect(await ask('DELETE', `${namespaces}/lost`)).toBe(200);
  lose();
  expect(await settle()).toBe(0);
  await clock.advance(period + 60_000);
  expect(await sweep()).toMatchObject(looksAgain);
  expect(await ask('GET', `${namespaces}/lost`)).toBe(404);
  await clock.advance(period + 60_000);
  expect(await sweep()).toEqual(asleep);
});

it('wakes up for changes that were dropped while it slept, and resyncs everything', async () => {
  const { clock, ask, settle, sweep, lose, hear } = await setUp();
  expect(await ask('POST', namespaces, namespace)).toBe(201);
  await settle();
  for (let sweeps = 0; sweeps < 2; sweeps++) {
    await clock.advance(period + 60_000);
    await sweep();
  }
  expect(await ask('DELETE', `${namespaces}/lost`)).toBe(200);
  const deleted = clock.now();
  lose();
  await clock.advance(6 * 3600_000);
  const heard = await hear(deleted);
  expect(heard.switched).toEqual(['slow on', 'schedules on', 'mappings on']);
  expect(heard.passes).toBeGreaterThan(0);
  expect(await ask('GET', `${namespaces}/lost`)).toBe(404);
  for (let sweeps = 0; sweeps < 2; sweeps++) {
    await clock.advance(period + 60_000);
    await sweep();
  }
  await clock.advance(period);
  expect(await sweep()).toEqual(asleep);
});

it('resyncs once for all changes dropped before', async () => {
  const { clock, hear } = await setUp();
  const early = clock.now();
  await clock.advance(6 * 3600_000);
  expect((await hear(early)).passes).toBeGreaterThan(0);
  await clock.advance(5 * 60_000);
  expect(await hear(early + 3600_000)).toEqual({ passes: 0, switched: [] });
  expect((await hear(clock.now())).passes).toBeGreaterThan(0);
});

it('retries until polling is enabled for the work that it found', async () => {
  const { clock, foundation, hear, refuse } = await setUp();
  await foundation.work.write({ put: { pk: 'awake', sk: 'installation', state: 'asleep', last: 0 } });
  const arrived = clock.now();
  refuse(2);
  await expect(hear(arrived)).rejects.toThrow('refused');
  await clock.advance(2 * 60_000);
  await expect(hear(arrived)).rejects.toThrow('refused');
  await clock.advance(2 * 60_000);
  expect((await hear(arrived)).switched).toEqual(['schedules on', 'mappings on']);
});

it('enables polling for the work of a resync that overlaps with falling asleep', async () => {
  const { foundation, settle, sweep, resync } = await setUp();
  await settle();
  await sweep();
  await foundation.work.write({ put: { pk: 'awake', sk: 'installation', state: 'asleep', last: 0 } });
  expect((await resync()).switched).toEqual(['slow on', 'schedules on', 'mappings on']);
});

it('falls asleep after a Cluster that never had resources in the account', async () => {
  const { clock, ask, settle, sweep } = await setUp();
  const clusters = '/apis/cluster.x-k8s.io/v1beta2/namespaces/default/clusters';
  const infrastructureRef = { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'AWSCluster', name: 'missing' };
  const cluster = {
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'Cluster',
    metadata: { name: 'paused' },
    spec: { paused: true, infrastructureRef },
  };
  expect(await ask('POST', clusters, cluster)).toBe(201);
  await settle();
  for (let sweeps = 0; sweeps < 3; sweeps++) {
    await clock.advance(period);
    expect(await sweep()).toMatchObject(keptOn);
  }
  expect(await ask('DELETE', `${clusters}/paused`)).toBe(200);
  expect(await ask('PATCH', `${clusters}/paused`, { metadata: { finalizers: null } })).toBe(200);
  expect(await ask('GET', `${clusters}/paused`)).toBe(404);
  await settle();
  await clock.advance(period + 60_000);
  expect(await sweep()).toMatchObject(looksAgain);
  await clock.advance(period);
  expect(await sweep()).toEqual(asleep);
});

it('writes nothing for a valid signature of a stranger, so that strangers wake no installation', async () => {
  const { foundation, entries } = createWorld();
  const authenticate = () => ({ username: 'arn:aws:iam::999999999999:user/stranger', groups: [] });
  const serving = createServing(foundation, {
    authenticate,
  });
  const ask = async (httpMethod: string, path: string, body: object | null = null) => {
    const request = { ...proxy, httpMethod, path, body: body && JSON.stringify(body) };
    return (await serves(() => serving)(request, invocation)).statusCode;
  };
  const cluster = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', metadata: { name: 'a' } };
  const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
  const answers = [
    await ask('GET', '/api/v1/namespaces'),
    await ask('POST', '/apis/cluster.x-k8s.io/v1beta2/namespaces/default/clusters', cluster),
    await ask('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', review),
    await ask('GET', '/apis'),
  ];
  expect(answers.slice(0, 2)).toEqual([403, 403]);
  expect(entries).toEqual([]);
});
